import { expect, test, vi } from 'vitest';
import { holdUploadLock } from './upload-lock.ts';

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

test('the lock of a running upload is held once', async () => {
  const release = await holdUploadLock('alive');
  expect(await holdUploadLock('alive')).toBeNull();
  release?.();
  const again = await holdUploadLock('alive', 1000);
  expect(again).not.toBeNull();
  again?.();
});

test('a browser that refuses locks uploads without them: it keeps no log that two tabs could write', async () => {
  const refused = async () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  vi.spyOn(navigator.locks, 'request').mockImplementation(refused as LockManager['request']);
  expect(await holdUploadLock('refused')).not.toBeNull();
  vi.restoreAllMocks();
  vi.spyOn(navigator, 'locks', 'get').mockImplementation(() => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  });
  expect(await holdUploadLock('refused')).not.toBeNull();
  vi.restoreAllMocks();
});
