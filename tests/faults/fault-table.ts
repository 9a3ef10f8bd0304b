import { spawnSync } from 'node:child_process';
import { browserFaults } from './browser-faults.ts';
import { databaseFaults } from './database-faults.ts';
import { discordFaults } from './discord-faults.ts';
import { diskFaults } from './disk-faults.ts';
import type { FaultRow } from './fault-row.ts';
import { lineFaults } from './line-faults.ts';
import { keyFaults, nodeFaults } from './node-faults.ts';
import { crashPointFaults } from './points/crash-point-faults.ts';
import { s3Faults } from './s3-faults.ts';

/**
 * `npm run test:faults [PART …]`: one fault after the other, and a table of what was lost, what was wrong and how long it took
 * to recover. Exit 1 when anything was lost or wrong. Kills at random moments are `npm run test:crashes`.
 */

const PARTS: Readonly<Record<string, () => AsyncGenerator<FaultRow>>> = {
  s3: s3Faults,
  disk: diskFaults,
  database: databaseFaults,
  nodes: nodeFaults,
  keys: keyFaults,
  discord: discordFaults,
  lines: lineFaults,
  browser: browserFaults,
  points: crashPointFaults,
};
/** The parts that mount a disk. */
const NEED_MOUNTS = ['disk'];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(PARTS).join(', ')}`);
  process.exit(1);
}

/** Mounts are to be seen by this process alone: it begins again in a namespace of its own. */
function enterNamespace(): boolean {
  if (process.env.FAULTS_NAMESPACE) return true;
  if (spawnSync('unshare', ['-m', 'true']).status !== 0) return false;
  const args = ['-m', process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync('unshare', args, { stdio: 'inherit', env: { ...process.env, FAULTS_NAMESPACE: 'yes' } });
  process.exit(status ?? 1);
}

const canMount = enterNamespace();
const rows: FaultRow[] = [];
for (const [name, faults] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (!canMount && NEED_MOUNTS.includes(name)) {
    console.error(`!!! NOT RUN: ${name}, which has to mount a disk (unshare -m)`);
    continue;
  }
  for await (const row of faults()) {
    rows.push(row);
    console.log(`${row.fault}: ${row.note}`);
    for (const what of row.lost) console.log(`   lost: ${what}`);
    for (const what of row.wrong) console.log(`   wrong: ${what}`);
  }
}
console.table(
  rows.map(({ fault, runs, lost, wrong, recoveredMs }) => ({
    ...{ fault, runs, lost: lost.length, wrong: wrong.length },
    'recovered in (s)': recoveredMs === null ? '' : Number((recoveredMs / 1000).toFixed(1)),
  })),
);
const problems = rows.reduce((sum, { lost, wrong }) => sum + lost.length + wrong.length, 0);
console.log(problems === 0 ? 'nothing lost, nothing wrong' : `${problems} problems`);
process.exit(problems === 0 && rows.length > 0 ? 0 : 1);
