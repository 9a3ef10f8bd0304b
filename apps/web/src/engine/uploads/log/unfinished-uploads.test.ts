import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import type { Standing } from '@satchel/client/send/line/requests';
import type { UploadEntry, UploadLog } from '@satchel/client/send/ports';
import { encodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { hashHeader, sealLabel } from '@satchel/container/label';
import { createHeader } from '@satchel/container/seal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findUnfinished, type UnfinishedQuery } from './unfinished-uploads.ts';
import { holdUploadLock } from './upload-lock.ts';
import { openUploadLog } from './upload-log.ts';

const HOUR_MS = 3_600_000;
const keys = await importKeys(newFolderKey());
const open = (offset: number): Standing => ({ state: 'open', offset });

let log: UploadLog;
let standings: Record<string, Standing>;

beforeEach(async () => {
  globalThis.indexedDB = new IDBFactory();
  log = await openUploadLog();
  standings = {};
});
afterEach(() => log.close());

async function begun(id: string, over: Partial<UploadEntry> = {}): Promise<UploadEntry> {
  const entry: UploadEntry = {
    id,
    place: `place of ${id}`,
    fingerprint: 'print',
    prefix: null,
    objectName: `path/${id}_1700000000000_abcdefgh.txt`,
    sealed: null,
    bytesTotal: 1000,
    url: `/up/${id}`,
    createdAtMs: 1,
    expiresAtMs: Date.now() + HOUR_MS,
    ...over,
  };
  await log.create(entry);
  return entry;
}

const look = (over: Partial<UnfinishedQuery> = {}, serverTimeMs: number | null = Date.now()) =>
  findUnfinished(
    {
      folder: { bucket_storage_path: 'path' },
      keys,
      ownPlaces: new Set(),
      standingOf: async (url) => standings[url] ?? open(0),
      ...over,
    },
    serverTimeMs,
  );

test('says name, size and how much is there', async () => {
  await begun('boat');
  standings['/up/boat'] = open(620);
  expect(await look()).toEqual({
    elsewhere: 0,
    uploads: [
      {
        id: 'boat',
        place: 'place of boat',
        fingerprint: 'print',
        name: 'boat.txt',
        directory: '',
        sizeBytes: 1000,
        percent: 62,
      },
    ],
  });
});

test('reads a hidden name and its directory with the folder’s key, and says the size of the file itself', async () => {
  const file = { sizeBytes: 900, name: 'Boat.jpg', type: 'image/jpeg' };
  const { prefix } = encodeHeader(createHeader({ ...file, hidesName: true }));
  const storedName = 'x_1700000000000_abcdefgh.enc';
  const label = { ...file, directory: 'Trip/day 1', header: await hashHeader(prefix) };
  const sealed = await sealLabel(keys, label, storedName);
  await begun('x', { sealed, prefix, objectName: `path/${storedName}` });
  expect((await look()).uploads[0]).toMatchObject({ name: 'Boat.jpg', directory: 'Trip/day 1', sizeBytes: 900 });
  const other = await importKeys(newFolderKey());
  expect((await look({ keys: other })).uploads[0]?.name).toBeNull();
});

test('reads a readable name without any key', async () => {
  const file = { sizeBytes: 900, name: 'Boat.jpg', type: 'image/jpeg' };
  const objectName = 'path/x_1700000000000_abcdefgh.enc';
  await begun('x', { sealed: '2.x', prefix: encodeHeader(createHeader(file)).prefix, objectName });
  expect((await look({ keys: null })).uploads[0]?.name).toBe('Boat.jpg');
});

test('leaves out other folders, what has expired, and what this page is at', async () => {
  await begun('a', { objectName: 'other/a.txt' });
  await begun('b', { expiresAtMs: Date.now() - 1 });
  await begun('c');
  expect((await look({ ownPlaces: new Set(['place of c']) })).uploads).toEqual([]);
});

test('leaves out and purges nothing by the device’s clock while the server’s time is not known', async () => {
  await begun('b', { expiresAtMs: Date.now() - 1 });
  expect((await look({}, null)).uploads).toHaveLength(1);
  expect((await look({}, Date.now() - 1000)).uploads).toHaveLength(1);
  expect((await look({}, Date.now())).uploads).toEqual([]);
  expect(await log.get('b')).toBeNull();
});

test('counts what another tab is at, and does not touch it', async () => {
  await begun('a');
  const release = await holdUploadLock('a');
  standings['/up/a'] = { state: 'over' };
  expect(await look()).toEqual({ uploads: [], elsewhere: 1 });
  expect(await log.get('a')).not.toBeNull();
  release?.();
});

test('deletes entries that are over on the server, and keeps those with an unknown state', async () => {
  await begun('a');
  await begun('b');
  standings['/up/a'] = { state: 'over' };
  standings['/up/b'] = { state: 'unknown' };
  expect((await look()).uploads).toMatchObject([{ id: 'b', percent: null }]);
  expect(await log.get('a')).toBeNull();
});

test('an upload without an address has no bytes on the server', async () => {
  await begun('a', { url: null });
  expect((await look()).uploads).toMatchObject([{ percent: 0 }]);
});

test('releases every lock', async () => {
  await begun('a');
  await look();
  const release = await holdUploadLock('a');
  expect(release).not.toBeNull();
  release?.();
});
