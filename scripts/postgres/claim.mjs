import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { DatabaseStartError } from './database-start-error.mjs';

/**
 * One launcher at a time has a cluster. It listens on a socket beside it: the kernel answers for it while it lives, also
 * when it is stopped and from another container, and no longer once it is gone.
 */

const ANSWER_MS = 1000;

/**
 * @param {string} path of the socket
 * @param {string} dataDir what an error names
 * @returns {Promise<() => void>} ends the claim
 * @throws DatabaseStartError naming the process that has it
 */
export async function claimCluster(path, dataDir) {
  for (;;) {
    const server = createServer((socket) => socket.on('error', () => {}).end(String(process.pid)));
    if (await listens(server, path)) {
      server.unref();
      return () => server.close();
    }
    const holder = await askHolder(path);
    if (holder !== undefined) {
      const who = holder ? ` (process ${holder})` : '';
      throw new DatabaseStartError(`another Satchel${who} is using ${dataDir}; stop it or set DATA_DIR`);
    }
    rmSync(path, { force: true });
  }
}

function listens(server, path) {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(path, () => resolve(true));
  });
}

/** @returns {Promise<string | undefined>} what the holder says, '' when it is silent, undefined when there is none */
function askHolder(path) {
  return new Promise((resolve) => {
    let said = '';
    let isConnected = false;
    const socket = connect({ path, timeout: ANSWER_MS });
    socket.setEncoding('utf8');
    socket.on('connect', () => {
      isConnected = true;
    });
    socket.on('data', (text) => {
      said += text;
    });
    socket.on('timeout', () => socket.destroy());
    // A full queue of a stopped holder answers EAGAIN: it is there.
    socket.on('error', ({ code }) => {
      isConnected ||= code === 'EAGAIN';
    });
    socket.on('close', () => resolve(isConnected ? said : undefined));
  });
}
