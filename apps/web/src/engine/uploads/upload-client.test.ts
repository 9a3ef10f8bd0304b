import type { UploadEvent, UploadFolder } from '@satchel/client/send/order';
import { AppError } from '@satchel/contract/errors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createUpload, type UploadHandle } from './upload-client.ts';
import type { FromWorker, ToWorker } from './upload-messages.ts';

const folder: UploadFolder = {
  id: 'folder',
  slug: 'slug',
  bucket: 'unlocked-folders',
  bucket_storage_path: 'path',
  hide_names: true,
  link_mode: 'plain',
  expires_at: '2026-03-01T00:00:00Z',
};
const completed = { type: 'completed', objectName: 'path/a', fileUrl: '/a', header: null } as const;

/** A fake worker: records the page's messages, and sends its own. */
class WorkerEnd {
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  onerror: ((event: { preventDefault(): void }) => void) | null = null;
  heard: ToWorker[] = [];
  terminated = false;
  postMessage(message: ToWorker): void {
    this.heard.push(message);
  }
  terminate(): void {
    this.terminated = true;
  }
  say(data: FromWorker): void {
    this.onmessage?.({ data });
  }
}

let worker: WorkerEnd;
let givenBack: unknown[];
let events: UploadEvent[];
let discarded: string[];
let renewals: boolean[];
let online: boolean;
let waits: boolean[];
let isThere: boolean;
let workersTaken: number;
let networkListeners: Set<() => void>;
let tokenFailure: AppError | null;
let handle: UploadHandle;

beforeEach(() => {
  worker = new WorkerEnd();
  givenBack = [];
  events = [];
  discarded = [];
  renewals = [];
  online = true;
  waits = [];
  isThere = false;
  workersTaken = 0;
  networkListeners = new Set();
  tokenFailure = null;
  handle = createUpload(
    {
      file: new File(['a'], 'a'),
      strips: true,
      name: 'a',
      path: 'a',
      folder,
      keys: null,
      userId: 'mika',
      onEvent: (event) => events.push(event),
    },
    {
      takeWorker() {
        workersTaken += 1;
        return worker as unknown as Worker;
      },
      giveBack: (free) => givenBack.push(free),
      async token(renew) {
        renewals.push(renew);
        if (tokenFailure) throw tokenFailure;
        return 'bearer';
      },
      async discard(uploadId) {
        discarded.push(uploadId);
      },
      isOnline: () => online,
      followNetwork(listener) {
        networkListeners.add(listener);
        return () => networkListeners.delete(listener);
      },
      isThere: async () => isThere,
      onWaiting(_running, isWaiting) {
        waits.push(isWaiting);
      },
    },
  );
});

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('an upload as the page sees it', () => {
  test('starts with the order and the state of the network, and without a bearer', () => {
    expect(worker.heard).toHaveLength(1);
    expect(worker.heard[0]).toMatchObject({ type: 'start', online: true, order: { folder, userId: 'mika' } });
    expect(JSON.stringify(worker.heard)).not.toContain('bearer');
  });

  test('hands out a bearer when asked, a new one when the last was refused', async () => {
    worker.say({ type: 'ask-token', renew: false });
    worker.say({ type: 'ask-token', renew: true });
    await settle();
    expect(renewals).toEqual([false, true]);
    expect(worker.heard.slice(1)).toEqual(Array(2).fill({ type: 'token', token: 'bearer' }));
  });

  test('says why there is no bearer', async () => {
    tokenFailure = new AppError('upload.unauthenticated');
    worker.say({ type: 'ask-token', renew: false });
    await settle();
    expect(worker.heard.at(-1)).toEqual({ type: 'no-token', error: tokenFailure.toWire() });
  });

  test('passes on the worker’s events, but not its internal messages', () => {
    worker.say({ type: 'opened', uploadId: 'u' });
    worker.say({ type: 'checking', isChecking: true });
    expect(events).toEqual([{ type: 'checking', isChecking: true }]);
  });

  test('tells the worker when the network comes or goes', () => {
    online = false;
    for (const listener of networkListeners) listener();
    expect(worker.heard.at(-1)).toEqual({ type: 'line', isOnline: false });
  });

  test('returns the worker to the pool when the file is uploaded, and ignores it from then on', async () => {
    worker.say({ type: 'ask-token', renew: false });
    worker.say(completed);
    expect(events).toEqual([completed]);
    expect([givenBack, worker.terminated]).toEqual([[worker], false]);
    handle.pause();
    handle.resume();
    handle.release();
    await handle.cancel();
    await settle();
    expect([givenBack, worker.terminated, worker.heard.length]).toEqual([[worker], false, 1]);
    expect(networkListeners.size).toBe(0);
    worker.say(completed);
    expect(events).toHaveLength(1);
  });

  test('rebuilds the error of a worker', () => {
    const error = new AppError('upload.over_quota', { freeBytes: 5 });
    worker.say({ type: 'error', error: error.toWire() });
    expect(events).toEqual([{ type: 'error', error }]);
    expect(worker.terminated).toBe(true);
  });

  test('a worker that breaks down is an error, too', () => {
    worker.say({ type: 'opened', uploadId: 'a' });
    worker.onerror?.({ preventDefault: () => undefined });
    expect(events).toEqual([{ type: 'error', error: new AppError('unexpected') }]);
  });

  test('says that it waits for a server that is away, hurries on a word, and waits no more once it moves or ends', () => {
    worker.say({ type: 'retry', attempt: 1, delayMs: 3000, cause: 'connection' });
    expect(waits).toEqual([true]);
    handle.hurry();
    expect(worker.heard.at(-1)).toEqual({ type: 'hurried' });
    worker.say({ type: 'progress', bytesSealed: 1, bytesUploaded: 1, bytesTotal: 2 });
    worker.say({ type: 'retry', attempt: 1, delayMs: 0, cause: 'server' });
    expect(waits).toEqual([true, false, false]);
    handle.release();
    expect(waits.at(-1)).toBe(false);
  });
});

