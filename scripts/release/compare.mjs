// Usage: node scripts/release/compare.mjs [--runtime] [--out FOLDER]
// Builds the release of HEAD twice, in clones in two folders of different depth, and compares the sums. Where they differ
// it keeps both builds and ends with 1; otherwise it keeps the first one in --out.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, ROOT, say } from '../runtime/paths.mjs';

/** Where the two clones lie below a folder for temporary files: what names its own place has another length in each. */
const PLACES = ['one', 'another/and/deeper'];

const { out, runtime } = parseArgs({
  options: { out: { type: 'string' }, runtime: { type: 'boolean', default: false } },
}).values;
const work = mkdtempSync(join(tmpdir(), 'satchel-compare-'));

const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
const [first, second] = PLACES.map(buildIn);
const [sums, others] = [first, second].map((folder) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8'));
if (sums !== others)
  fail(`two builds of ${commit} differ; unpack both and compare them by diff --recursive: ${first} ${second}`);
if (out !== undefined) {
  rmSync(resolve(ROOT, out), { recursive: true, force: true });
  cpSync(first, resolve(ROOT, out), { recursive: true });
}
rmSync(work, { recursive: true });
say(`two builds of ${commit} are equal, byte for byte`);

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
