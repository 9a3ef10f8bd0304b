import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB } from '@satchel/contract/limits';
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { type BackupReport, backup } from '../../src/admin/backup/backup.ts';
import { blobFile, KEPT_TABLES, manifestFile, tableFile } from '../../src/admin/backup/format.ts';
import { restore } from '../../src/admin/backup/restore.ts';
import { fsck } from '../../src/admin/fsck.ts';
import { writeJournal } from '../../src/domain/taken-back.ts';
import type { BlobStore } from '../../src/platform/blobs/blobs.ts';
import { createDiskBlobs } from '../../src/platform/blobs/blobs-disk.ts';
import { newestMigration, rowsOf } from '../../src/platform/database/db.ts';
import { takeFolder } from '../support/at-end.ts';
import {
  blobPath,
  createTus,
  createUploadOf,
  deleteFolder,
  makeFolder,
  OBJECT,
  sha256,
  someBytes,
  sweepAll,
} from '../support/storage-kit.ts';
import { TABLE_NAMES } from '../support/stored-state.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';
import { makeFiles, stillOf, storeStills } from '../support/uploads/still-kit.ts';

/** Backups of a site that runs, restored into others. */

let dir: string;
let made = 0;
const app = await createTestApp();
const root = await takeFolder();
// Without a journal from before the backup, a restore closes everything.
await writeJournal({ db: app.database.db, journal: app.deps.journal, tiers: app.config.tiers });
beforeEach(() => {
  dir = join(root, String(made++));
});

const take = (blobs: BlobStore | null = app.deps.blobs): Promise<BackupReport> =>
  backup({ db: app.database.db, blobs, dir });
const putInto = (site: TestApp, from = dir, keyShares = site.deps.keyShares) =>
  restore({
    db: site.database.db,
    blobs: site.deps.blobs,
    keyShares,
    journal: app.deps.journal,
    tiers: site.config.tiers,
    dataDir: site.config.dataDir,
    dir: from,
    say: () => undefined,
  });
const findingsOf = async (site: TestApp, keyShares = site.deps.keyShares) =>
  (
    await fsck({
      db: site.database.db,
      dataDir: site.config.dataDir,
      blobs: site.deps.blobs,
      keyShares,
      tiers: site.config.tiers,
      reads: 'hashes',
      pauseMs: 10,
    })
  ).findings;
/** As a restarted process: it continues in parts of its own. */
const startAnew = () => Object.assign(app.deps.blobs, createDiskBlobs({ dir: join(app.config.dataDir, 'blobs') }));

let people = 0;
const someone = async (): Promise<Account> => app.signIn(`keeper${people++}`);

async function contentOf(site: TestApp, path: string): Promise<Uint8Array> {
  const response = await fetch(`${site.baseUrl}${OBJECT}/public/unlocked-folders/${path}`);
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}
const pathOf = async (site: TestApp, url: string) => {
  const [row] = rowsOf<{ path: string }>(
    await site.database.db.execute(sql`
      select bucket_storage_path || '/' || uploads.name as path from uploads join folders on folders.id = folder_id
      where uploads.id = ${url.split('/').at(-1)!}::uuid`),
  );
  return row!.path;
};

