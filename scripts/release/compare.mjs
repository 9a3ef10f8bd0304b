// Usage: node scripts/release/compare.mjs [--runtime] [--out FOLDER]
// Builds the release of HEAD twice, in clones in two folders of different depth, and compares the bytes. Prints what
// differs and ends with 1, or keeps the first build in --out and ends with 0.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, ROOT, say } from '../runtime/paths.mjs';
import { namesOfDifferences } from './differences.mjs';

/** Where the two clones lie below a folder for temporary files: what names its own place has another length in each. */
const PLACES = ['one', 'another/and/deeper'];

const { out, runtime } = parseArgs({
  options: { out: { type: 'string' }, runtime: { type: 'boolean', default: false } },
}).values;
const work = mkdtempSync(join(tmpdir(), 'satchel-compare-'));
process.once('exit', () => rmSync(work, { recursive: true, force: true }));

const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
const [first, second] = PLACES.map(buildIn);
const differences = namesOfDifferences(first, second);
if (differences.length > 0) fail(`two builds of ${commit} differ:\n${differences.join('\n')}`);
if (out !== undefined) {
  rmSync(resolve(ROOT, out), { recursive: true, force: true });
  cpSync(first, resolve(ROOT, out), { recursive: true });
}
say(`two builds of ${commit} are equal, byte for byte: ${readdirSync(first).join(', ')}`);

/** @returns {string} the folder with the archives of a build in a clone of its own */
function buildIn(place, index) {
  const clone = join(work, place);
  mkdirSync(dirname(clone), { recursive: true });
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone], { stdio: ['ignore', 'inherit', 'inherit'] });
  execFileSync('git', ['checkout', '--quiet', '--detach', commit], {
    cwd: clone,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const folder = join(work, `release-${index}`);
  const args = ['run', 'release', '--', '--out', folder, ...(runtime ? ['--runtime'] : [])];
  const { status } = spawnSync('npm', args, { cwd: clone, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) fail(`the build in ${clone} ended with ${status}.`);
  return folder;
}
