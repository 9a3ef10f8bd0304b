import type { OpenedContent, OpenRequest } from '@satchel/client/open/open-file';
import { importKeys, newFolderKey } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { beforeEach, expect, test } from 'vitest';
import { createOpenClient, type OpenFileRequest } from './open-client.ts';
import type { OpenReply } from './open-protocol.ts';

/** Stands where a browser's Worker does; the test answers for it. */
interface Stub {
  worker: Worker;
  requests: OpenRequest[];
  ended: boolean;
  reply(reply: OpenReply): void;
  crash(): void;
}

let stubs: Stub[];
const keys = await importKeys(newFolderKey());
const proof: FileProof = { keys, labelKeys: keys, label: { name: 'a', type: '' }, sizeBytes: 1, header: 'hash' };
const content: OpenedContent = { name: 'a', type: 'image/png', blob: new Blob(['x']), sizeBytes: 1 };

function createWorker(): Worker {
  const requests: OpenRequest[] = [];
  const worker = {
    onmessage: null,
    onerror: null,
    postMessage: (request: OpenRequest) => requests.push(request),
    terminate: () => {
      stub.ended = true;
    },
  } as unknown as Worker;
  const stub: Stub = {
    worker,
    requests,
    ended: false,
    reply: (data) => worker.onmessage?.(new MessageEvent('message', { data })),
    crash: () => worker.onerror?.(new Event('error', { cancelable: true }) as ErrorEvent),
  };
  stubs.push(stub);
  return worker;
}

const entryOf = (name: string): FileEntry => ({
  id: crypto.randomUUID(),
  name,
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  metadata: { size: 1, mimetype: 'application/octet-stream', eTag: '"1"', sealed: 'label' },
});
const requestOf = (over: Partial<OpenFileRequest> = {}): OpenFileRequest => ({
  url: '/storage/v1/object/public/b/p/x.enc',
  entry: entryOf('photo.png_1772366400000_abcdef12.enc'),
  proof,
  ...over,
});
const codeOf = (opening: Promise<unknown>) =>
  opening.then(
    () => 'opened',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

beforeEach(() => {
  stubs = [];
});

test('a worker gets what it needs, and what it opened comes back', async () => {
  const { openFile } = createOpenClient({ createWorker, maxWorkers: 2 });
  const steps: number[] = [];
  const opening = openFile(requestOf({ onProgress: ({ percent }) => steps.push(percent) }));
  expect(stubs[0]?.requests[0]).toMatchObject({ name: 'photo.png', proof });
  stubs[0]?.reply({ type: 'progress', progress: { phase: 'decrypting', percent: 40 } });
  stubs[0]?.reply({ type: 'opened', content });
  expect([await opening, steps]).toEqual([content, [40]]);
});

test('no more files than workers are opened at once, and workers are used again', async () => {
  const { openFile } = createOpenClient({ createWorker, maxWorkers: 2 });
  const openings = [1, 2, 3].map(() => openFile(requestOf()));
  expect(stubs.map(({ requests }) => requests.length)).toEqual([1, 1]);
  stubs[1]?.reply({ type: 'opened', content });
  await openings[1];
  expect(stubs.map(({ requests }) => requests.length)).toEqual([1, 2]);
  stubs[0]?.reply({ type: 'opened', content });
  stubs[1]?.reply({ type: 'opened', content });
  expect(await Promise.all(openings)).toEqual([content, content, content]);
});

test('an error of the catalogue comes through with its parameters', async () => {
  const { openFile } = createOpenClient({ createWorker, maxWorkers: 1 });
  const opening = openFile(requestOf());
  stubs[0]?.reply({ type: 'failed', error: new AppError('open.bad_hmac', { chunk: 7 }).toWire() });
  await expect(opening).rejects.toThrow('HMAC verification failed for chunk 7');
});

test('giving a file up ends its worker, and the next file gets a new one', async () => {
  const { openFile } = createOpenClient({ createWorker, maxWorkers: 1 });
  const control = new AbortController();
  const given = codeOf(openFile(requestOf({ signal: control.signal })));
  const next = openFile(requestOf());
  control.abort('gone');
  expect([await given, stubs[0]?.ended]).toEqual(['gone', true]);
  stubs[1]?.reply({ type: 'opened', content });
  expect(await next).toEqual(content);
});

test('a file given up while it waited never starts', async () => {
  const { openFile } = createOpenClient({ createWorker, maxWorkers: 1 });
  const first = openFile(requestOf());
  const control = new AbortController();
  const given = codeOf(openFile(requestOf({ signal: control.signal })));
  control.abort('gone');
  stubs[0]?.reply({ type: 'opened', content });
  await first;
  expect([await given, stubs[0]?.requests.length, stubs.length]).toEqual(['gone', 1, 1]);
  expect(await codeOf(openFile(requestOf({ signal: control.signal })))).toBe('gone');
});

test('a worker that breaks fails its file and is not used again', async () => {
  const { openFile } = createOpenClient({ createWorker, maxWorkers: 1 });
  const broken = codeOf(openFile(requestOf()));
  stubs[0]?.crash();
  expect([await broken, stubs[0]?.ended]).toEqual(['open.failed', true]);
  const next = openFile(requestOf());
  stubs[1]?.reply({ type: 'opened', content });
  expect(await next).toEqual(content);
});
