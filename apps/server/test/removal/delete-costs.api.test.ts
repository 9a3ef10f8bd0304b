import { randomUUID } from 'node:crypto';
import { KIB } from '@satchel/contract/limits';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { sweep } from '../../src/domain/sweep.ts';
import { PRIVATE_KEY } from '../support/folders.ts';
import {
  createTus,
  expire,
  freshName,
  makeFolder,
  OBJECT,
  someBytes,
  storedBlobs,
  upload,
} from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/**
 * The cost of acts that delete: their own blobs and shares, however many others are queued; and how a sweep is ended.
 */

type Folder = Awaited<ReturnType<typeof makeFolder>>;
const FOREIGN = 2000;

const queued = async () =>
  (await query<{ count: number }>(sql`select count(*)::integer as count from blob_removals`))[0]?.count;
const queueForeign = () =>
  query(sql`insert into blob_removals (blob_key, queued_at)
    select gen_random_uuid(), now() - interval '1 hour' from generate_series(1, ${FOREIGN}::integer)`);
const runSweep = (signal?: AbortSignal) =>
  sweep(
    { ...app.deps, db: app.database.db, tiers: app.config.tiers },
    (error) => expect.unreachable(String(error)),
    signal,
  );
const put = (folder: Folder, headers = {}, name = `${freshName()}.enc`) =>
  upload(tus, folder, name, someBytes(KIB), headers);

const app = await createTestApp({ env: { OPERATOR_DISCORD_IDS: '1' } });
const mika = await app.signIn('mika');
const tus = createTus(app, mika);
const { query } = app;
afterEach(() => {
  vi.restoreAllMocks();
});

describe('with many blobs of others in the queue, only their own are purged by', () => {
  beforeAll(queueForeign);
  afterEach(async () => expect(await queued()).toBe(FOREIGN));
  afterAll(() => query(sql`delete from blob_removals`));

  /** Blobs that are deleted while `act` runs. */
  async function removedBy(act: () => Promise<Response | { status: number }>): Promise<number> {
    const before = await storedBlobs(app);
    const remove = vi.spyOn(app.deps.blobs, 'delete');
    expect((await act()).status).toBeLessThan(300);
    const left = new Set(await storedBlobs(app));
    const gone = before.filter((key) => !left.has(key));
    // An upload without a byte has no blob yet.
    const asked = remove.mock.calls.flatMap(([blobs]) => blobs.map(({ blobKey }) => blobKey));
    expect(asked).toEqual(expect.arrayContaining(gone));
    remove.mockRestore();
    return asked.length;
  }

  test('Delete', async () => {
    const folder = await makeFolder(app, mika, 'private');
    for (let count = 0; count < 3; count += 1) await put(folder);
    await tus.create({ folder, name: `${freshName()}.enc`, length: KIB });
    expect(await removedBy(() => app.rpc('delete_folder_complete', { folder_id: folder.id }, mika))).toBe(4);
  });

  test('replacing a file, cancelling an upload, deleting a file, Revoke', async () => {
    const folder = await makeFolder(app, mika, 'private');
    const name = `${freshName()}.enc`;
    await put(folder, {}, name);
    const next = await tus.create({ folder, name, length: KIB, headers: { 'x-upsert': 'true' } });
    expect(await removedBy(() => tus.patch(next, 0, someBytes(KIB)))).toBe(1);
    const open = await tus.create({ folder, name: `${freshName()}.enc`, length: KIB });
    expect(await removedBy(() => tus.terminate(open))).toBe(1);
    const url = `${app.baseUrl}${OBJECT}/unlocked-folders/${folder.bucket_storage_path}/${name}`;
    expect(await removedBy(() => fetch(url, { method: 'DELETE', headers: tus.headers }))).toBe(1);
    const revoked = await tus.create({ folder, name: `${freshName()}.enc`, length: KIB });
    expect((await tus.patch(revoked, 0, someBytes(10))).status).toBe(204);
    expect(await removedBy(() => app.rpc('revoke_temp_encryption_key', { folder_id: folder.id }, mika))).toBe(1);
  });

  test('the end of an account', async () => {
    const jonas = await app.signIn('jonas');
    const theirs = createTus(app, jonas);
    for (const _ of [1, 2]) {
      const folder = await makeFolder(app, jonas);
      const url = await theirs.create({ folder, name: freshName(), length: KIB });
      await theirs.patch(url, 0, someBytes(KIB));
    }
    expect(await removedBy(() => app.call('DELETE', '/rest/v1/profiles/me', { as: jonas }))).toBe(2);
  });
});