/** Tables that no backup has, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  visitor_salts: 'with the salt of a day, its visitors could be told',
  node_settings: 'they belong to the nodes that run',
  site: 'the process that holds the site; its id is in the manifest',
  blob_removals: 'blobs that are about to be deleted',
  rate_counts: 'good for minutes',
  device_codes: 'good for minutes',
  interactions: 'good for minutes',
  upload_intents: 'good for minutes',
  folder_grants: 'good for minutes',
  staged_labels: 'a change of a link that is under way, which its page begins again',
  taken_back: 'on their way into the journal beside the key shares',
};

test('each table is in a backup, or left out for a reason', () => {
  expect([...KEPT_TABLES, ...Object.keys(LEFT_OUT)].sort()).toEqual([...TABLE_NAMES].sort());
});

test('a site with uploads under way is the same after backup and restore, but for its private links', async () => {
  const mika = await someone();
  const tus = createTus(app, mika);
  const large = await createUploadOf(app, mika, 3 * MIB);
  expect((await tus.patch(large.url, 0, large.bytes.subarray(0, MIB))).status).toBe(204);
  startAnew();
  expect((await tus.patch(large.url, MIB, large.bytes.subarray(MIB))).status).toBe(204);
  const open = await createUploadOf(app, mika, 2 * MIB);
  expect((await tus.patch(open.url, 0, open.bytes.subarray(0, 5000))).status).toBe(204);
  const folder = await makeFolder(app, mika);
  const [pictured = ''] = await makeFiles(app, mika, folder, 1);
  await storeStills(app, mika, folder, stillOf(pictured));
  await app.database.db.execute(sql`update folders set name = ${'a\u2028b'} where id = ${folder.id}::uuid`);
  await makeFolder(app, mika, 'private');

  const done = await take();
  expect(done).toMatchObject({ blobs: 4, linked: 2, deleted_during_backup: 0, findings: [] });
  const [share] = await app.deps.keyShares.list();
  const secret = await app.deps.keyShares.read(share!);
  expect(secret).toBeTruthy();
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'latin1');
    expect(text.includes(secret!), entry.name).toBe(false);
  }
  // The site continues: nothing of it reaches the backup.
  expect((await tus.patch(open.url, 5000, open.bytes.subarray(5000))).status).toBe(204);

  const next = await createTestApp();
  const report = await putInto(next);
  expect(report).toMatchObject({ blobs: 4, damaged: [], rows: done.rows - 1 });
  expect(report.dropped).toEqual({ files: 0, stills: 0, open_uploads: 0, private_links: 1 });
  expect(await findingsOf(next)).toEqual([]);
  expect(sha256(await contentOf(next, await pathOf(next, large.url)))).toBe(sha256(large.bytes));
  const there = open.url.replace(app.baseUrl, next.baseUrl);
  const again = createTus(next, mika);
  expect(await again.offsetOf(there)).toBe(5000);
  expect((await again.patch(there, 5000, open.bytes.subarray(5000))).status).toBe(204);
  expect(sha256(await contentOf(next, await pathOf(next, open.url)))).toBe(sha256(open.bytes));
  expect(await findingsOf(next)).toEqual([]);
  await expect(putInto(next)).rejects.toThrow('has rows');
  await next.close();

  const withKeys = await createTestApp();
  expect((await putInto(withKeys, dir, app.deps.keyShares)).dropped.private_links).toBe(0);
  expect(await findingsOf(withKeys, app.deps.keyShares)).toEqual([]);
});

test('what is deleted while a backup runs is counted, and what is lost is a finding', async () => {
  const mika = await someone();
  const [deleted, lost] = [await makeFolder(app, mika), await makeFolder(app, mika)];
  await makeFiles(app, mika, deleted, 1);
  await makeFiles(app, mika, lost, 1);
  const [row] = await app.query<{ id: string; blob_key: string; bytes: string }>(
    sql`select id, blob_key, size_bytes as bytes from files where folder_id = ${lost.id}::uuid`,
  );
  const kept = await readFile(blobPath(app, row!.blob_key));
  let isFirst: Promise<void> | undefined;
  const happens = async () => {
    await deleteFolder(app, mika, deleted);
    await rm(blobPath(app, row!.blob_key));
  };
  const blobs: BlobStore = {
    ...app.deps.blobs,
    fileOf: () => null,
    async open(...which) {
      isFirst ??= happens();
      await isFirst;
      return app.deps.blobs.open(...which);
    },
  };
  const done = await take(blobs);
  await writeFile(blobPath(app, row!.blob_key), kept);
  expect(done.deleted_during_backup).toBe(1);
  expect(done.linked).toBe(0);
  expect(done.findings).toEqual([
    { kind: 'file_blob_missing', detail: { file: row!.id, blob: row!.blob_key, bytes: Number(row!.bytes) } },
  ]);
  const next = await createTestApp();
  expect((await putInto(next)).dropped).toMatchObject({ files: 2, open_uploads: 0 });
  expect(await findingsOf(next)).toEqual([]);
});

test('a file that the backup has damaged is dropped by name, and its account has its bytes back', async () => {
  const mika = await someone();
  const folder = await makeFolder(app, mika);
  const [name = ''] = await makeFiles(app, mika, folder, 1);
  await storeStills(app, mika, folder, stillOf(name));
  await take();
  const [row] = await app.query<{ blob_key: string }>(
    sql`select blob_key from files where folder_id = ${folder.id}::uuid`,
  );
  const path = blobFile(dir, row!.blob_key);
  const { length } = await readFile(path);
  // Not written over: it is the file of the site, too.
  await rm(path);
  await writeFile(path, someBytes(length));
  const next = await createTestApp();
  const report = await putInto(next);
  expect(report.damaged).toEqual([row!.blob_key]);
  expect(report.missing).toBe(0);
  expect(report.dropped).toMatchObject({ files: 1, stills: 0 });
  expect(await sweepAll(next)).toEqual([]);
  expect(await findingsOf(next)).toEqual([]);

  await rm(path);
  const other = await createTestApp();
  expect(await putInto(other)).toMatchObject({ damaged: [], missing: 1, dropped: { files: 1 } });
  expect(await findingsOf(other)).toEqual([]);
});

test('only a whole backup is restored, and only into an empty site', async () => {
  const mika = await someone();
  await makeFiles(app, mika, await makeFolder(app, mika), 1);
  await take();
  await expect(take()).rejects.toThrow('is not empty');
  const next = await createTestApp();
  const copy = join(root, 'copy');
  await cp(dir, copy, { recursive: true });
  await writeFile(tableFile(copy, 'profiles'), '', { flag: 'w' });
  await expect(putInto(next, copy)).rejects.toThrow('is not as the backup made it');
  const manifest = JSON.parse(await readFile(manifestFile(copy), 'utf8'));
  await writeFile(tableFile(copy, 'profiles'), await readFile(tableFile(dir, 'profiles')));
  await writeFile(manifestFile(copy), JSON.stringify({ ...manifest, schema_step: newestMigration + 1 }));
  await expect(putInto(next, copy)).rejects.toThrow('restore it with the version that made it');
  await writeFile(manifestFile(copy), JSON.stringify({ ...manifest, format: 2 }));
  await expect(putInto(next, copy)).rejects.toThrow('is not one that this version knows');
  await rm(manifestFile(copy));
  await expect(putInto(next, copy)).rejects.toThrow('no complete backup');
  await next.deps.blobs.put('ab000000-0000-4000-8000-000000000001', [someBytes(3)]);
  await expect(putInto(next)).rejects.toThrow('store of files is not empty');
});

test('rows alone go beside the files that are in place, and uploads continue from where the rows are', async () => {
  const own = await createTestApp();
  const mika = await own.signIn('mika');
  const tus = createTus(own, mika);
  const open = await createUploadOf(own, mika, 9000);
  const done = await createUploadOf(own, mika, 4000);
  expect((await tus.patch(done.url, 0, done.bytes)).status).toBe(204);
  const former = await createUploadOf(own, mika, 3000);
  expect((await tus.patch(former.url, 0, former.bytes)).status).toBe(204);
  expect((await tus.patch(open.url, 0, open.bytes.subarray(0, 2000))).status).toBe(204);
  await backup({ db: own.database.db, blobs: null, dir });

  const blobs = () => createDiskBlobs({ dir: join(own.config.dataDir, 'blobs') });
  Object.assign(own.deps.blobs, blobs());
  expect((await tus.patch(open.url, 2000, open.bytes.subarray(2000, 5000))).status).toBe(204);
  await deleteFolder(own, mika, former.folder);
  const later = await createUploadOf(own, mika, 1000);
  expect((await tus.patch(later.url, 0, later.bytes)).status).toBe(204);

  const next = await createTestApp({ deps: { blobs: blobs() } });
  expect((await putInto(next)).dropped).toMatchObject({ files: 1, open_uploads: 0 });
  expect(await findingsOf(next)).toEqual([]);
  expect(await sweepAll(next)).toEqual([]);
  expect(await findingsOf(next)).toEqual([]);
  const there = open.url.replace(own.baseUrl, next.baseUrl);
  const again = createTus(next, mika);
  expect(await again.offsetOf(there)).toBe(2000);
  expect((await again.patch(there, 2000, open.bytes.subarray(2000))).status).toBe(204);
  for (const { url, bytes } of [open, done]) {
    expect(sha256(await contentOf(next, await pathOf(next, url)))).toBe(sha256(bytes));
  }
});
