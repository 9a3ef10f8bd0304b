export interface Coalesced {
  /** Acts at once, or at the end of the pause after the last act. */
  readonly run: () => void;
  /** Cancels the pending act. */
  readonly stop: () => void;
}

/**
 * Throttles calls: the first acts at once; calls within `everyMs` of it act together when `everyMs` is over.
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
