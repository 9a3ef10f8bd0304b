/** Transfer speed, measured over the last seconds. */

export interface SpeedSample {
  readonly atMs: number;
  /** Bytes sent until then; never falls. */
  readonly sentBytes: number;
}

/** Long enough to even out requests of 6 MiB, short enough to follow a change of network. */
const WINDOW_MS = 10_000;
/** Less time than this says nothing yet. */
const LEAST_MS = 900;

/** The samples of the window, with a new one. */
export function addSample(samples: readonly SpeedSample[], sample: SpeedSample): readonly SpeedSample[] {
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= WINDOW_MS), sample];
}

export interface Speed {
  /** Null as long as nothing can be said. */
  readonly speedBytesPerSecond: number | null;
  readonly secondsLeft: number | null;
}

/**
 * Speed over the window, and the time that the rest takes at that speed.
 * @param remainingBytes what is yet to be sent
 */
export function measureSpeed(samples: readonly SpeedSample[], remainingBytes: number): Speed {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.atMs - first.atMs < LEAST_MS) return { speedBytesPerSecond: null, secondsLeft: null };
  const speedBytesPerSecond = ((last.sentBytes - first.sentBytes) * 1000) / (last.atMs - first.atMs);
  const secondsLeft = speedBytesPerSecond > 0 ? Math.ceil(remainingBytes / speedBytesPerSecond) : null;
  return { speedBytesPerSecond, secondsLeft };
}
