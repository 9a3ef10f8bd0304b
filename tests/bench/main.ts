import { loadavg } from 'node:os';
import { benchContainer } from './browser/container.ts';
import { benchDownload } from './browser/download.ts';
import { benchLarge } from './browser/large.ts';
import { benchPhotos } from './browser/photos.ts';
import { benchSmallFiles } from './browser/small-files.ts';
import { benchUpload } from './browser/upload.ts';
import { benchCrowds, CROWDS } from './crowds.ts';
import { showPlans } from './plans.ts';
import { describeRun, type Finished, type Row, report } from './report.ts';
import { benchAttacks } from './server/attacks.ts';
import { benchBytes } from './server/bytes.ts';
import { benchDirect } from './server/direct.ts';
import { benchFollowers } from './server/followers.ts';
import { benchInteractions } from './server/interactions.ts';
import { benchNodes } from './server/nodes.ts';
import { benchReads } from './server/reads.ts';
import { benchRest } from './server/rest.ts';

/**
 * `npm run bench [ROW …]`: measures, and prints one table at the end. Exit code 1 when a figure misses its limit; the other
 * rows are measured all the same. docs/performance.md explains each row. Four run only by their names:
 * `npm run bench large [GiB]` does with a large file all that a person does, `npm run bench plans [folders] [files]`
 * prints the query plan of each statement in a large database, `npm run bench nodes` compares sites of 1, 2 and 4 nodes, and
 * `npm run bench direct` what a file costs the server whose parts go straight between client and store.
 */
const [, , ...wanted] = process.argv;
if (wanted[0] === 'plans') process.exit(await showPlans(...wanted.slice(1)));

const benches: Readonly<Record<string, () => Promise<Row[]>>> = {
  container: benchContainer,
  rest: benchRest,
  upload: benchUpload,
  download: benchDownload,
  photos: benchPhotos,
  'small-files': benchSmallFiles,
  interactions: benchInteractions,
  reads: benchReads,
  followers: benchFollowers,
  ...Object.fromEntries(CROWDS.map((name) => [name, () => benchCrowds(name)])),
  bytes: benchBytes,
  attacks: benchAttacks,
};

async function finish(name: string, run: () => Promise<Row[]>): Promise<Finished> {
  const [load, started] = [loadavg()[0] ?? Number.NaN, performance.now()];
  console.log(`${name}: begins with a load of ${load.toFixed(2)}`);
  try {
    return { load, rows: await run() };
  } catch (error) {
    console.error(error);
    const [message = ''] = String(error).split('\n', 1);
    return { load, rows: [], failure: { name, message } };
  } finally {
    console.log(`${name}: took ${Math.round((performance.now() - started) / 1000)} s`);
  }
}

if (wanted[0] === 'large') {
  process.exit(report([await finish('large', () => benchLarge(...wanted.slice(1)))]) ? 0 : 1);
}
if (wanted[0] === 'nodes') {
  process.exit((await benchNodes(...wanted.slice(1))) ? 0 : 1);
}
if (wanted[0] === 'direct') process.exit(report([await finish('direct', benchDirect)]) ? 0 : 1);
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  const names = [...Object.keys(benches), 'large', 'plans', 'nodes', 'direct'];
  console.error(`No such row: ${unknown.join(', ')}. There are: ${names.join(', ')}`);
  process.exit(1);
}
const started = performance.now();
const all: Finished[] = [];
for (const [name, run] of Object.entries(benches))
  if (wanted.length === 0 || wanted.includes(name)) all.push(await finish(name, run));
console.log(`\n${describeRun()}, ${Math.round((performance.now() - started) / 60_000)} min`);
process.exit(report(all) ? 0 : 1);
