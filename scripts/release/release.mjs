import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, createReadStream, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { buildInto } from '../launch/build-outputs.mjs';
import { readCommit } from '../launch/source.mjs';
import { fail, ROOT, say } from '../runtime/paths.mjs';
import { writeArchive } from './archive.mjs';
import { listRuntime } from './runtime-files.mjs';
import { makeSbom } from './sbom.mjs';
import { listTree } from './tree.mjs';

const OPTIONS = {
  out: { type: 'string', default: join(ROOT, 'release') },
  runtime: { type: 'boolean', default: false },
};

/**
 * Builds the archives, the command line and the manifest of the pages of this commit, and their sums: the same bytes in any folder, on the same version of Node.
 * With `--runtime` there is a further archive, for this platform, that brings Node and PostgreSQL.
 */
export async function makeRelease(args) {
  const { out, runtime } = parseArgs({ args, options: OPTIONS }).values;
  const source = readSource();
  const folder = resolve(ROOT, out);
  const built = join(ROOT, 'node_modules', '.satchel', 'release');
  rmSync(built, { recursive: true, force: true });
  if (!(await buildInto(built))) process.exit(1);
  const sbom = `${JSON.stringify(await makeSbom(source), null, 2)}\n`;
  const tree = listTree({ built, sbom, source });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });

  const name = `satchel-${source.version}`;
  const files = [];
  const add = async (end, entries) => {
    files.push(join(folder, `${name}${end}.tar.gz`));
    const work = join(ROOT, 'node_modules', '.satchel', 'archive');
    await writeArchive(files.at(-1), { entries, folder: name, timeSeconds: source.timeSeconds, work });
  };
  await add('', tree);
  if (runtime) await add(`-${process.platform}-${process.arch}`, [...tree, ...(await listRuntime())]);
  // By itself, for people's own machines: the command line that a site doesn't choose.
  files.push(join(folder, `${name}.mjs`));
  copyFileSync(join(built, 'apps/cli/dist/satchel.mjs'), files.at(-1));
  // What a site of this release serves, for `satchel verify` and for people who compare by themselves.
  files.push(join(folder, `${name}.manifest.json`));
  copyFileSync(join(built, 'apps/web/dist/manifest.json'), files.at(-1));
  files.push(join(folder, `${name}.cdx.json`));
  writeFileSync(files.at(-1), sbom);
  let sums = '';
  for (const file of files) sums += `${await hashFile(file)}  ${basename(file)}\n`;
  writeFileSync(join(folder, 'SHA256SUMS'), sums);
  process.stdout.write(sums);
  say(`the release of ${source.commit} is in ${folder}`);
  process.exit(0);
}

/** What is released: the commit that is checked out, or where there is no git, what the environment says of it. */
function readSource() {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { commit, isChanged } = readCommit();
  if (isChanged) fail('a release is of a commit, and this checkout has changes: commit them first.');
  const { SOURCE_DATE_EPOCH: given = '0' } = process.env;
  if (!existsSync(join(ROOT, '.git')) && !/^\d+$/.test(given)) {
    fail('SOURCE_DATE_EPOCH: must be the seconds of the commit (git log -1 --format=%ct)');
  }
  const seconds = existsSync(join(ROOT, '.git'))
    ? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' })
    : given;
  return { version, commit, timeSeconds: Number(seconds) };
}

async function hashFile(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
