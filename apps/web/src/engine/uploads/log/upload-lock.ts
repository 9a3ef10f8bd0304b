import type { HoldLock } from '@satchel/client/send/ports';
import { deviceLocks } from '../../../lib/base/device.ts';

const PREFIX = 'satchel-upload-';
const nameOf = (uploadId: string) => `${PREFIX}${uploadId}`;

/**
 * Takes a lock; null when it can't be had. A browser that keeps nothing for the site refuses locks: then there is no log
 * either that two tabs could write.
 */
async function take(name: string, options: LockOptions): Promise<(() => void) | null> {
  const locks = deviceLocks();
  const nothingHeld = () => {};
  if (locks === null) return nothingHeld;
  const held = Promise.withResolvers<(() => void) | null>();
  locks
    .request(name, options, (lock) => {
      if (!lock) return held.resolve(null);
      const until = Promise.withResolvers<void>();
      held.resolve(() => until.resolve());
      return until.promise;
    })
    .catch((error: DOMException) => held.resolve(error.name === 'SecurityError' ? nothingHeld : null));
  return held.promise;
}

/**
 * Takes the lock of one upload. Its worker holds the lock as long as it runs: two tabs never write one upload, and an
 * upload whose lock is free belongs to a dead worker.
 * @param waitMs how long to wait for the present holder
 * @returns the release function, or null when the lock is held elsewhere
 */
export const holdUploadLock: HoldLock = (uploadId, waitMs = 0) =>
  take(nameOf(uploadId), waitMs > 0 ? { signal: AbortSignal.timeout(waitMs) } : { ifAvailable: true });

/** Ids of the uploads that run in any tab of this browser. */
export async function runningUploads(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await deviceLocks()?.query()) ?? {};
  return new Set(held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? name.slice(PREFIX.length) : [])));
}
