import { readFile, rm, writeFile } from 'node:fs/promises';
import { type SQL, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { fsck } from '../../src/admin/fsck.ts';
import { blobPath, makeFolder } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import { fileRow, makeFiles, stillOf, storeStills } from '../support/uploads/still-kit.ts';

/** fsck finds what is wrong with a still, as with a file. */

const app = await createTestApp();

const execute = (query: SQL) => app.database.db.execute(query);
async function findings() {
  const { blobs, keyShares } = app.deps;
  const { dataDir, tiers } = app.config;
  const found = await fsck({ db: app.database.db, dataDir, blobs, keyShares, tiers, reads: 'hashes', pauseMs: 10 });
  return found.findings;
}

test('a still that is queued for purging, cut, missing or not counted is found; an intact one is not', async () => {
  const mika = await app.signIn('mika');
  const folder = await makeFolder(app, mika);
  const [name] = (await makeFiles(app, mika, folder, 1)) as [string];
  await storeStills(app, mika, folder, stillOf(name, 10, 20));
  const row = await fileRow(app, name);
  const blob = row.still_key!;
  const detail = { file: row.id, blob, bytes: 30 };
  expect(await findings()).toEqual([]);

  await execute(sql`insert into blob_removals (blob_key) values (${blob}::uuid)`);
  expect(await findings()).toEqual([{ kind: 'blob_queued', detail: { still: row.id, blob } }]);
  await execute(sql`delete from blob_removals`);

  const still = await readFile(blobPath(app, blob));
  await writeFile(blobPath(app, blob), Buffer.from(still).reverse());
  expect(await findings()).toEqual([{ kind: 'still_blob_changed', detail: { file: row.id, blob } }]);

  await writeFile(blobPath(app, blob), 'abc');
  expect(await findings()).toEqual([{ kind: 'still_blob_size', detail: { ...detail, stored_bytes: 3 } }]);
  await rm(blobPath(app, blob));
  expect(await findings()).toEqual([{ kind: 'still_blob_missing', detail }]);

  await execute(sql`update files set still_key = null, still_small_bytes = null, still_large_bytes = null`);
  expect(await findings()).toEqual([
    { kind: 'profile_used', detail: { profile: mika.profile_id, saved: 80, actual: 50 } },
  ]);
});