describe('a worker whose script can’t be had', () => {
  const failToLoad = () => worker.onerror?.({ preventDefault: () => undefined } as ErrorEvent);
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is tried again for as long as the server is away, with pauses that grow, or at once on a word', async () => {
    for (let tries = 1; tries <= 9; tries += 1) {
      failToLoad();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(workersTaken).toBe(tries + 1);
    }
    expect(events.at(-1)).toEqual({ type: 'retry', attempt: 9, delayMs: 60_000, cause: 'connection' });
    failToLoad();
    await vi.advanceTimersByTimeAsync(0);
    handle.hurry();
    expect(workersTaken).toBe(11);
    worker.say({ type: 'progress', bytesSealed: 1, bytesUploaded: 1, bytesTotal: 2 });
    expect(waits.at(-1)).toBe(false);
  });

  test('is paused, too', async () => {
    failToLoad();
    await vi.advanceTimersByTimeAsync(0);
    handle.pause();
    await vi.advanceTimersByTimeAsync(1000);
    expect(worker.heard.slice(-2)).toMatchObject([{ type: 'start' }, { type: 'paused' }]);
  });

  test('fails the upload where the server answers all the same', async () => {
    isThere = true;
    for (let tries = 0; tries < 4; tries += 1) {
      failToLoad();
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'unexpected' } });
    expect(workersTaken).toBe(4);
  });
});

describe('cancelling', () => {
  test('waits until the worker has given up, then ends what the server has', async () => {
    worker.say({ type: 'opened', uploadId: 'u' });
    const cancelled = handle.cancel();
    await settle();
    expect(worker.heard.at(-1)).toEqual({ type: 'cancelled' });
    expect(worker.terminated).toBe(false);
    worker.say({ type: 'cancelled' });
    await cancelled;
    expect(worker.terminated).toBe(true);
    expect(discarded).toEqual(['u']);
  });

  test('of a failed upload terminates it on the server', async () => {
    worker.say({ type: 'opened', uploadId: 'u' });
    worker.say({ type: 'error', error: new AppError('unexpected').toWire() });
    await handle.cancel();
    expect(discarded).toEqual(['u']);
  });

  test('never touches a completed file', async () => {
    worker.say({ type: 'opened', uploadId: 'u' });
    worker.say(completed);
    await handle.cancel();
    expect(discarded).toEqual([]);
  });

  test('keeps a file that was completed in the same moment, and says so', async () => {
    worker.say({ type: 'opened', uploadId: 'u' });
    const cancelled = handle.cancel();
    worker.say(completed);
    await cancelled;
    expect(discarded).toEqual([]);
    expect(events).toEqual([completed]);
  });

  test('says nothing of errors any more', async () => {
    worker.say({ type: 'opened', uploadId: 'u' });
    const cancelled = handle.cancel();
    worker.say({ type: 'error', error: new AppError('unexpected').toWire() });
    await cancelled;
    expect(events).toEqual([]);
    expect(discarded).toEqual(['u']);
  });
});

test('abandoning keeps the log and the upload on the server', () => {
  worker.say({ type: 'opened', uploadId: 'u' });
  handle.release();
  expect(worker.terminated).toBe(true);
  expect(discarded).toEqual([]);
});
