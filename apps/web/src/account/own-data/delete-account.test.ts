import 'fake-indexeddb/auto';
import { beforeEach, expect, test, vi } from 'vitest';
import { recallKey, rememberKey } from '../../engine/keys/key-store.ts';
import { keepOperatorKey, ownOperatorKeys } from '../../engine/reports/operator-key-store.ts';
import { newOperatorKeyPair } from '../../engine/reports/report-sealing.ts';
import { keepUnsent, unsentNames } from '../../engine/uploads/log/unsent-names.ts';
import { openUploadLog } from '../../engine/uploads/log/upload-log.ts';
import { queryClient } from '../session/query-client.ts';
import { deleteAccount } from './delete-account.ts';

const USER = '8d4a9c3e-4c54-4b4e-9a53-0f3f6d1c2b11';
const FOLDER = '1b2c3d4e-0000-4000-8000-000000000001';
const inAnHour = () => Date.now() + 3_600_000;

async function leaveTraces(): Promise<void> {
  await rememberKey({
    userId: USER,
    folderId: FOLDER,
    slug: 'AbCdEfGhIjKlMnOp',
    secret: new Uint8Array(32),
    ring: { keys: [new Uint8Array(64)], hidesNames: true },
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
  keepUnsent(FOLDER, [{ name: 'diary.txt' }]);
}

async function tracesLeft() {
  const log = await openUploadLog();
  const uploads = await log.find('place');
  log.close();
  return {
    keys: (await recallKey(USER, { folderId: FOLDER, slug: 'AbCdEfGhIjKlMnOp' })) === null ? 0 : 1,
    operatorKeys: (await ownOperatorKeys()).length,
    uploads: uploads.length,
    unsent: await unsentNames(FOLDER, null),
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
  // What watches for expired keys asks for it, also after the test that remembered one.
  vi.stubGlobal('fetch', async () => Response.json({ server_time: new Date().toISOString() }));
});

test('once the server has deleted the account, this device deletes its data, too', async () => {
  await leaveTraces();
  const fetch = serverAnswers(204, null);
  expect(await deleteAccount()).toBe(true);
  expect(fetch.mock.calls[0]?.[0]).toBe('/rest/v1/profiles/me');
  expect(fetch.mock.calls[0]?.[1].method).toBe('DELETE');
  expect(await tracesLeft()).toEqual({ keys: 0, operatorKeys: 0, uploads: 0, unsent: [], answers: 0 });
});

test('an account that the server could not delete keeps its keys on this device', async () => {
  await leaveTraces();
  serverAnswers(500, '{"error":{"code":"unexpected","params":{}}}');
  await expect(deleteAccount()).rejects.toMatchObject({ code: 'unexpected' });
  expect(await tracesLeft()).toEqual({ keys: 1, operatorKeys: 1, uploads: 1, unsent: ['diary.txt'], answers: 1 });
});
