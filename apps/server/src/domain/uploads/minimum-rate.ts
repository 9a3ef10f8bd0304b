import { KIB } from '@satchel/contract/limits';

/**
 * The minimum rate of a sender. A slow sender of 2 KB/s is served; a byte now and then only holds a connection. The
 * rate counts the time that the server waits for the sender, not the time that the sender waits for the disk.
 */
export interface RateMinimum {
  /** Time of waiting in a window; also how long a sender may be silent. */
  readonly windowMs: number;
  /** Bytes that each window has to receive. */
  readonly minBytes: number;
}

/**
 * 1 KiB/s over a minute: a telephone that loses its line in a tunnel stays above it, and so does every line that could
 * finish a file.
 */
export const MINIMUM_RATE: RateMinimum = { windowMs: 60_000, minBytes: 60 * KIB };

export interface MeasuredRate {
  readonly waitedMs: number;
  readonly receivedBytes: number;
  readonly isTooSlow: boolean;
}

/** A new sender has a whole window to reach the minimum. */
export const RATE_AT_START: MeasuredRate = { waitedMs: 0, receivedBytes: 0, isTooSlow: false };

/** The rate after some more waiting and some more bytes. */
export function nextRate(
  rate: MeasuredRate,
  received: { waitedMs: number; bytes: number },
  limits: RateMinimum,
): MeasuredRate {
  const waitedMs = rate.waitedMs + received.waitedMs;
  const receivedBytes = rate.receivedBytes + received.bytes;
  if (waitedMs < limits.windowMs) return { waitedMs, receivedBytes, isTooSlow: false };
  return { ...RATE_AT_START, isTooSlow: receivedBytes < limits.minBytes };
}