describe('a sweep', () => {
  test('deletes each folder’s blobs before it continues with the next folder', async () => {
    const folders = [await makeFolder(app, mika), await makeFolder(app, mika), await makeFolder(app, mika)];
    for (const folder of folders) await put(folder);
    for (const folder of folders) await expire(app, folder);
    const dead: number[] = [];
    const { delete: deleteBlob } = app.deps.blobs;
    vi.spyOn(app.deps.blobs, 'delete').mockImplementation(async (blobs) => {
      const rows = await query(sql`select 1 from folders where deleted_at is null and expires_at <= now()`);
      dead.push(rows.length);
      return deleteBlob(blobs);
    });
    await runSweep();
    expect(dead).toEqual([2, 1, 0]);
  });

  test('that is stopped ends within a batch, at any step, and the next one finishes', async () => {
    await queueForeign();
    const stop = new AbortController();
    const { delete: deleteBlob } = app.deps.blobs;
    const removing = vi.spyOn(app.deps.blobs, 'delete').mockImplementation(async (blobs) => {
      stop.abort();
      return deleteBlob(blobs);
    });
    await runSweep(stop.signal);
    const removed = removing.mock.calls.flatMap(([blobs]) => blobs).length;
    expect(removed).toBeLessThanOrEqual(100);
    expect(await queued()).toBe(FOREIGN - removed);
    vi.restoreAllMocks();
    await runSweep();
    expect(await queued()).toBe(0);
  });

  test('that is stopped between two expired folders leaves the others to the next one', async () => {
    const folders = [await makeFolder(app, mika), await makeFolder(app, mika), await makeFolder(app, mika)];
    for (const folder of folders) await expire(app, folder);
    const stop = new AbortController();
    vi.spyOn(app.deps.keyShares, 'deleteAll').mockImplementationOnce(async () => stop.abort());
    await runSweep(stop.signal);
    const left = () => query(sql`select 1 from folders where deleted_at is null and expires_at <= now()`);
    expect(await left()).toHaveLength(2);
    await runSweep();
    expect(await left()).toEqual([]);
  });

  test('checks a bounded part of all shares, and reaches each of them in a few runs', async () => {
    const { body } = await app.rpc<{ folder: { id: string } }>('create_folder_with_temp_key', PRIVATE_KEY, mika);
    const real = app.deps.keyShares;
    const orphan = { folder_id: body.folder.id, share_id: randomUUID(), ageMs: 3_600_000 };
    const foreign = Array.from({ length: 4000 }, () => ({ folder_id: randomUUID(), share_id: randomUUID(), ageMs: 0 }));
    const parts = [foreign, foreign, foreign, foreign, [orphan]];
    let at = 0;
    const walk = async function* () {
      while (at < parts.length) yield parts[at++]!;
    };
    const deleteShare = vi.fn(real.delete);
    const turn = () =>
      sweep(
        {
          ...app.deps,
          db: app.database.db,
          tiers: app.config.tiers,
          keyShares: { ...real, walk, delete: deleteShare },
        },
        (error) => expect.unreachable(String(error)),
      );
    await turn();
    expect(at).toBe(3);
    expect(deleteShare).not.toHaveBeenCalled();
    await turn();
    expect(deleteShare).toHaveBeenCalledWith({ folder_id: orphan.folder_id, share_id: orphan.share_id });
  });
});
