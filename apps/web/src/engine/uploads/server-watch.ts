/** How often a server that is away is asked whether it is back. */
const ASK_EVERY_MS = 5000;

/** An upload that can be told to try at once. */
interface Waiting {
  hurry(): void;
}

/**
 * Asks for all uploads of a page whether a server that was away is back: they then try at once. A server that answers from the
 * beginning has another trouble than being away, and uploads then keep to their own pauses.
 * @returns notes whether an upload waits for the server
 */
export function createServerWatch(isThere: () => Promise<boolean>): (upload: Waiting, isWaiting: boolean) => void {
  const waiting = new Set<Waiting>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWatching = false;

  async function ask(wasAway: boolean): Promise<void> {
    const answers = await isThere();
    if (!isWatching) return;
    if (!answers) timer = setTimeout(ask, ASK_EVERY_MS, true);
    else {
      isWatching = false;
      if (wasAway) for (const one of waiting) one.hurry();
    }
  }

  return (upload, isWaiting) => {
    if (isWaiting) waiting.add(upload);
    else waiting.delete(upload);
    if (waiting.size === 0) {
      isWatching = false;
      clearTimeout(timer);
    } else if (!isWatching) {
      isWatching = true;
      void ask(false);
    }
  };
}
