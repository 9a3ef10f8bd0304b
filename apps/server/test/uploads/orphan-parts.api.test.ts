import { randomUUID } from 'node:crypto';
import { access, mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MIB } from '@satchel/contract/limits';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOrphanParts } from '../../src/domain/files/orphan-parts.ts';
import { blobPath, createTus, createUploadOf, sha256, someBytes, uploadState } from '../support/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';

/** Parts that killed and stale writers leave behind. */

let app: TestApp;
let mika: Account;
beforeAll(async () => {
  app = await createTestApp();
  mika = await app.signIn('mika');
});
afterAll(() => app.close());

async function leave(path: string, hoursAgo: number): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'left behind');
  const at = new Date(Date.now() - hoursAgo * 3_600_000);
  await utimes(path, at, at);
  return path;
}

test('a round of all prefixes deletes old parts without rows, and nothing else', async () => {
  const tus = createTus(app, mika);
  const bytes = someBytes(MIB);
  const done = await createUploadOf(app, mika, MIB);
  expect((await tus.patch(done.url, 0, bytes)).status).toBe(204);
  const open = await createUploadOf(app, mika, MIB);
  expect((await tus.patch(open.url, 0, bytes.subarray(0, 1000))).status).toBe(204);
  const [doneKey, openKey] = [(await uploadState(app, done.url)).blob_key, (await uploadState(app, open.url)).blob_key];
  const partOf = (key: string) => join(`${blobPath(app, key)}.parts`, '77');
  const stale = await leave(partOf(doneKey), 2);
  const young = await leave(`${partOf(doneKey)}8`, 0);
  const busy = await leave(partOf(openKey), 2);
  const unclaimed = await leave(blobPath(app, randomUUID()), 2);
  const { db } = app.database;
  for (let round = 0; round < 256; round += 1) await deleteOrphanParts({ db, blobs: app.deps.blobs }, round);
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );
  expect(await Promise.all([stale, young, busy, unclaimed].map(isThere))).toEqual([false, true, true, false]);
  expect(sha256(await done.content())).toBe(sha256(bytes));
  expect((await tus.patch(open.url, 1000, bytes.subarray(1000))).status).toBe(204);
  expect(sha256(await open.content())).toBe(sha256(bytes));
});
