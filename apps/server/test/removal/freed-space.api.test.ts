import { randomUUID } from 'node:crypto';
import { KIB } from '@satchel/contract/limits';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { purgeBlobs, queueBlobs } from '../../src/domain/files/blob-purge.ts';
import type { BlobParts } from '../../src/platform/blobs/blobs.ts';
import { inTransaction } from '../../src/platform/database/db.ts';
import { createFaults } from '../support/faults.ts';
import {
  accountOf,
  blobBytes,
  createTus,
  expectExactSums,
  freshName,
  makeFolder,
  someBytes,
  storedBlobs,
  sweepAll,
  upload,
  uploadState,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** Quota is given back only with its space: no sweep runs in these tests unless they start one. */

const app = await createTestApp();
const mika = await app.signIn('mika');
const tus = createTus(app, mika);

type Folder = Awaited<ReturnType<typeof makeFolder>>;
const UPSERT = { 'x-upsert': 'true' };

/** Bytes of all blobs on the disk. */
async function storedBytes(): Promise<number> {
  const sizes = await Promise.all((await storedBlobs(app)).map((key) => blobBytes(app, key)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const removals = async (): Promise<string[]> =>
  (await app.query<{ blob_key: string }>(sql`select blob_key from blob_removals`)).map((row) => row.blob_key);

const put = (folder: Folder, name: string, size: number, headers = {}) =>
  upload(tus, folder, name, someBytes(size), headers);

describe('space is free as soon as its quota is given back', () => {
  afterEach(async () => {
    await expectExactSums(app);
    const { used } = await accountOf(app, mika);
    expect(await storedBytes()).toBe(used);
    expect(await removals()).toEqual([]);
  });

  test('after twenty-five uploads of one name the disk holds as much as the account’s sum', async () => {
    const folder = await makeFolder(app, mika);
    const name = freshName();
    for (let version = 0; version < 25; version += 1) await put(folder, name, 100 * KIB, UPSERT);
    expect(await accountOf(app, mika)).toEqual({ used: 100 * KIB, reserved: 0 });
    expect(await storedBytes()).toBe(100 * KIB);
  });

  test('twelve uploads of one name at once leave one blob', async () => {
    const folder = await makeFolder(app, mika);
    const name = freshName();
    await Promise.all(Array.from({ length: 12 }, () => put(folder, name, 10 * KIB, UPSERT)));
    const { used } = await accountOf(app, mika);
    expect(await storedBytes()).toBe(used);
  });
});

describe('space that can’t be freed at once', () => {
  const faults = createFaults(app.deps.blobs, app.database.db);
  afterEach(() => faults.disarm());

  /** A file, and an upload without its last bytes that will replace it. */
  async function almostReplaced() {
    const folder = await makeFolder(app, mika);
    const name = freshName();
    const { blob_key } = await uploadState(app, await put(folder, name, KIB));
    const url = await tus.create({ folder, name, length: 2 * KIB, headers: UPSERT });
    return { blob_key, finish: () => tus.patch(url, 0, someBytes(2 * KIB)) };
  }

  async function expectSwept(blobKey: string): Promise<void> {
    expect(await removals()).toEqual([blobKey]);
    expect(await storedBlobs(app)).toContain(blobKey);
    await expectExactSums(app);
    expect(await sweepAll(app)).toEqual([]);
    expect(await storedBlobs(app)).not.toContain(blobKey);
    expect(await removals()).toEqual([]);
    await expectExactSums(app);
  }

  test('a store that deletes nothing is asked for one batch, and the rest is left to the sweep', async () => {
    const keys = Array.from({ length: 250 }, () => randomUUID());
    const { db } = app.database;
    await inTransaction(db, (tx) => queueBlobs(tx, keys));
    const [errors, left]: [unknown[], Set<string>] = [[], new Set()];
    const away = {
      ...app.deps.blobs,
      async delete(blobs: readonly BlobParts[]) {
        for (const { blobKey } of blobs) left.add(blobKey);
        return new Map(blobs.map(({ blobKey }) => [blobKey, new Error('the store is away')]));
      },
    };
    await purgeBlobs({ db, blobs: away }, keys, (error) => errors.push(error));
    expect([left.size, errors.length]).toEqual([100, 100]);
    expect(await removals()).toHaveLength(250);
    expect([await sweepAll(app), await removals()]).toEqual([[], []]);
  });

  test('a crash between the commit and the deletion leaves the sweep an entry', async () => {
    const { blob_key, finish } = await almostReplaced();
    faults.arm('commit', 0);
    expect((await finish()).status).toBe(500);
    await expectSwept(blob_key);
  });

  test('a disk that can’t delete the old bytes leaves the upload complete, and the sweep an entry', async () => {
    const { blob_key, finish } = await almostReplaced();
    faults.arm('delete', 0);
    expect((await finish()).status).toBe(204);
    await expectSwept(blob_key);
  });

  test('a queue that can’t be written any more leaves the upload complete, and the sweep an entry of deleted bytes', async () => {
    const { blob_key, finish } = await almostReplaced();
    await app.database.db.execute(sql`
      create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`);
    await app.database.db.execute(
      sql`create trigger refuse before delete on blob_removals for each statement execute function refuse()`,
    );
    expect((await finish()).status).toBe(204);
    await app.database.db.execute(sql`drop trigger refuse on blob_removals`);
    expect(await storedBlobs(app)).not.toContain(blob_key);
    expect(await removals()).toEqual([blob_key]);
    expect(await sweepAll(app)).toEqual([]);
    expect(await removals()).toEqual([]);
  });
});
