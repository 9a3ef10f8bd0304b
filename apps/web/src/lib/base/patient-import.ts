/** The site may be restarting, or a line be bad for a moment. */
const RETRY_MS = 5000;
/** So many failures are trouble that somebody should be told of. */
const TROUBLE = 2;

const whenBetter = () =>
  new Promise<unknown>((resolve) =>
    navigator.onLine ? setTimeout(resolve, RETRY_MS) : addEventListener('online', resolve, { once: true }),
  );

/**
 * Loads code for something that can wait, and never fails: what is lazy in a page would take the page down with it, and
 * the uploads that run there. Without a network the code comes once there is one. What can't be had otherwise, since a
 * newer version of the site may have taken its place, is asked for again and again.
 * @param onTrouble called once, when it fails though there is a network
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
