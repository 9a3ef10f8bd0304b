import { expect, test } from 'vitest';
import { createHandingOut } from './handing-out.ts';

type Run = () => Promise<void> | void;

/** The browser's locks, as far as they are used here: an exclusive one waits for all before it, and all after it wait. */
function newLocks() {
  const held: LockInfo[] = [];
  const pending: (LockInfo & { readonly grant: () => void })[] = [];
  const mayBegin = (mode: LockMode) => held.length === 0 || (mode === 'shared' && held[0]?.mode === 'shared');
  function grantNext(): void {
    while (pending[0] && mayBegin(pending[0].mode!)) pending.shift()?.grant();
  }
  async function request(name: string, ...rest: [{ mode: LockMode }, Run] | [Run]): Promise<void> {
    const [{ mode }, run] = rest.length === 1 ? [{ mode: 'exclusive' as const }, rest[0]] : rest;
    const lock: LockInfo = { name, mode };
    await new Promise<void>((resolve) => {
      pending.push({ ...lock, grant: () => resolve(void held.push(lock)) });
      grantNext();
    });
    await run();
    held.splice(held.indexOf(lock), 1);
    grantNext();
  }
  return {
    request: request as unknown as LockManager['request'],
    query: async (): Promise<LockManagerSnapshot> => ({ held: [...held], pending: [...pending] }),
  };
}

test('a worker is idle before it hands out, and once all that it handed out has ended', async () => {
  const locks = newLocks();
  const [older, newer] = [createHandingOut(locks), createHandingOut(locks)];
  expect(await newer.isIdle()).toBe(true);
  const ends = [older.begin(), older.begin()];
  expect(await newer.isIdle()).toBe(false);
  let isSettled = false;
  const settled = newer.settled().then(() => {
    isSettled = true;
  });
  ends[0]?.();
  expect(await newer.isIdle()).toBe(false);
  expect(isSettled).toBe(false);
  ends[1]?.();
  await settled;
  expect(await newer.isIdle()).toBe(true);
});

test('it is not idle while something waits that began after the newer one had asked', async () => {
  const locks = newLocks();
  const [older, newer] = [createHandingOut(locks), createHandingOut(locks)];
  const end = older.begin();
  const settled = newer.settled();
  older.begin();
  end();
  expect(await newer.isIdle()).toBe(false);
  await settled;
  expect(await newer.isIdle()).toBe(false);
});

test('where the browser has no locks, nothing waits', async () => {
  const handingOut = createHandingOut(undefined);
  handingOut.begin();
  await handingOut.settled();
  expect(await handingOut.isIdle()).toBe(true);
});
