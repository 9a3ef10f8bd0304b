import { setTimeout as sleep } from 'node:timers/promises';
import { deadline } from '@satchel/contract/testing/pace';

/** Sweeps run at each start, and then every few minutes. */
export const SWEPT_WITHIN_MS = deadline(60);

/** @returns whether `isSo` answered yes before the time was over */
export async function within(limitMs: number, isSo: () => boolean | Promise<boolean>, everyMs = 200): Promise<boolean> {
  const untilMs = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > untilMs) return false;
    await sleep(everyMs);
  }
  return true;
}
