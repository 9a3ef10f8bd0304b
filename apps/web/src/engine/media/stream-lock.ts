/**
 * Whether a service worker of this site hands out files. The browser ends a worker that a newer one replaces, Chromium at
 * once or after five minutes, and what it was handing out is cut: so a newer one waits, and while it takes over, the one
 * before begins nothing more. Locks are all that both know, and the browser releases those of a worker which it ended.
 *
 * Each first says what it is about to do, then looks at what the other has said: of two that do so at the same moment at
 * least one sees the other.
 */
export interface HandingOut {
  /** Begins to hand out. @returns ends it; null while a newer worker takes over, which is to be asked instead */
  begin(): Promise<(() => void) | null>;
  /**
   * Takes over from the worker before, unless that hands out files.
   * @param replace asks the browser to replace the worker; its promise may settle late
   * @param over resolves once it has, or is not waited for any longer
   */
  takeOver(replace: () => Promise<void>, over: () => Promise<unknown>): Promise<void>;
  /** Resolves once all has ended that is handed out now; more may have begun. */
  settled(): Promise<void>;
}

/** Longer than a browser takes that may replace at once. Chromium waits longer where the worker before has other work. */
export const TAKEOVER_MS = 3000;

const DELIVERY = 'satchel-handing-out';
const TAKEOVER = 'satchel-taking-over';

/** @param locks undefined where the browser has none: then nothing waits */
export function createHandingOut(locks: Pick<LockManager, 'request' | 'query'> | undefined): HandingOut {
  async function isAsked(asked: string, mode: LockMode): Promise<boolean> {
    const { held = [], pending = [] } = (await locks?.query()) ?? {};
    return [...held, ...pending].some((lock) => lock.name === asked && lock.mode === mode);
  }

  return {
    async begin() {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      locks?.request(DELIVERY, { mode: 'shared' }, () => ended).catch(() => {}); // then a newer worker does not wait
      if (!(await isAsked(TAKEOVER, 'exclusive'))) return end;
      end();
      return null;
    },

    takeOver(replace, over) {
      if (!locks) return replace();
      const { promise: answered, resolve, reject } = Promise.withResolvers<void>();
      const unlessHandingOut = async (lock: Lock | null): Promise<unknown> => {
        if (lock === null || (await isAsked(DELIVERY, 'shared'))) return resolve();
        // Not awaited: Chromium resolves it once the previous worker is idle, and requests that wait for this lock keep that worker busy.
        replace().then(resolve, reject);
        return over();
      };
      locks.request(TAKEOVER, { ifAvailable: true }, unlessHandingOut).catch(reject);
      return answered;
    },

    async settled() {
      await locks?.request(DELIVERY, () => {});
    },
  };
}
