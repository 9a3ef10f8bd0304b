import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isListening } from '../runtime/listening.mjs';
import { StartError } from '../runtime/start-error.mjs';
import { ROLE } from './cluster.mjs';

/** Where PostgreSQL listens: a socket in a folder that is closed to others, or a loopback port where there are no sockets. */

const SOCKET = '.s.PGSQL.5432';
const CLAIM = '.launcher';
/** What fits into sockaddr_un beside its closing zero. */
const SOCKET_PATH_MAX_BYTES = process.platform === 'linux' ? 107 : 103;

/**
 * @returns {Promise<{ url: () => string, args: string[], socket?: string, claim: string, answers: () => Promise<boolean>,
 *   release: () => void }>} `claim` is where the launcher itself listens
 */
export async function chooseAddress({ home, passwordFile }, { isTcp, owner }) {
  return isTcp ? onPort(home, passwordFile) : onSocket(home, owner);
}

/** The host in the query counts; the one before the path is there because an URL with a user needs one. */
export const urlOfSocket = (folder) => `postgresql://${ROLE}@localhost/postgres?host=${encodeURIComponent(folder)}`;

export const urlOfPort = (port, passwordFile) =>
  `postgresql://${ROLE}:${readFileSync(passwordFile, 'utf8')}@127.0.0.1:${port}/postgres`;

/** @param {{ folder?: string, port: number }} where */
export const answersAt = ({ folder, port }) =>
  isListening(folder ? { path: join(folder, SOCKET) } : { host: '127.0.0.1', port });

function onSocket(home, owner) {
  const isShort = Buffer.byteLength(join(home, SOCKET)) <= SOCKET_PATH_MAX_BYTES;
  const folder = isShort ? home : makeShortFolder(home, owner);
  const socket = join(folder, SOCKET);
  return {
    url: () => urlOfSocket(folder),
    args: ['-k', folder, '-c', 'listen_addresses=', '-c', 'unix_socket_permissions=0700'],
    socket,
    claim: join(folder, CLAIM),
    answers: () => isListening({ path: socket }),
    release: () => !isShort && removeIfEmpty(folder),
  };
}

/** Always the same folder for a cluster, so that a start after a kill -9 finds the old socket and claim. */
function makeShortFolder(home, owner) {
  const { uid, gid } = owner ?? { uid: process.getuid(), gid: process.getgid() };
  const folder = `/tmp/satchel-${createHash('sha256').update(home).digest('hex').slice(0, 20)}`;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    // Any user may make folders there; another user's folder could be a trap.
    const found = lstatSync(folder);
    const isOurs = found.uid === uid || found.uid === process.getuid();
    if (!found.isDirectory() || !isOurs) {
      throw new StartError(`${folder} belongs to another user; delete it, or use a shorter DATA_DIR`);
    }
  }
  chmodSync(folder, 0o700);
  chownSync(folder, uid, gid);
  return folder;
}

function removeIfEmpty(folder) {
  try {
    rmdirSync(folder);
  } catch {}
}

async function onPort(home, passwordFile) {
  const port = await freePort();
  const name = createHash('sha256').update(home).digest('hex').slice(0, 20);
  return {
    url: () => urlOfPort(port, passwordFile),
    args: ['-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    claim: process.platform === 'win32' ? `\\\\.\\pipe\\satchel-${name}` : join(home, CLAIM),
    answers: () => isListening({ host: '127.0.0.1', port }),
    release: () => {},
  };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
