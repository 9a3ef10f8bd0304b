import { spawnSync } from 'node:child_process';
import { chownSync, lchownSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot } from '../runtime/programs.mjs';
import { StartError } from '../runtime/start-error.mjs';

/** PostgreSQL refuses to run as root. How to run it all the same where the launcher is root. */

/** The user that PostgreSQL sees itself as must have a name, or initdb stops. */
function findUnprivileged() {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([, , uid]) => Number(uid) > 0);
  const [, , uid, gid] = users.find(([name]) => name === 'nobody') ?? users[0] ?? [];
  return uid && { uid: Number(uid), gid: Number(gid) };
}

/**
 * In order of preference. In a user namespace PostgreSQL takes root for another user, and files stay root's. Containers
 * often forbid namespaces; there it runs as that user in earnest. That user passes through folders that belong to root by
 * a capability, which access(2) honours only with `no_setuid_fixup`. The last one needs neither, and folders open to all.
 */
function waysAroundRoot({ uid, gid }) {
  const other = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const passing = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return [
    { prefix: ['unshare', '-U', `--map-user=${uid}`, `--map-group=${gid}`], owner: { uid: 0, gid: 0 } },
    { prefix: [...other, ...passing], owner: { uid, gid } },
    { prefix: other, owner: { uid, gid } },
  ];
}

/**
 * @param {{ postgres: string, dataDir: string }} options a program to run, and a folder to reach
 * @returns {{ prefix: string[], owner?: { uid: number, gid: number } }} what to put before a command, and who must own
 *   the files it writes; no owner where they are the launcher's own anyway
 * @throws StartError
 */
export function chooseUser({ postgres, dataDir }) {
  if (!isRoot()) return { prefix: [] };
  const user = findUnprivileged();
  const way = user && waysAroundRoot(user).find(({ prefix }) => works(prefix, postgres, dataDir));
  if (way) return way;
  throw new StartError(
    'PostgreSQL refuses to run as root, and neither unshare nor setpriv could make it another user; start Satchel as another user, or set DATABASE_URL.',
  );
}

function works([command, ...args], postgres, dataDir) {
  const probe = '[ "$(id -u)" -ne 0 ] && cd "$2" && "$1" --version';
  return (
    spawnSync(command, [...args, '/bin/sh', '-c', probe, 'sh', postgres, dataDir], { stdio: 'ignore' }).status === 0
  );
}

/** Makes everything below a folder the owner's, the folder itself last: an interrupted change is begun again. */
export function giveTo(owner, folder) {
  if (!owner || lstatSync(folder).uid === owner.uid) return;
  giveContents(owner, folder);
  chownSync(folder, owner.uid, owner.gid);
}

function giveContents(owner, folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveContents(owner, path);
    lchownSync(path, owner.uid, owner.gid);
  }
}
