import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';
import { isListening } from '../runtime/listening.mjs';

const POLL_MS = 40;

/** Whether an address answered before our own server was started there. */
export const lookAt = async (host, port) => ({ host, port, wasTaken: await isListening({ host, port }) });

/** Waits until a child answers or ends. */
export async function untilReady(child, { host, port, wasTaken }, isReady) {
  // An answer of another server on the port must not count as ours: our own ends soon, with an error.
  while (wasTaken && child.isRunning() && (await isListening({ host, port }))) await sleep(POLL_MS);
  while (child.isRunning() && !(await isReady())) await sleep(POLL_MS);
}

export const isHealthy = (host, port) => answersWell({ host, port, path: '/healthz' });

export const answersAt = (url) => answersWell(urlToHttpOptions(new URL(url)));

function answersWell(options) {
  return new Promise((resolve) => {
    try {
      get({ ...options, signal: AbortSignal.timeout(1000) }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      }).on('error', () => resolve(false));
    } catch {
      resolve(false);
    }
  });
}
