import { createWindowMaker } from '@satchel/client/send/bytes/window-maker';
import { encodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { createHeader } from '@satchel/container/seal';
import { AppError } from '@satchel/contract/errors';
import { afterEach, expect, test, vi } from 'vitest';
import { createSealing } from './sealing-client.ts';
import type { FromSealing, ToSealing } from './sealing-messages.ts';

/** The sealing worker's own code in this thread, each with its own scope. */
async function sealingWorker(): Promise<Worker> {
  const listeners: ((event: MessageEvent<ToSealing>) => void)[] = [];
  const worker = { onmessage: null, onerror: null, terminate: () => undefined } as unknown as Worker;
  vi.stubGlobal('addEventListener', (_type: string, listener: (typeof listeners)[number]) => listeners.push(listener));
  vi.stubGlobal('postMessage', (data: FromSealing) => worker.onmessage?.({ data } as MessageEvent<FromSealing>));
  vi.resetModules();
  await import('./sealing-worker.ts');
  return Object.assign(worker, {
    postMessage: (data: ToSealing) => {
      for (const listener of listeners) listener({ data } as MessageEvent<ToSealing>);
    },
  });
}

const SIZE = 100_000;
const file = new Blob([new Uint8Array(SIZE).fill(7)]);
const keys = await importKeys(newFolderKey());
const { prefix } = encodeHeader(createHeader({ sizeBytes: SIZE, name: 'a', type: '' }));
const ingredients = { file, keys, prefix };
afterEach(() => vi.unstubAllGlobals());

test('a worker makes the same bytes and tags as this thread', async () => {
  const worker = await sealingWorker();
  const here = await createWindowMaker(ingredients).make(0, 50_000, new ArrayBuffer(50_000));
  const there = await createSealing(ingredients, () => worker).make(0, 50_000, new ArrayBuffer(50_000));
  expect(Buffer.compare(new Uint8Array(there.buffer), new Uint8Array(here.buffer))).toBe(0);
  expect(there.tags).toEqual(here.tags);
});

test('a failure comes with its code', async () => {
  const worker = await sealingWorker();
  const sealing = createSealing({ ...ingredients, file: file.slice(0, 10) }, () => worker);
  await expect(sealing.make(0, 50_000, new ArrayBuffer(50_000))).rejects.toMatchObject({ code: 'upload.stream_size' });
});

test('where the script of the worker can’t be had, the windows are made in this thread', async () => {
  const worker = { postMessage: () => undefined, terminate: () => undefined } as unknown as Worker;
  const here = await createWindowMaker(ingredients).make(0, 50_000, new ArrayBuffer(50_000));
  const sealing = createSealing(ingredients, () => worker);
  const before = sealing.make(0, 50_000, new ArrayBuffer(50_000));
  worker.onerror?.({ preventDefault: () => undefined } as ErrorEvent);
  const after = sealing.make(0, 50_000, new ArrayBuffer(50_000));
  for (const made of [await before, await after])
    expect(Buffer.compare(new Uint8Array(made.buffer), new Uint8Array(here.buffer))).toBe(0);
});

test('what is in the making is given up where the maker is ended, and where a worker failed that had answered', async () => {
  const silent = { postMessage: () => undefined, terminate: () => undefined } as unknown as Worker;
  const sealing = createSealing(ingredients, () => silent);
  const made = sealing.make(0, 10, new ArrayBuffer(10));
  sealing.close();
  await expect(made).rejects.toBeInstanceOf(AppError);

  const worker = await sealingWorker();
  const other = createSealing(ingredients, () => worker);
  await other.make(0, 10, new ArrayBuffer(10));
  const second = other.make(10, 20, new ArrayBuffer(10));
  worker.onerror?.({ preventDefault: () => undefined } as ErrorEvent);
  await expect(second).rejects.toBeInstanceOf(AppError);
});
