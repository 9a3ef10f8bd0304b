import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../runtime/paths.mjs';
import { StartError } from '../runtime/start-error.mjs';

/**
 * One launcher at a time holds a cluster. The launcher listens on a socket beside it: the kernel accepts connections while
 * the launcher lives, also when it is stopped and from another container, and refuses them once it has ended.
 */

const ANSWER_MS = 1000;
const POLL_MS = 100;
const ENDING = 'ending';
/** The holder closed the socket without an answer: it has ended. */
const GONE = 'gone';

/**
 * Waits for a holder that is about to end.
 * @param {string} path of the socket
 * @param {string} dataDir what an error names
 * @returns {Promise<{ announceEnd: () => void, release: () => void }>}
 * @throws StartError naming the process that holds the cluster
 */
export async function claimCluster(path, dataDir) {
  let isEnding = false;
  let isWaiting = false;
  for (;;) {
    const server = createServer((socket) => {
      socket.on('error', () => {}).end(isEnding ? `${process.pid} ${ENDING}` : String(process.pid));
    });
    if (await listens(server, path)) {
      server.unref();
      const announceEnd = () => {
        isEnding = true;
      };
      return { announceEnd, release: () => server.close() };
    }
    const holder = await askHolder(path);
    const who = `another Satchel${holder ? ` (process ${parseInt(holder, 10)})` : ''}`;
    if (holder === undefined) rmSync(path, { force: true });
    else if (holder === GONE) await sleep(POLL_MS);
    else if (!holder.endsWith(ENDING)) {
      throw new StartError(`${who} is using ${dataDir}; stop it or set DATA_DIR`);
    } else {
      if (!isWaiting) say(`${who} is about to end; waiting for it …`);
      isWaiting = true;
      await sleep(POLL_MS);
    }
  }
}

function listens(server, path) {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(path, () => resolve(true));
  });
}

/** @returns {Promise<string | undefined>} what the holder says, '' when it is silent, GONE, undefined when there is none */
function askHolder(path) {
  return new Promise((resolve) => {
    let said = '';
    let isConnected = false;
    let isSilent = false;
    const socket = connect({ path, timeout: ANSWER_MS });
    socket.setEncoding('utf8');
    socket.on('connect', () => {
      isConnected = true;
    });
    socket.on('data', (text) => {
      said += text;
    });
    socket.on('timeout', () => {
      isSilent = true;
      socket.destroy();
    });
    // A full queue of a stopped holder answers EAGAIN: it is there.
    socket.on('error', ({ code }) => {
      isSilent ||= code === 'EAGAIN';
    });
    socket.on('close', () => {
      if (said !== '' || isSilent) resolve(said);
      else resolve(isConnected ? GONE : undefined);
    });
  });
}
