import { spawnSync } from 'node:child_process';
import { clockFaults, keyFaults } from './clock-and-key-faults.ts';
import { databaseFaults } from './database-faults.ts';
import { diskFaults } from './disk-faults.ts';
import { type FaultRow, notRun } from './fault-row.ts';
import { momentFaults } from './moments/moments.ts';
import { diskPointFaults, s3PointFaults } from './points/crash-point-faults.ts';

/**
 * `npm run test:faults [PART …] [--allow-not-run]`: one fault after the other, and a table of what was lost, what was wrong and
 * how long it took to recover. Exit 1 when anything was lost or wrong, and when a fault could not be had on this machine,
 * unless that is allowed.
 */

const PARTS: Readonly<Record<string, () => AsyncGenerator<FaultRow>>> = {
  disk: diskFaults,
  database: databaseFaults,
  clocks: clockFaults,
  keys: keyFaults,
  points: diskPointFaults,
  's3-points': s3PointFaults,
  moments: momentFaults,
};
/** The parts that mount a disk. */
const NEED_MOUNTS = ['disk'];

const ALLOW_NOT_RUN = '--allow-not-run';
const asked = process.argv.slice(2);
const wanted = asked.filter((name) => name !== ALLOW_NOT_RUN);
const unknown = wanted.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(PARTS).join(', ')}`);
  process.exit(1);
}

/** Mounts are to be seen by this process alone: it begins again in its own namespace. */
function enterNamespace(): boolean {
  if (process.env.FAULTS_NAMESPACE) return true;
  if (spawnSync('unshare', ['-m', 'true']).status !== 0) return false;
  const args = ['-m', process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync('unshare', args, { stdio: 'inherit', env: { ...process.env, FAULTS_NAMESPACE: 'yes' } });
  process.exit(status ?? 1);
}

async function* noMount(part: string): AsyncGenerator<FaultRow> {
  yield notRun(`faults of a ${part}`, 'a separate mount (unshare -m)');
}

const canMount = enterNamespace();
const rows: FaultRow[] = [];
const inSeconds = (ms: number | null | undefined) => (ms == null ? '' : Number((ms / 1000).toFixed(1)));
for (const [name, faults] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for await (const row of !canMount && NEED_MOUNTS.includes(name) ? noMount(name) : faults()) {
    rows.push(row);
    console.log(`${row.fault}: ${row.note}`);
    for (const what of row.lost) console.log(`   lost: ${what}`);
    for (const what of row.wrong) console.log(`   wrong: ${what}`);
  }
}
console.table(
  rows.map(({ fault, runs, lost, wrong, recoveredMs, longestMs, isNotRun }) => ({
    fault,
    runs: isNotRun ? 'not run' : runs,
    lost: lost.length,
    wrong: wrong.length,
    'recovered in (s)': inSeconds(recoveredMs),
    'longest answer (s)': inSeconds(longestMs),
  })),
);
const missing = rows.filter(({ isNotRun }) => isNotRun);
for (const { fault, note } of missing) console.error(`!!! ${fault}: ${note}`);
const problems = rows.reduce((sum, { lost, wrong }) => sum + lost.length + wrong.length, 0);
console.log(problems === 0 ? 'nothing lost, nothing wrong' : `${problems} problems`);
const isWhole = missing.length === 0 || asked.includes(ALLOW_NOT_RUN);
if (!isWhole) console.error(`${missing.length} not run, which ${ALLOW_NOT_RUN} allows`);
process.exit(problems === 0 && rows.length > 0 && isWhole ? 0 : 1);
