/** The site may be restarting, or a line be bad for a moment. */
const RETRY_MS = 5000;
/** So many tries in a row that failed are trouble that somebody should be told of. */
const TROUBLE_TRIES = 2;

const online = () => new Promise<unknown>((resolve) => addEventListener('online', resolve, { once: true }));
const pause = () => new Promise<unknown>((resolve) => setTimeout(resolve, RETRY_MS));

/**
 * Loads code for something that can wait, and never fails: what is lazy in a page would take the page down with it, and
 * the uploads that run there. Without a network the code comes once there is one. What can't be had otherwise, since a
 * newer version of the site may have taken its place, is asked for again and again.
 * @param onTrouble called once, when it fails though there is a network
 */
export async function importPatiently<T>(load: () => Promise<T>, onTrouble?: () => void): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await load();
    } catch {
      if (!navigator.onLine) {
        await online();
        continue;
      }
      failures += 1;
      if (failures === TROUBLE_TRIES) onTrouble?.();
      await pause();
    }
  }
}
