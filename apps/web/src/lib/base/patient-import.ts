/** The site may be restarting, or the connection may drop for a moment. */
const RETRY_MS = 5000;
/** Failures before `onTrouble` is called. */
const TROUBLE = 2;

const whenBetter = () =>
  new Promise<unknown>((resolve) =>
    navigator.onLine ? setTimeout(resolve, RETRY_MS) : addEventListener('online', resolve, { once: true }),
  );

/**
 * Loads code that can wait, and never rejects: a lazy component whose import fails would take down the page and the
 * uploads that run there. Offline, the import waits for the network. Other failures, such as a newer version of the site
 * that replaced the file, are retried without end.
 * @param onTrouble called once, after repeated failures with a network
 */
export async function importPatiently<T>(load: () => Promise<T>, onTrouble?: () => void): Promise<T> {
  for (let failures = 0; ; await whenBetter()) {
    try {
      return await load();
    } catch {
      if (navigator.onLine && ++failures === TROUBLE) onTrouble?.();
    }
  }
}
