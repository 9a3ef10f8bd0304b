/**
 * Keeps a newer service worker from replacing one that is streaming. The browser ends a replaced worker, Chromium at once or
 * after five minutes, and its streams are cut. So a newer worker waits, and while it takes over, the older one begins no
 * stream. Both know only the locks, and the browser releases the locks of an ended worker.
 *
 * Each worker first asks for its lock, then looks at the other's: of two that do so at the same moment at least one sees the
 * other.
 */
export interface StreamLock {
  /** Begins a stream. @returns ends it; null while a newer worker takes over, which the caller should ask instead */
  begin(): Promise<(() => void) | null>;
  /**
   * Takes over from the older worker, unless that is streaming.
   * @param replace asks the browser to replace the worker; its promise may settle late
   * @param over resolves once the browser has replaced it, or has taken too long
   */
  takeOver(replace: () => Promise<void>, over: () => Promise<unknown>): Promise<void>;
  /** Resolves once all present streams have ended; new ones may have begun. */
  settled(): Promise<void>;
}

/** Longer than a browser takes that may replace at once. Chromium waits longer if the older worker has other work. */
export const TAKEOVER_MS = 3000;

const DELIVERY = 'satchel-handing-out';
const TAKEOVER = 'satchel-taking-over';

export function createStreamLock(locks: Pick<LockManager, 'request' | 'query'>): StreamLock {
  async function isAsked(asked: string, mode: LockMode): Promise<boolean> {
    const { held = [], pending = [] } = await locks.query();
    return [...held, ...pending].some((lock) => lock.name === asked && lock.mode === mode);
  }

  return {
    async begin() {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      locks.request(DELIVERY, { mode: 'shared' }, () => ended).catch(() => {}); // then a newer worker does not wait
      if (!(await isAsked(TAKEOVER, 'exclusive'))) return end;
      end();
      return null;
    },

    takeOver(replace, over) {
      const { promise: answered, resolve, reject } = Promise.withResolvers<void>();
      const unlessStreaming = async (lock: Lock | null): Promise<unknown> => {
        if (lock === null || (await isAsked(DELIVERY, 'shared'))) return resolve();
        // Not awaited: Chromium resolves it once the previous worker is idle, and requests that wait for this lock keep that worker busy.
        replace().then(resolve, reject);
        return over();
      };
      locks.request(TAKEOVER, { ifAvailable: true }, unlessStreaming).catch(reject);
      return answered;
    },

    async settled() {
      await locks.request(DELIVERY, () => {});
    },
  };
}
