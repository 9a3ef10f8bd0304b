import { readFile, writeFile } from 'node:fs/promises';
import type { Folder } from '@satchel/contract/entities';
import { type SQL, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { checkBlobs } from '../../src/admin/check-blobs.ts';
import { rowsOf } from '../../src/platform/database/db.ts';
import {
  BYTES_TYPE,
  blobPath,
  createTus,
  deleteFolder,
  freshName,
  makeFolder,
  someBytes,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** fsck --hash compares stored bytes with the checksums that were made when they came. */

const STORED = 2048;
const LENGTH = 4096;
const ACKED = 1024;

const app = await createTestApp();
const mika = await app.signIn('mika');

const execute = (query: SQL) => app.database.db.execute(query);
const look = (blobs = app.deps.blobs) => checkBlobs({ db: app.database.db, blobs, pauseMs: 10, reads: 'hashes' });

/** A folder with a file and an open upload. */
async function fill(): Promise<{ folder: Folder; url: string; file: Row; upload: Row }> {
  const tus = createTus(app, mika);
  const folder = await makeFolder(app, mika);
  const whole = { name: freshName(), length: STORED, folder, body: someBytes(STORED) };
  await tus.create({ ...whole, headers: { 'content-type': BYTES_TYPE } });
  const url = await tus.create({ name: freshName(), length: LENGTH, folder });
  expect((await tus.patch(url, 0, someBytes(ACKED))).status).toBe(204);
  const of = async (query: SQL) => rowsOf<Row>(await execute(query))[0]!;
  return {
    folder,
    url,
    file: await of(sql`select id, blob_key from files where folder_id = ${folder.id}::uuid`),
    upload: await of(sql`select id, blob_key from uploads where id = ${url.split('/').at(-1)!}::uuid`),
  };
}
interface Row {
  readonly id: string;
  readonly blob_key: string;
}

test('bytes that are not those that came: of a file, and of what an upload has acknowledged', async () => {
  const { folder, file, upload } = await fill();
  const flip = async (blob: string, at: number) => {
    const bytes = await readFile(blobPath(app, blob));
    bytes[at] = bytes[at]! ^ 1;
    await writeFile(blobPath(app, blob), bytes);
  };
  expect(await look()).toMatchObject({ findings: [], checked: { blobs_hashed: 2 } });
  await flip(file.blob_key, STORED - 1);
  await flip(upload.blob_key, 0);
  const { findings } = await look();
  expect(findings).toHaveLength(2);
  expect(findings).toEqual(
    expect.arrayContaining([
      { kind: 'file_blob_changed', detail: { file: file.id, blob: file.blob_key } },
      { kind: 'upload_blob_changed', detail: { upload: upload.id, blob: upload.blob_key } },
    ]),
  );
  await deleteFolder(app, mika, folder);
});

test('a file that is deleted while its bytes are read is no finding', async () => {
  const { folder, file } = await fill();
  const { open } = app.deps.blobs;
  const blobs: typeof app.deps.blobs = {
    ...app.deps.blobs,
    async open(what, bytes) {
      const reader = await open(what, bytes);
      if (what.blobKey !== file.blob_key) return reader;
      await deleteFolder(app, mika, folder);
      return { ...reader, send: () => Promise.reject(new Error('ENOENT')) };
    },
  };
  expect((await look(blobs)).findings).toEqual([]);
});
