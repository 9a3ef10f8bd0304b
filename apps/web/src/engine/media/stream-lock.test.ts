import { expect, test } from 'vitest';
import { createStreamLock } from './stream-lock.ts';

type Run = (lock: Lock | null) => unknown;

/** The browser's locks, as far as they are used here: an exclusive one waits for all before it, and all after it wait. */
function newLocks() {
  const held: LockInfo[] = [];
  const pending: (LockInfo & { readonly grant: () => void })[] = [];
  const mayBegin = ({ name, mode }: LockInfo) =>
    held.every((other) => other.name !== name || (mode === 'shared' && other.mode === 'shared'));
  function grantNext(): void {
    const isNext = (lock: LockInfo, at: number) => pending.findIndex(({ name }) => name === lock.name) === at;
    for (let at = pending.findIndex((lock, place) => isNext(lock, place) && mayBegin(lock)); at !== -1; ) {
      pending.splice(at, 1)[0]?.grant();
      at = pending.findIndex((lock, place) => isNext(lock, place) && mayBegin(lock));
    }
  }
  async function request(name: string, ...rest: [LockOptions, Run] | [Run]): Promise<void> {
    const [{ mode = 'exclusive', ifAvailable }, run] = rest.length === 1 ? [{} as LockOptions, rest[0]] : rest;
    const lock: LockInfo = { name, mode };
    if (ifAvailable && (pending.some((other) => other.name === name) || !mayBegin(lock))) return void (await run(null));
    await new Promise<void>((resolve) => {
      pending.push({ ...lock, grant: () => resolve(void held.push(lock)) });
      grantNext();
    });
    await run(lock as Lock);
    held.splice(held.indexOf(lock), 1);
    grantNext();
  }
  return {
    request: request as unknown as LockManager['request'],
    query: async (): Promise<LockManagerSnapshot> => ({ held: [...held], pending: [...pending] }),
  };
}

const never = new Promise<never>(() => {});

/** Two workers of one site, and what each has said. */
function newWorkers(over: Promise<unknown> = never) {
  const locks = newLocks();
  const [older, newer] = [createStreamLock(locks), createStreamLock(locks)];
  let replacements = 0;
  const takeOver = async (): Promise<number> => {
    await newer.takeOver(
      async () => void replacements++,
      () => over,
    );
    return replacements;
  };
  return { older, newer, takeOver };
}

test('a worker is replaced before it hands out, and once all that it handed out has ended', async () => {
  const { older, newer, takeOver } = newWorkers(Promise.resolve());
  expect(await takeOver()).toBe(1);
  const ends = [await older.begin(), await older.begin()];
  expect(await takeOver()).toBe(1);
  let isSettled = false;
  const settled = newer.settled().then(() => {
    isSettled = true;
  });
  ends[0]?.();
  expect(await takeOver()).toBe(1);
  expect(isSettled).toBe(false);
  ends[1]?.();
  await settled;
  expect(await takeOver()).toBe(2);
});

test('it is not while something waits that began after the newer one had asked', async () => {
  const { older, newer, takeOver } = newWorkers();
  const end = await older.begin();
  const settled = newer.settled();
  const later = await older.begin();
  end?.();
  expect(await takeOver()).toBe(0);
  await settled;
  expect(await takeOver()).toBe(0);
  later?.();
  await newer.settled();
  expect(await takeOver()).toBe(1);
});

test('it begins nothing while it is being replaced, and again where that does not come about', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { older, takeOver } = newWorkers(over);
  expect(await takeOver()).toBe(1);
  expect(await older.begin()).toBe(null);
  end();
  await expect.poll(() => older.begin()).toBeTypeOf('function');
});

test('it begins again, too, where the browser waits with the replacement', async () => {
  const locks = newLocks();
  const [older, newer] = [createStreamLock(locks), createStreamLock(locks)];
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  void newer.takeOver(
    () => never,
    () => over,
  );
  await expect.poll(() => older.begin()).toBe(null);
  end();
  await expect.poll(() => older.begin()).toBeTypeOf('function');
});

test.each([0, 1, 2, 3, 4, 5])('of two at the same moment, one gives way (%d turns apart)', async (turns) => {
  for (const isOlderFirst of [true, false]) {
    const { older, takeOver } = newWorkers();
    const [first, second] = isOlderFirst ? [older.begin, takeOver] : [takeOver, older.begin];
    const begun: Promise<unknown>[] = [first()];
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    begun.push(second());
    const [end, replacements] = isOlderFirst ? await Promise.all(begun) : (await Promise.all(begun)).reverse();
    expect(end !== null && replacements === 1).toBe(false);
  }
});

test('a newer worker that the browser refuses says so', async () => {
  const refused = createStreamLock(newLocks()).takeOver(
    () => Promise.reject(new TypeError('no')),
    () => never,
  );
  await expect(refused).rejects.toThrow('no');
});
