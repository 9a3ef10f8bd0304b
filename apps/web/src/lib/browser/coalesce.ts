export interface Coalesced {
  /** Acts at once, or, soon after the last time, when the pause is over. */
  readonly run: () => void;
  /** Gives up what still waits. */
  readonly stop: () => void;
}

/**
 * Lets many calls become few: the first acts at once, those that come within `everyMs` of it act together at its end.
 * @param everyMs the least time between two acts, in milliseconds
 */
export function coalesce(act: () => void, everyMs: number): Coalesced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWanted = false;
  function begin(): void {
    isWanted = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isWanted) begin();
    }, everyMs);
    act();
  }
  return {
    run() {
      if (timer === undefined) begin();
      else isWanted = true;
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      isWanted = false;
    },
  };
}
