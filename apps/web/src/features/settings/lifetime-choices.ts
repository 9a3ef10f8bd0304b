const HOUR_MS = 3_600_000;
/** Hours from now that are offered, as far as the folder may live. */
const HOURS = [0.5, 1, 3, 6, 12, 24, 72, 168] as const;
/** A folder that ends sooner than this is asked about first. */
const SOON_MS = HOUR_MS;
/** Ends that are closer together than this are the same to a person. */
const SAME_MS = 60_000;

export interface FolderTimes {
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** FOLDER_LIFETIME_HOURS. */
  readonly lifetimeHours: number;
}

/** The latest end that the server takes; a folder made under a longer limit keeps its time. */
export const latestEndMs = ({ createdAtMs, expiresAtMs, lifetimeHours }: FolderTimes): number =>
  Math.max(expiresAtMs, createdAtMs + lifetimeHours * HOUR_MS);

/** Whether the folder could still live longer. */
export const canExtend = (times: FolderTimes): boolean => latestEndMs(times) - times.expiresAtMs > SAME_MS;

/** Ends that can be chosen, in hours from now: those that come before the latest one. */
export const hoursToChoose = (times: FolderTimes, nowMs: number): readonly number[] =>
  HOURS.filter((hours) => nowMs + hours * HOUR_MS < latestEndMs(times) - SAME_MS);

/** `'keep'`, `'latest'`, or hours from now. */
export type EndChoice = 'keep' | 'latest' | number;

/** When the folder ends by that choice, in milliseconds since the epoch. */
export function chosenEndMs(choice: EndChoice, times: FolderTimes, nowMs: number): number {
  if (choice === 'keep') return times.expiresAtMs;
  return choice === 'latest' ? latestEndMs(times) : nowMs + choice * HOUR_MS;
}

/** Shortening a folder's life so far that it is over soon is asked about first. */
export const endsTooSoon = (endMs: number, times: FolderTimes, nowMs: number): boolean =>
  endMs < times.expiresAtMs && endMs - nowMs <= SOON_MS;
