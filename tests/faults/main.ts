import { type CrashReport, type Round, runCrashRounds } from './crash-rounds.ts';

/** `npm run test:crashes`: ROUNDS (50) rounds of work, each ended by kill -9, by SEED. Exit 1 on any loss or error. */

/** The site should restart within this time; a slower restart is only reported: the machine may be busy. */
const BACK_WITHIN_MS = 5000;

const rounds = Number(process.env.ROUNDS || 50);
const seed = process.env.SEED || Math.random().toString(36).slice(2, 10);

const problemsOf = ({ lost, wrong }: Pick<Round, 'lost' | 'wrong'>): string[] => [
  ...lost.map((what) => `lost: ${what}`),
  ...wrong.map((what) => `wrong: ${what}`),
];

function onRound(round: Round, index: number): void {
  const seconds = (round.backMs / 1000).toFixed(1);
  console.log(
    `${String(index + 1).padStart(3)}  ${round.victim.padEnd(18)} ${round.acts} acts, back after ${seconds} s`,
  );
  for (const problem of problemsOf(round)) console.log(`     ${problem}`);
}

function printTable({ rounds: all, end }: CrashReport): void {
  const rows = [...Map.groupBy(all, ({ victim }) => victim)].map(([victim, own]) => ({
    killed: victim,
    rounds: own.length,
    acts: own.reduce((sum, { acts }) => sum + acts, 0),
    lost: own.reduce((sum, { lost }) => sum + lost.length, 0),
    wrong: own.reduce((sum, { wrong }) => sum + wrong.length, 0),
    'slowest back (s)': Number((Math.max(...own.map(({ backMs }) => backMs)) / 1000).toFixed(1)),
  }));
  console.table(rows);
  const late = all.filter(({ backMs }) => backMs > BACK_WITHIN_MS).length;
  if (late > 0) console.log(`${late} of ${all.length} starts took longer than ${BACK_WITHIN_MS / 1000} s`);
  for (const problem of problemsOf(end)) console.log(`at the end: ${problem}`);
}

console.log(`SEED=${seed} ROUNDS=${rounds}`);
const report = await runCrashRounds({ rounds, seed, onRound });
printTable(report);
const problems = [...report.rounds, report.end].flatMap(problemsOf).length;
console.log(problems === 0 ? 'nothing lost, nothing wrong' : `${problems} problems`);
process.exit(problems === 0 ? 0 : 1);
