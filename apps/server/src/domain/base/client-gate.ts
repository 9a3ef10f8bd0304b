import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { AppError } from '@satchel/contract/errors';

/**
 * Runs a few tasks of each client at once and queues the rest in order; a full queue refuses. A client with hundreds of
 * requests holds no more of the database than its part, and the tasks of others run in between.
 */

export interface ClientGateLimits {
  /** Tasks of one client that run at once. */
  readonly running: number;
  /** Tasks of one client that may be queued. */
  readonly queued: number;
}

/**
 * Two of the pool's ten connections. The queue holds more than one page asks at once, or many visitors behind one
 * address.
 */
export const CLIENT_GATE: ClientGateLimits = { running: 2, queued: 200 };

const RETRY_AFTER_SECONDS = 2;

export interface ClientGate {
  /**
   * Runs a task when its client's turn has come.
   * @throws request.too_many when this client's queue is full; and what the task throws
   */
  run<Result>(client: string, task: () => Promise<Result>): Promise<Result>;
}

interface Lane {
  running: number;
  readonly queue: (() => void)[];
}

export function createClientGate({ running, queued }: ClientGateLimits): ClientGate {
  /** Clients without any task have no entry. */
  const lanes = new Map<string, Lane>();

  function laneOf(client: string): Lane {
    const lane = lanes.get(client) ?? { running: 0, queue: [] };
    lanes.set(client, lane);
    return lane;
  }

  async function enter(lane: Lane): Promise<void> {
    if (lane.running < running) {
      lane.running += 1;
      return;
    }
    if (lane.queue.length >= queued) {
      throw new AppError('request.too_many', { retry_after_seconds: RETRY_AFTER_SECONDS });
    }
    // A task that ends hands its place to the next in the queue, so that no later task gets ahead.
    await new Promise<void>((resolve) => lane.queue.push(resolve));
    // Tasks that end at once would run hundreds of turns before the event loop reads the next request.
    await yieldToEventLoop();
  }

  function leave(client: string, lane: Lane): void {
    const next = lane.queue.shift();
    if (next) next();
    else lane.running -= 1;
    if (lane.running === 0) lanes.delete(client);
  }

  return {
    async run(client, task) {
      const lane = laneOf(client);
      await enter(lane);
      try {
        return await task();
      } finally {
        leave(client, lane);
      }
    },
  };
}
