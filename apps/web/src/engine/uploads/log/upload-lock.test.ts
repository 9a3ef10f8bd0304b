import { describe, expect, test } from 'vitest';
import { holdUploadLock, sweepDeadUploads } from './upload-lock.ts';

/** Node has Web Locks from 24.5 on. An older one gets the part that is used here. */
function locksOfOlderNode(): Pick<LockManager, 'request'> {
  const held = new Map<string, { mode: LockMode; count: number }>();
  async function request(
    name: string,
    { mode = 'exclusive', ifAvailable }: LockOptions,
    work: LockGrantedCallback<unknown>,
  ) {
    for (let now = held.get(name); now && (mode === 'exclusive' || now.mode === 'exclusive'); now = held.get(name)) {
      if (ifAvailable) return work(null);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const lock = held.get(name) ?? { mode, count: 0 };
    held.set(name, lock);
    lock.count += 1;
    try {
      return await work({ name, mode });
    } finally {
      lock.count -= 1;
      if (lock.count === 0) held.delete(name);
    }
  }
  return { request: request as LockManager['request'] };
}
if (!navigator.locks) Object.defineProperty(navigator, 'locks', { value: locksOfOlderNode() });

describe('a sweep', () => {
  test('acts on dead uploads only', async () => {
    const release = await holdUploadLock('alive');
    const swept: string[] = [];
    await sweepDeadUploads(['dead', 'alive'], async (uploadId) => {
      swept.push(uploadId);
    });
    release?.();
    expect(swept).toEqual(['dead']);
  });

  test('does not keep a tab from resuming an upload that the sweep checks', async () => {
    const looking = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const sweeping = sweepDeadUploads(['dead'], () => {
      looking.resolve();
      return goOn.promise;
    });
    await looking.promise;
    const held = holdUploadLock('dead');
    goOn.resolve();
    const release = await held;
    expect(release).not.toBeNull();
    release?.();
    await sweeping;
  });
});

test('the lock of a running upload is held once', async () => {
  const release = await holdUploadLock('alive');
  expect(await holdUploadLock('alive')).toBeNull();
  release?.();
  const again = await holdUploadLock('alive', 1000);
  expect(again).not.toBeNull();
  again?.();
});
