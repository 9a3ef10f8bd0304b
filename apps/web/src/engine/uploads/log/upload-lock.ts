const PREFIX = 'satchel-upload-';
const nameOf = (uploadId: string) => `${PREFIX}${uploadId}`;
/** Shared by all who are taking the lock of an upload, and held alone while dead uploads are looked for. */
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
 * Takes the lock of one upload, which its worker holds for as long as it lives: two tabs never write one upload, and
 * whatever is left of an upload whose lock is free belongs to a dead worker.
 * @param waitMs how long to wait for whoever holds it
 * @returns what gives it back, or null when someone else holds it
 */
export async function holdUploadLock(uploadId: string, waitMs = 0): Promise<(() => void) | null> {
  // A sweep holds the locks of dead uploads for a moment: whoever would go on with one must not take it for a living one.
  const endShare = await take(SWEEP, { mode: 'shared' });
  const options: LockOptions = waitMs > 0 ? { signal: AbortSignal.timeout(waitMs) } : { ifAvailable: true };
  const release = await take(nameOf(uploadId), options);
  endShare?.();
  return release;
}

/** The uploads that a worker of this browser, in whatever tab, is at. */
export async function runningUploads(): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? name.slice(PREFIX.length) : [])));
}

/** Acts on those of the uploads that no worker holds, each under its lock. Does nothing while another one is at it. */
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
