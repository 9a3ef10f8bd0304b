import { AppError } from '@satchel/contract/errors';
import { BEARER_RENEW_MS } from '@satchel/contract/limits';

/** The bearer could not be had right now: the upload waits and tries again, as for any failed connection. */
export class BearerUnavailable extends Error {
  constructor(cause: unknown) {
    super('The bearer could not be renewed', { cause });
    this.name = 'BearerUnavailable';
  }
}

/** The storage bearer, in this worker's memory only: never in a URL, never in storage. */
export interface Bearer {
  /** @throws AppError when signed out; BearerUnavailable when the server can't be reached */
  get(): Promise<string>;
  /** The server has refused it: the next one must be new. */
  refuse(): void;
}

/** A bearer that the page hands out is good for this long at least; half of it is used, the rest is for the request. */
const FRESH_MS = BEARER_RENEW_MS / 2;

/**
 * @param ask gets a bearer with at least BEARER_RENEW_MS left from the page
 */
export function createBearer(ask: (renew: boolean) => Promise<string>, nowMs: () => number = Date.now): Bearer {
  let held: { token: string; sinceMs: number } | null = null;
  let refused = false;

  async function renew(): Promise<string> {
    try {
      const token = await ask(refused);
      held = { token, sinceMs: nowMs() };
      refused = false;
      return token;
    } catch (error) {
      if (error instanceof AppError && (error.status === 401 || error.status === 403)) throw error;
      throw new BearerUnavailable(error);
    }
  }

  return {
    async get() {
      const isFresh = held !== null && nowMs() - held.sinceMs < FRESH_MS;
      return held && isFresh ? held.token : renew();
    },
    refuse() {
      held = null;
      refused = true;
    },
  };
}
