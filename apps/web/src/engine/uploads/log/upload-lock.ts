const PREFIX = 'satchel-upload-';
const nameOf = (uploadId: string) => `${PREFIX}${uploadId}`;
/** Shared while the lock of an upload is taken, and exclusive during a sweep for dead uploads. */
const SWEEP = 'satchel-upload-sweep';

/** Takes a lock; null when it can't be had. */
async function take(name: string, options: LockOptions): Promise<(() => void) | null> {
  const held = Promise.withResolvers<(() => void) | null>();
  navigator.locks
    .request(name, options, (lock) => {
      if (!lock) return held.resolve(null);
      const until = Promise.withResolvers<void>();
      held.resolve(() => until.resolve());
      return until.promise;
    })
    .catch(() => held.resolve(null));
  return held.promise;
}

/**
 * Takes the lock of one upload. Its worker holds the lock as long as it runs: two tabs never write one upload, and an
 * upload whose lock is free belongs to a dead worker.
 * @param waitMs how long to wait for the present holder
 * @returns the release function, or null when the lock is held elsewhere
 */
export async function holdUploadLock(uploadId: string, waitMs = 0): Promise<(() => void) | null> {
  // A sweep holds the locks of dead uploads for a moment: wait for it, or a resume would take a dead upload for a live one.
  const endShare = await take(SWEEP, { mode: 'shared' });
  const options: LockOptions = waitMs > 0 ? { signal: AbortSignal.timeout(waitMs) } : { ifAvailable: true };
  const release = await take(nameOf(uploadId), options);
  endShare?.();
  return release;
}

/** Ids of the uploads that run in any tab of this browser. */
export async function runningUploads(): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? name.slice(PREFIX.length) : [])));
}

/** Acts on the uploads that no worker holds, each under its lock. Does nothing during another sweep. */
export async function sweepDeadUploads(
  uploadIds: Iterable<string>,
  act: (uploadId: string) => Promise<void>,
): Promise<void> {
  const { locks } = navigator;
  await locks.request(SWEEP, { ifAvailable: true }, async (sweep) => {
    if (!sweep) return;
    for (const uploadId of uploadIds) {
      await locks.request(nameOf(uploadId), { ifAvailable: true }, async (lock) => {
        if (lock) await act(uploadId);
      });
    }
  });
}
