const nameOf = (uploadId: string) => `satchel-upload-${uploadId}`;

/**
 * Takes the lock of one upload, which its worker holds for as long as it lives: two tabs never write one upload, and
 * whatever is left of an upload whose lock is free belongs to a dead worker.
 * @param waitMs how long to wait for whoever holds it
 * @returns what gives it back, or null when someone else holds it
 */
export async function holdUploadLock(uploadId: string, waitMs = 0): Promise<(() => void) | null> {
  const held = Promise.withResolvers<(() => void) | null>();
  const options: LockOptions = waitMs > 0 ? { signal: AbortSignal.timeout(waitMs) } : { ifAvailable: true };
  navigator.locks
    .request(nameOf(uploadId), options, (lock) => {
      if (!lock) return held.resolve(null);
      const until = Promise.withResolvers<void>();
      held.resolve(() => until.resolve());
      return until.promise;
    })
    .catch(() => held.resolve(null));
  return held.promise;
}
