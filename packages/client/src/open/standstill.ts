/** What has not moved for so long is said to stand still. */
export const STILL_MS = 20_000;

export interface StandstillWatch {
  /** Something has moved. */
  touch(): void;
  stop(): void;
}

/** Calls `onStill` once nothing has moved for {@link STILL_MS}, and again after each further time that it moves and stops. */
export function watchStandstill(onStill: () => void): StandstillWatch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  function touch(): void {
    stop();
    timer = setTimeout(onStill, STILL_MS);
  }
  touch();
  return { touch, stop };
}
