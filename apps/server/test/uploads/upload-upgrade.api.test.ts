import { appendFile } from 'node:fs/promises';
import { MIB } from '@satchel/contract/limits';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { checkBlobs } from '../../src/admin/check-blobs.ts';
import { createDiskBlobs } from '../../src/platform/blobs/blobs-disk.ts';
import { openDatabase, rowsOf } from '../../src/platform/database/db.ts';
import { openTestDatabase, takeDatabase } from '../support/at-end.ts';
import {
  blobPath,
  createTus,
  createUploadOf,
  deleteFolder,
  expectExactSums,
  sha256,
  someBytes,
  storedBlobs,
  uploadState,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import { leadBackBeforeParts } from '../support/test-database.ts';

/** Data of before blobs consisted of parts and had checksums: one file for each blob, and nothing that says so. */

const url = await takeDatabase();
const app = await createTestApp({ deps: { database: await openTestDatabase({ url }) } });
const mika = await app.signIn('mika');

test('a file of before is read, an upload of before goes on, and both are deleted', async () => {
  const tus = createTus(app, mika);
  const bytes = someBytes(3 * MIB);
  const done = await createUploadOf(app, mika, bytes.length);
  expect((await tus.patch(done.url, 0, bytes)).status).toBe(204);
  const open = await createUploadOf(app, mika, bytes.length);
  expect((await tus.patch(open.url, 0, bytes.subarray(0, MIB))).status).toBe(204);
  const { blob_key } = await uploadState(app, open.url);
  // Written, and never acknowledged: the process was killed.
  await appendFile(blobPath(app, blob_key), someBytes(1000));
  const { db } = app.database;
  await leadBackBeforeParts(db);

  await (await openDatabase({ url })).close();
  // A new process made none of the files.
  Object.assign(app.deps.blobs, createDiskBlobs({ dir: `${app.config.dataDir}/blobs` }));
  expect(sha256(await done.content())).toBe(sha256(bytes));
  expect(await tus.offsetOf(open.url)).toBe(MIB);
  expect((await tus.patch(open.url, MIB, bytes.subarray(MIB, 2 * MIB))).status).toBe(204);
  expect((await tus.patch(open.url, 2 * MIB, bytes.subarray(2 * MIB))).status).toBe(204);
  expect(sha256(await open.content())).toBe(sha256(bytes));
  const parts = rowsOf<{ start: number }>(
    await db.execute(sql`select start_bytes::int as start from blob_parts where blob_key = ${blob_key}::uuid`),
  );
  expect(parts).toEqual([{ start: MIB }]);
  await expectExactSums(app);
  const { findings, checked } = await checkBlobs({ db, blobs: app.deps.blobs, pauseMs: 10, reads: 'hashes' });
  expect({ findings, checked }).toMatchObject({ findings: [], checked: { blobs_hashed: 0, blobs_without_hash: 2 } });
  for (const { folder } of [done, open]) await deleteFolder(app, mika, folder);
  expect(await storedBlobs(app)).toEqual([]);
  expect(rowsOf(await db.execute(sql`select * from blob_parts`))).toEqual([]);
});
