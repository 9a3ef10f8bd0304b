/**
 * Whether a service worker of this site hands out files. The browser ends a worker that a newer one replaces, Chromium after
 * five minutes, and what it was handing out is cut: so a newer one waits. The lock is all that both know, and the browser
 * releases that of a worker which it ended.
 */
export interface HandingOut {
  /** Begins to hand out. @returns ends it */
  begin(): () => void;
  isIdle(): Promise<boolean>;
  /** Resolves once all has ended that is handed out now; more may have begun. */
  settled(): Promise<void>;
}

const LOCK = 'satchel-handing-out';

/** @param locks undefined where the browser has none: then nothing waits */
export const createHandingOut = (locks: Pick<LockManager, 'request' | 'query'> | undefined): HandingOut => ({
  begin() {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    locks?.request(LOCK, { mode: 'shared' }, () => ended).catch(() => {}); // then a newer worker does not wait
    return end;
  },
  async isIdle() {
    const { held = [], pending = [] } = (await locks?.query()) ?? {};
    return [...held, ...pending].every(({ name, mode }) => name !== LOCK || mode !== 'shared');
  },
  async settled() {
    await locks?.request(LOCK, () => {});
  },
});
