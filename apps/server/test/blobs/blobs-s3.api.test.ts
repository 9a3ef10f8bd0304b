import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { KIB, MIB } from '@satchel/contract/limits';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { backup } from '../../src/admin/backup/backup.ts';
import { restore } from '../../src/admin/backup/restore.ts';
import { fsck } from '../../src/admin/fsck.ts';
import { writeJournal } from '../../src/domain/taken-back.ts';
import { WHOLE, wholeBlob } from '../../src/platform/blobs/blobs.ts';
import { createS3Blobs } from '../../src/platform/blobs/blobs-s3.ts';
import { createS3Objects } from '../../src/platform/blobs/s3-objects.ts';
import { files } from '../../src/platform/schema/files.ts';
import { takeFolder } from '../support/at-end.ts';
import { describeS3 } from '../support/blobs/s3-tests.ts';
import { createTus, createUploadOf, deleteFolder, OBJECT, sha256, someBytes } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import { makeFiles } from '../support/uploads/still-kit.ts';
import { describeStore } from './conformance.ts';

/** Blobs in a real S3 gateway. */

const first = (blobKey: string) => ({ blobKey, epoch: 1, offsetBytes: 0, last: { start: 0, name: WHOLE } });

await describeS3('an S3 gateway', async (gateway) => {
  const used = await gateway.bucket();
  const blobs = await createS3Blobs(used);
  const others = await createS3Blobs(used);
  const objects = await createS3Objects(used);

  describeStore(
    'S3',
    () => blobs,
    () => others,
  );

  test('a bucket that can be used has no problem; one that can’t is refused with the reason', async () => {
    expect(await blobs.problem()).toBeNull();
    expect(await (await createS3Blobs({ ...used, bucket: 'not-there' })).problem()).toContain('no bucket');
    const credentials = { accessKeyId: 'testkey', secretAccessKey: 'another secret' };
    expect(await (await createS3Blobs({ ...used, credentials })).problem()).toContain('refuses these credentials');
    const versioned = await gateway.bucket();
    const { PutBucketVersioningCommand, S3Client } = await import('@aws-sdk/client-s3');
    const client = new S3Client({
      endpoint: used.endpoint!,
      region: used.region,
      credentials: used.credentials!,
      forcePathStyle: true,
    });
    const VersioningConfiguration = { Status: 'Enabled' as const };
    await client.send(new PutBucketVersioningCommand({ Bucket: versioned.bucket, VersioningConfiguration }));
    expect(await (await createS3Blobs(versioned)).problem()).toContain('keeps versions');
    client.destroy();
  });

  test('many stalled senders hold no more memory than there is, and the others get on', async () => {
    const writers = await Promise.all(Array.from({ length: 40 }, () => blobs.append(first(randomUUID()))));
    // 120 MiB that nothing acknowledges: more than the 64 MiB of all.
    await Promise.all(writers.map((writer) => writer.write([Buffer.alloc(3 * MIB)])));
    const parts = await Promise.all(writers.map((writer) => writer.sync(3 * MIB)));
    expect(parts.every((own) => own.length > 0)).toBe(true);
    await Promise.all(writers.map((writer) => writer.close()));
  });

  test('more than a thousand objects are listed and deleted', async () => {
    const keys = Array.from({ length: 1010 }, (_, at) => `${used.prefix}many/${at}`);
    for (let from = 0; from < keys.length; from += 50) {
      await Promise.all(keys.slice(from, from + 50).map((key) => objects.put(key, Buffer.from('x'))));
    }
    const listed = async () => {
      let count = 0;
      for await (const _ of objects.list(`${used.prefix}many/`)) count += 1;
      return count;
    };
    expect(await listed()).toBe(keys.length);
    expect([...(await objects.delete(keys))]).toEqual([]);
    expect(await listed()).toBe(0);
  });

  test('the server stores, resumes, sends and deletes files in it, and fsck finds a byte that the store has changed', async () => {
    // A place of its own: other tests' blobs are deleted whenever their writers end.
    const own = { ...used, prefix: `${used.prefix}served/` };
    const app = await createTestApp({ deps: { blobs: await createS3Blobs(own) } });
    const mika = await app.signIn('mika');
    const tus = createTus(app, mika);
    const bytes = someBytes(9 * MIB);
    const { url, content, folder } = await createUploadOf(app, mika, bytes.length);
    for (const [start, end] of [
      [0, 10],
      [10, 5 * MIB],
      [5 * MIB, bytes.length],
    ] as const) {
      expect((await tus.patch(url, start, bytes.subarray(start, end))).status).toBe(204);
      Object.assign(app.deps.blobs, await createS3Blobs(own));
    }
    expect(sha256(await content())).toBe(sha256(bytes));
    const list = async () => {
      let count = 0;
      for await (const _ of objects.list(own.prefix)) count += 1;
      return count;
    };
    // Each answer to a PATCH ends a part, and so does a checkpoint in the midst of one that is slow.
    expect(await list()).toBeGreaterThanOrEqual(3);
    const found = () => fsck({ ...app.deps, ...app.config, db: app.database.db, pauseMs: 10, reads: 'hashes' });
    expect((await found()).findings).toEqual([]);
    for await (const { key, sizeBytes } of objects.list(own.prefix)) {
      const changed = await objects.get(key, { start: 0, end: sizeBytes });
      changed[0]! ^= 1;
      await objects.put(key, changed);
      break;
    }
    expect((await found()).findings.map(({ kind }) => kind)).toEqual(['file_blob_changed']);
    await deleteFolder(app, mika, folder);
    expect(await list()).toBe(0);
  });

  test('a whole small blob is one request, and one that is not there is missing when it is opened', async () => {
    const blob = wholeBlob(randomUUID());
    await blobs.put(blob.blobKey, [randomBytes(10 * KIB)]);
    const reader = await others.open(blob, 10 * KIB);
    await objects.delete([`${used.prefix}${blob.blobKey}/${WHOLE}`]);
    expect((await reader.read({ start: 5, end: 10 })).length).toBe(5);
    await expect(others.open(blob, 10 * KIB)).rejects.toThrow('No such object');
  });

  test('a backup of a disk is restored into it, and one of it onto a disk', async () => {
    const dir = await takeFolder();
    const onDisk = await createTestApp();
    const mika = await onDisk.signIn('mover');
    const bytes = someBytes(9 * MIB);
    const { url, folder } = await createUploadOf(onDisk, mika, bytes.length);
    expect((await createTus(onDisk, mika).patch(url, 0, bytes)).status).toBe(204);
    await makeFiles(onDisk, mika, folder, 3);
    await writeJournal({ db: onDisk.database.db, journal: onDisk.deps.journal, tiers: onDisk.config.tiers });
    const sites = [onDisk];
    for (const stores of [{ blobs: await createS3Blobs(await gateway.bucket()) }, {}]) {
      const to = join(dir, String(sites.length));
      const from = sites.at(-1)!;
      await backup({ db: from.database.db, blobs: from.deps.blobs, dir: to });
      const site = await createTestApp({ deps: stores });
      const { database, deps, config } = site;
      const report = await restore({
        ...deps,
        journal: onDisk.deps.journal,
        say: expect.unreachable,
        db: database.db,
        tiers: config.tiers,
        dataDir: config.dataDir,
        dir: to,
      });
      expect(report).toMatchObject({ blobs: 4, damaged: [], dropped: { files: 0 } });
      const checked = { ...deps, db: database.db, tiers: config.tiers, dataDir: config.dataDir, pauseMs: 10 };
      const found = await fsck({ ...checked, reads: 'hashes' });
      expect(found).toMatchObject({ findings: [], checked: { blobs_hashed: 4 } });
      const [row] = await database.db.select().from(files).where(eq(files.size_bytes, bytes.length));
      const path = `${folder.bucket_storage_path}/${row!.name}`;
      const response = await fetch(`${site.baseUrl}${OBJECT}/public/unlocked-folders/${path}`);
      expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
      sites.push(site);
    }
  });
});
