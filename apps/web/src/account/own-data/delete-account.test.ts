import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eraseAccount } from './erase-account.ts';
import { recallKey, rememberKey } from './key-store.ts';
import { keepOperatorKey, ownOperatorKeys } from './operator-key-store.ts';
import { queryClient } from './query-client.ts';
import { newOperatorKeyPair } from './report-sealing.ts';
import { openUploadLog } from './upload-log.ts';
import { keepWaiting, waitingNames } from './upload-waiting.ts';

const USER = '8d4a9c3e-4c54-4b4e-9a53-0f3f6d1c2b11';
const FOLDER = '1b2c3d4e-0000-4000-8000-000000000001';
const inAnHour = () => Date.now() + 3_600_000;

async function leaveTraces(): Promise<void> {
  await rememberKey({
    userId: USER,
    folderId: FOLDER,
    slug: 'AbCdEfGhIjKlMnOp',
    secret: new Uint8Array(32),
    ring: { keys: [new Uint8Array(64)], hidesNames: true, hasEarlierFiles: false },
    mode: 'private',
    kept: [],
    pending: null,
    api_token: null,
    is_servers: false,
    expires_at: new Date(inAnHour()).toISOString(),
  });
  const { privateKey } = await newOperatorKeyPair();
  await keepOperatorKey({ id: FOLDER, privateKey });
  const log = await openUploadLog();
  await log.create({
    id: crypto.randomUUID(),
    place: 'place',
    fingerprint: 'fingerprint',
    prefix: null,
    objectName: 'folder/file',
    sealed: null,
    bytesTotal: 1,
    url: null,
    createdAtMs: Date.now(),
    expiresAtMs: inAnHour(),
  });
  log.close();
  queryClient.setQueryData(['profile', USER], { name: 'Ava' });
  keepWaiting(FOLDER, [{ name: 'diary.txt' }]);
}

async function tracesLeft() {
  const log = await openUploadLog();
  const uploads = await log.find('place');
  log.close();
  return {
    keys: (await recallKey(USER, { folderId: FOLDER, slug: 'AbCdEfGhIjKlMnOp' })) === null ? 0 : 1,
    operatorKeys: (await ownOperatorKeys()).length,
    uploads: uploads.length,
    waiting: await waitingNames(FOLDER, null),
    answers: queryClient.getQueryCache().getAll().length,
  };
}

const serverAnswers = (status: number, body: string | null) => {
  const fetch = vi.fn(async (_path: string, _init: RequestInit) => new Response(body, { status }));
  vi.stubGlobal('fetch', fetch);
  return fetch;
};
beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
    key: (at: number) => [...kept.keys()][at] ?? null,
    get length() {
      return kept.size;
    },
  });
  vi.stubGlobal('location', new URL('https://files.example.org/profile'));
});
afterEach(() => vi.unstubAllGlobals());

test('once the server has erased the account, this device keeps nothing of it either', async () => {
  await leaveTraces();
  const fetch = serverAnswers(204, null);
  expect(await eraseAccount()).toBe(true);
  expect(fetch.mock.calls[0]?.[0]).toBe('/rest/v1/profiles/me');
  expect(fetch.mock.calls[0]?.[1].method).toBe('DELETE');
  expect(await tracesLeft()).toEqual({ keys: 0, operatorKeys: 0, uploads: 0, waiting: [], answers: 0 });
});

test('an account that the server could not erase keeps its keys on this device', async () => {
  await leaveTraces();
  serverAnswers(500, '{"error":{"code":"unexpected","params":{}}}');
  await expect(eraseAccount()).rejects.toMatchObject({ code: 'unexpected' });
  expect(await tracesLeft()).toEqual({ keys: 1, operatorKeys: 1, uploads: 1, waiting: ['diary.txt'], answers: 1 });
});
