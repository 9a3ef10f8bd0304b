import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePostgres } from '../postgres/binaries.mjs';
import { installNode, isNodeInstalled, nodePinFor } from '../runtime/node-install.mjs';
import { NODE_PINS, ROOT, RUNTIME_DIR } from '../runtime/paths.mjs';
import { thisMachine } from '../runtime/pinned-package.mjs';

/** Of Node's package only what runs, and under which licence; the stamps say that both were fetched and checked. */
const KEPT = [
  /^\.runtime\/node_modules\/node\/(bin\/node(\.exe)?|LICENSE|package\.json)$/,
  /^\.runtime\/node_modules\/\.satchel-node$/,
  /^\.runtime\/postgres\/node_modules\/postgres\//,
  /^\.runtime\/postgres\/node_modules\/\.satchel-postgres$/,
];

/** @returns {Promise<import('./archive.mjs').Entry[]>} Node and PostgreSQL for this platform, as the launchers look for them */
export async function listRuntime() {
  const pin = nodePinFor(JSON.parse(readFileSync(NODE_PINS, 'utf8')), thisMachine());
  if (!isNodeInstalled(RUNTIME_DIR, pin)) await installNode({ folder: RUNTIME_DIR, pin });
  await ensurePostgres();
  const folders = ['.runtime/node_modules', '.runtime/postgres/node_modules'];
  const kept = folders.flatMap(listFiles).filter(({ path }) => KEPT.some((pattern) => pattern.test(path)));
  // Its package has the licence of those who packed it alone.
  return [...kept, { path: '.runtime/postgres/NOTICES.txt', from: join(ROOT, 'scripts/release/postgres-notices.txt') }];
}

function listFiles(folder) {
  return readdirSync(join(ROOT, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    const from = join(ROOT, path);
    const status = lstatSync(from);
    if (status.isDirectory()) return listFiles(path);
    if (status.isSymbolicLink()) return [{ path, link: readlinkSync(from) }];
    return [{ path, from, isExecutable: (status.mode & 0o100) !== 0 }];
  });
}
