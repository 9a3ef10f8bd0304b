import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyStore } from '@satchel/client/keys/key-store';
import { NAME, REMEMBERED } from '@satchel/client/testing/remembered-key';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseLink } from '../links.ts';
import { createKeyRows } from './key-rows.ts';
import { createLocks } from './locks.ts';
import { originOf } from './sign-ins.ts';
import { readState } from './state-folder.ts';
import { openUploadLog } from './upload-log.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'satchel-cli-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a lock is one holder’s, in this process and in others, and ends with its process', async () => {
  const hold = createLocks(folder);
  const release = await hold('one');
  expect(await hold('one')).toBe(null);
  expect(await hold('other')).not.toBe(null);
  expect(await createLocks(`${folder}/elsewhere`)('one')).not.toBe(null);
  release?.();
  const holder = join(folder, 'holder.mjs');
  await writeFile(
    holder,
    `const { createLocks } = await import(${JSON.stringify(import.meta.resolve('./locks.ts'))});
    await createLocks(${JSON.stringify(folder)})('one'); process.send('held'); setInterval(() => {}, 1000);`,
  );
  const other = fork(holder);
  await once(other, 'message');
  expect(await hold('one')).toBe(null);
  other.kill('SIGKILL');
  await once(other, 'exit');
  expect(await hold('one', 2000)).not.toBe(null);
});

test('keys outlive the process; two that write at once lose nothing', async () => {
  const hold = createLocks(folder);
  const open = () =>
    createKeyStore({ openRows: async () => createKeyRows(folder, hold), nowMs: Date.now, serverTimeMs: Date.now });
  const ids = Array.from({ length: 12 }, (_, at) => `folder-${at}`);
  await Promise.all(
    ids.map((folderId) => open().rememberKey({ ...REMEMBERED, folderId, slug: `slug-of-${folderId}` })),
  );
  for (const folderId of ids) {
    const { known } = await open().recallFolder('mika', { folderId, slug: NAME.slug });
    expect(known?.ring).toEqual(REMEMBERED.ring);
  }
  expect((await stat(join(folder, 'keys.json'))).mode & 0o777).toBe(0o600);
});

test('keys that can’t be read are not taken for none', async () => {
  await writeFile(join(folder, 'keys.json'), '{"torn');
  const keys = createKeyStore({
    openRows: async () => createKeyRows(folder, createLocks(folder)),
    nowMs: Date.now,
    serverTimeMs: Date.now,
  });
  await expect(keys.recallFolder('mika', NAME)).rejects.toThrow();
  expect(await readState(join(folder, 'none.json'))).toBe(null);
});

test('an upload whose tags are lost begins afresh: none are known', async () => {
  const log = await openUploadLog(folder);
  expect(await log.readTags('none')).toEqual(new Uint8Array(0));
});

test('a log keeps the tags of an upload, and refuses tags once the upload is removed', async () => {
  const log = await openUploadLog(folder);
  const entry = {
    id: 'one',
    place: 'here',
    fingerprint: 'print',
    prefix: new Uint8Array([1, 2]),
    objectName: 'a/b',
    sealed: null,
    bytesTotal: 5,
    url: null,
    createdAtMs: 1,
    expiresAtMs: 10,
  };
  await log.create(entry);
  await log.setUrl('one', 'https://satchel.example/one');
  await log.appendTags('one', 0, new Uint8Array(64).fill(1));
  await log.appendTags('one', 2, new Uint8Array(32).fill(2));
  const again = await openUploadLog(folder);
  expect(await again.find('here')).toEqual([{ ...entry, url: 'https://satchel.example/one' }]);
  expect(Buffer.from(await again.readTags('one')).toString('hex')).toBe(`${'01'.repeat(64)}${'02'.repeat(32)}`);
  await again.purgeExpired(10);
  expect(await log.list()).toEqual([]);
  await expect(log.appendTags('one', 3, new Uint8Array(32))).rejects.toThrow();
});

const [SLUG, SECRET] = ['AAAAAAAAAAAAAAAA', `k=${'A'.repeat(43)}`];
test.each([
  `https://satchel.example/f/${SLUG}#${SECRET}`,
  `Look: <https://satchel.example/${SLUG}#${SECRET}>!`,
  `https://satchel.example/f/${SLUG}%23${SECRET}\n`,
])('%s is a link', (text) => {
  expect(parseLink(text)).toEqual({ origin: 'https://satchel.example', slug: SLUG, hash: SECRET });
});

test.each([
  ['files.example.org', 'https://files.example.org'],
  ['https://files.example.org/f/x', 'https://files.example.org'],
  ['localhost:3000', 'http://localhost:3000'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['http://files.example.org', null],
  ['https://mika:secret@files.example.org', null],
  ['', null],
])('%j is the site %j', (typed, origin) => expect(originOf(typed)).toBe(origin));
