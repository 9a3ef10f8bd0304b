import { KIB } from '@satchel/contract/limits';

/**
 * How slow a sender may be. A line of 2 KB/s is slow and honest; one that lets a byte fall now and then only holds a
 * connection. Judged is the time that we wait for it, not the time that it waits for our disk.
 */
export interface PaceLimits {
  /** Of waiting; also how long a sender may say nothing at all. */
  readonly windowMs: number;
  /** What has to come in each window. */
  readonly minBytes: number;
}

/** 1 KiB/s over a minute: a telephone in a tunnel gets over it, and so does any line that would ever finish a file. */
export const PACE: PaceLimits = { windowMs: 60_000, minBytes: 60 * KIB };

export interface Pace {
  readonly waitedMs: number;
  readonly receivedBytes: number;
  readonly isTooSlow: boolean;
}

/** Whoever begins has a whole window to come up to speed. */
export const PACE_AT_START: Pace = { waitedMs: 0, receivedBytes: 0, isTooSlow: false };

/** What is known of a sender after some more waiting and some more bytes. */
export function nextPace(pace: Pace, came: { waitedMs: number; bytes: number }, limits: PaceLimits): Pace {
  const waitedMs = pace.waitedMs + came.waitedMs;
  const receivedBytes = pace.receivedBytes + came.bytes;
  if (waitedMs < limits.windowMs) return { waitedMs, receivedBytes, isTooSlow: false };
  return { ...PACE_AT_START, isTooSlow: receivedBytes < limits.minBytes };
}
