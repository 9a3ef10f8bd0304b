import { setImmediate as untilOthersAreHeard } from 'node:timers/promises';
import { AppError } from '@satchel/contract/errors';

/**
 * Lets each client have a few pieces of work under way at once. The rest waits in the order in which it came, and what would
 * wait behind too many is refused. So a client with hundreds of requests holds no more of the database than its share, and
 * the work of others comes in between.
 */

export interface ClientGateLimits {
  /** Pieces of work of one client under way at once. */
  readonly running: number;
  /** Pieces of work of one client that wait. */
  readonly waiting: number;
}

/** Two of the pool's ten connections. A page asks less at once than may wait, and so do many visitors behind one address. */
export const CLIENT_GATE: ClientGateLimits = { running: 2, waiting: 200 };

const RETRY_AFTER_SECONDS = 2;

export interface ClientGate {
  /**
   * Does a piece of work when its client's turn has come.
   * @throws request.busy when too much of this client's waits already; and what the work throws
   */
  run<Result>(client: string, work: () => Promise<Result>): Promise<Result>;
}

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

export function createClientGate({ running, waiting }: ClientGateLimits): ClientGate {
  /** Clients without any work are not in here. */
  const lanes = new Map<string, Lane>();

  function laneOf(client: string): Lane {
    const lane = lanes.get(client) ?? { running: 0, waiting: [] };
    lanes.set(client, lane);
    return lane;
  }

  async function enter(lane: Lane): Promise<void> {
    if (lane.running < running) {
      lane.running += 1;
      return;
    }
    if (lane.waiting.length >= waiting)
      throw new AppError('request.busy', { retry_after_seconds: RETRY_AFTER_SECONDS });
    // Work that ends hands its place over, so that no later work can slip in between.
    await new Promise<void>((resolve) => lane.waiting.push(resolve));
    // Work that ends without waiting for anything would let hundreds of turns follow each other before the next request is read.
    await untilOthersAreHeard();
  }

  function leave(client: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next) next();
    else lane.running -= 1;
    if (lane.running === 0) lanes.delete(client);
  }

  return {
    async run(client, work) {
      const lane = laneOf(client);
      await enter(lane);
      try {
        return await work();
      } finally {
        leave(client, lane);
      }
    },
  };
}
