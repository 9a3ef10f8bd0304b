const HOUR_MS = 3_600_000;
/** Choices in hours from now, if the folder may live that long. */
const HOURS = [0.5, 1, 3, 6, 12, 24, 72, 168] as const;
/** A folder that would end sooner than this needs a confirmation. */
const SOON_MS = HOUR_MS;
/** Ends closer together than this count as equal. */
const SAME_MS = 60_000;

export interface FolderTimes {
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** FOLDER_LIFETIME_HOURS. */
  readonly lifetimeHours: number;
}

/** The latest end that the server accepts; a folder created under a longer limit keeps its end. */
export const latestEndMs = ({ createdAtMs, expiresAtMs, lifetimeHours }: FolderTimes): number =>
  Math.max(expiresAtMs, createdAtMs + lifetimeHours * HOUR_MS);

/** Whether the folder could still live longer. */
export const canExtend = (times: FolderTimes): boolean => latestEndMs(times) - times.expiresAtMs > SAME_MS;

/** The offered ends, in hours from now, before the latest end. */
export const hoursToChoose = (times: FolderTimes, nowMs: number): readonly number[] =>
  HOURS.filter((hours) => nowMs + hours * HOUR_MS < latestEndMs(times) - SAME_MS);

/** `'keep'`, `'latest'`, or hours from now. */
export type EndChoice = 'keep' | 'latest' | number;

/** End of the folder for a choice, in milliseconds since the epoch. */
export function chosenEndMs(choice: EndChoice, times: FolderTimes, nowMs: number): number {
  if (choice === 'keep') return times.expiresAtMs;
  return choice === 'latest' ? latestEndMs(times) : nowMs + choice * HOUR_MS;
}

/** Whether a choice ends the folder so soon that it needs a confirmation. */
export const endsTooSoon = (endMs: number, times: FolderTimes, nowMs: number): boolean =>
  endMs < times.expiresAtMs && endMs - nowMs <= SOON_MS;
