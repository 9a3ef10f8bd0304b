import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../runtime/paths.mjs';
import { createEndCounter, RESTARTS_MAX } from '../runtime/restart-limit.mjs';

const PAUSE_MS = 200;

/**
 * Runs a server, and starts it again when it is killed or crashes after it was ready once: the database beside it keeps running,
 * so the site is back as soon as the server is. A server that ends in order, or that was never ready, has a reason that
 * another start does not change.
 *
 * @param {() => ReturnType<import('../runtime/children.mjs').startNode>} start
 * @param {{ isReady: () => Promise<unknown> }} database waited for before each start
 * @param {{ pauseMs?: number }} [options] the pause before the second restart; each further one doubles it
 * @returns like a child of startNode; `exited` is the end after which it is not started again
 */
export function keepServer(start, database, { pauseMs = PAUSE_MS } = {}) {
  let child = start();
  let wasReady = false;
  let isStopping = false;

  async function watch() {
    const countEnd = createEndCounter();
    for (;;) {
      const end = await child.exited;
      if (isStopping || !wasReady || end.code === 0) return end;
      const ends = countEnd();
      if (ends > RESTARTS_MAX) return end;
      say(`the server ended (${end.signal ?? `code ${end.code}`}); starting it again.`);
      // The first restart comes at once, each further one after a longer pause.
      await sleep(pauseMs * (2 ** (ends - 1) - 1));
      await database.isReady();
      if (isStopping) return { code: 0, signal: null };
      child = start();
    }
  }

  return {
    exited: watch(),
    isRunning: () => child.isRunning(),
    /** From now on an end is a crash. */
    noteReady() {
      wasReady = true;
    },
    async stop() {
      isStopping = true;
      return child.isRunning() ? child.stop() : (await child.exited).code;
    },
    kill: () => child.kill(),
  };
}
