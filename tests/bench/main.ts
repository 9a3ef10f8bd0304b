import { loadavg } from 'node:os';
import { benchDownload } from './browser/download.ts';
import { benchEngines } from './browser/engines.ts';
import { benchFirstPaint } from './browser/first-paint.ts';
import { benchPhotos } from './browser/photos.ts';
import { benchSmallFiles } from './browser/small-files.ts';
import { benchUpload } from './browser/upload.ts';
import { benchCommandLine } from './command-line.ts';
import { describeRun, type Finished, type Row, report } from './report.ts';
import { benchInteractions } from './server/interactions.ts';
import { benchReads } from './server/reads.ts';
import { benchRest } from './server/rest.ts';

/**
 * `npm run bench [ROW …]`: measures, and prints one table at the end. Exit code 1 when a figure misses its limit; the other
 * rows are measured all the same. docs/performance.md explains each row.
 */
const [, , ...wanted] = process.argv;

const benches: Readonly<Record<string, () => Promise<Row[]>>> = {
  rest: benchRest,
  upload: benchUpload,
  download: benchDownload,
  'first-paint': benchFirstPaint,
  photos: benchPhotos,
  'small-files': benchSmallFiles,
  'command-line': benchCommandLine,
  interactions: benchInteractions,
  reads: benchReads,
  engines: benchEngines,
};
/** Measured where they are asked for by name: they take long, and need more than one browser. */
const BY_NAME = ['engines'];

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

const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`No such row: ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}`);
  process.exit(1);
}
const started = performance.now();
const all: Finished[] = [];
for (const [name, run] of Object.entries(benches))
  if (wanted.length === 0 ? !BY_NAME.includes(name) : wanted.includes(name)) all.push(await finish(name, run));
console.log(`\n${describeRun()}, ${Math.round((performance.now() - started) / 60_000)} min`);
process.exit(report(all) ? 0 : 1);
