import type { FaultRow } from '../fault-row.ts';
import { runCrashRounds } from './crash-rounds.ts';

/** kill -9 at random moments: ROUNDS (200) rounds in which people work. SEED repeats what they do, not when a process is struck. */

const ROUNDS = 200;
const TOLD_EVERY = 25;

export async function* momentFaults(): AsyncGenerator<FaultRow> {
  const rounds = Number(process.env.ROUNDS || ROUNDS);
  const seed = process.env.SEED || Math.random().toString(36).slice(2, 10);
  console.log(`SEED=${seed} ROUNDS=${rounds}`);
  const report = await runCrashRounds({
    rounds,
    seed,
    onRound({ victim, lost, wrong }, index) {
      if ((index + 1) % TOLD_EVERY === 0) console.log(`round ${index + 1} of ${rounds}`);
      for (const problem of [...lost, ...wrong]) console.log(`round ${index + 1}, ${victim}: ${problem}`);
    },
  });
  for (const [victim, own] of Map.groupBy(report.rounds, (round) => round.victim)) {
    yield {
      fault: `kill -9 at a random moment: ${victim}`,
      runs: own.length,
      lost: own.flatMap(({ lost }) => lost),
      wrong: own.flatMap(({ wrong }) => wrong),
      recoveredMs: Math.max(...own.map(({ backMs }) => backMs)),
      note: `${own.reduce((sum, { acts }) => sum + acts, 0)} acts`,
    };
  }
  yield {
    fault: 'all of it is finished, swept and deleted',
    runs: 1,
    ...report.end,
    recoveredMs: null,
    note: 'at the end',
  };
}
