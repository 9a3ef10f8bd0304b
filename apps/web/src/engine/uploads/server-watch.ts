/** How often a server that is away is asked whether it is back. */
const ASK_EVERY_MS = 5000;

export interface ServerWatch {
  /** Somebody waits for the server: it is asked until it is back. */
  begin(): void;
  end(): void;
}

/**
 * Asks for all uploads of a page whether a server that was away is back. A server that answers from the beginning has another
 * trouble than being away, and uploads then keep to their own pauses.
 */
export function createServerWatch(isThere: () => Promise<boolean>, onBack: () => void): ServerWatch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWatching = false;
  let wasAway = false;

  async function ask(): Promise<void> {
    const answers = await isThere();
    if (!isWatching) return;
    if (answers) {
      isWatching = false;
      if (wasAway) onBack();
      return;
    }
    wasAway = true;
    timer = setTimeout(ask, ASK_EVERY_MS);
  }

  return {
    begin() {
      if (isWatching) return;
      isWatching = true;
      wasAway = false;
      void ask();
    },
    end() {
      isWatching = false;
      clearTimeout(timer);
    },
  };
}
