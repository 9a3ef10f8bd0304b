import { randomUUID } from 'node:crypto';
import { readdir, readFile, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CreateFolderOutput } from '@satchel/contract/api';
import type { Folder, Profile } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { takeDown } from '../../src/domain/moderation/takedowns.ts';
import type { BlobStore } from '../../src/platform/blobs/blobs.ts';
import { inTransaction } from '../../src/platform/database/db.ts';
import type { LocalKeyShares } from '../../src/platform/keys/key-shares.ts';
import { creationHeaders, PRIVATE_KEY } from '../support/folders.ts';
import { expire, sweepAll } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

const CONTENT = Buffer.from('content-canary '.repeat(2000));

const app = await createTestApp();
const mika = await app.signIn('mika');

describe('deletion', () => {
  const { query } = app;
  const create = async () => {
    const { body } = await app.rpc<CreateFolderOutput>('create_folder_with_temp_key', PRIVATE_KEY, mika);
    return body.folder;
  };
  const expire = (folder: Folder, ago = '1 hour') =>
    query(sql`update folders set expires_at = now() - ${ago}::interval where id = ${folder.id}::uuid`);

  const foldersWithShares = async () => (await app.deps.keyShares.list()).map(({ folder_id }) => folder_id);

  /** Makes the shares of these folders look that old. */
  async function age(folderIds: readonly string[], hours: number): Promise<void> {
    const then = new Date(Date.now() - hours * 3_600_000);
    for (const path of await readdir(app.config.keysDir, { recursive: true })) {
      if (folderIds.some((id) => basename(path).startsWith(id)))
        await utimes(join(app.config.keysDir, path), then, then);
    }
  }

  /** Uploads over tus, completely or in part. */
  async function upload(folder: Folder, name: string, bytes: Buffer, lengthBytes = bytes.length): Promise<string> {
    const path = `${folder.bucket_storage_path}/${name}`;
    const created = await fetch(`${app.baseUrl}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${mika.bearer}`,
        'tus-resumable': '1.0.0',
        ...creationHeaders(path, lengthBytes, { contentType: 'application/octet-stream' }),
        'content-type': 'application/offset+octet-stream',
      },
      body: bytes,
    });
    expect(created.status).toBe(201);
    return created.headers.get('location') ?? '';
  }

  async function filesUnder(dir: string): Promise<Buffer[]> {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return Promise.all(paths.map((path) => readFile(path)));
  }
  const isOnDisk = async (canary: string) =>
    (await filesUnder(app.config.dataDir)).some((content) => content.includes(canary));
  const quota = async () => {
    const profile = (await (await app.call('GET', '/rest/v1/profiles/me', { as: mika })).json()) as Profile;
    return { used: profile.used_bytes, reserved: profile.reserved_bytes };
  };
  const stateOf = async (folder: Folder) => {
    const { status, body } = await app.rpc<object>('get_folder_complete_data', { input_folder_slug: folder.slug });
    if (status === 404) return 'not found';
    return 'folder_id' in body ? 'there' : 'expired';
  };

  test('deleting a folder deletes bytes, rows, reservation, key and share before it answers', async () => {
    const folder = await create();
    await upload(folder, 'whole.enc', CONTENT);
    await upload(folder, 'half.enc', CONTENT, CONTENT.length * 2);
    expect(await quota()).toEqual({ used: CONTENT.length, reserved: CONTENT.length * 2 });
    expect(await isOnDisk('content-canary')).toBe(true);
    expect(await isOnDisk(PRIVATE_KEY.key_share)).toBe(true);

    expect((await app.rpc('delete_folder_complete', { folder_id: folder.id }, mika)).status).toBe(204);
    expect(await stateOf(folder)).toBe('not found');
    expect(await quota()).toEqual({ used: 0, reserved: 0 });
    expect(await isOnDisk('content-canary')).toBe(false);
    expect(await isOnDisk(PRIVATE_KEY.key_share)).toBe(false);
    for (const table of ['files', 'uploads', 'temp_encryption_keys', 'blob_removals']) {
      expect(await query(sql`select * from ${sql.identifier(table)}`)).toEqual([]);
    }
    expect((await app.rpc('delete_folder_complete', { folder_id: folder.id }, mika)).status).toBe(404);
  });

  test('a deleted folder keeps neither name nor description, and its row is purged after an hour', async () => {
    const { body } = await app.rpc<CreateFolderOutput>('create_folder_with_temp_key', { folder_name: 'canary' }, mika);
    const where = sql`id = ${body.folder.id}::uuid`;
    await app.rpc('delete_folder_complete', { folder_id: body.folder.id }, mika);
    expect(await query(sql`select name, description from folders where ${where}`)).toEqual([
      { name: null, description: null },
    ]);
    await sweepAll(app);
    expect(await query(sql`select id from folders where ${where}`)).toHaveLength(1);
    await query(sql`update folders set deleted_at = now() - interval '2 hours' where ${where}`);
    await sweepAll(app);
    expect(await query(sql`select id from folders where ${where}`)).toEqual([]);
  });

  test('a blob that can’t be deleted waits in the queue, and delays no other', async () => {
    const folder = await create();
    await upload(folder, 'a.enc', CONTENT);
    await upload(folder, 'b.enc', CONTENT);
    await expire(folder);
    const [stuck] = await query<{ blob_key: string }>(sql`select blob_key from files where name = 'a.enc'`);
    const failing: BlobStore = {
      ...app.deps.blobs,
      delete: async (some) => {
        const [failed, others] = [true, false].map((is) =>
          some.filter((blob) => (blob.blobKey === stuck?.blob_key) === is),
        );
        await app.deps.blobs.delete(others!);
        return new Map(failed!.map(({ blobKey }) => [blobKey, new Error('no disk')]));
      },
    };
    expect(await sweepAll(app, { blobs: failing })).toContainEqual(new Error('no disk'));
    expect(await query(sql`select blob_key from blob_removals where attempts > 0`)).toEqual([stuck]);
    expect(await sweepAll(app)).toEqual([]);
    expect(await query(sql`select blob_key from blob_removals`)).toEqual([]);
    expect(await isOnDisk('content-canary')).toBe(false);
  });

  test('a share left by a folder that was deleted is purged by the next sweep', async () => {
    const [folder, deleted] = [await create(), await create()];
    await app.rpc('delete_folder_complete', { folder_id: deleted.id }, mika);
    await app.deps.keyShares.write({ folder_id: deleted.id, share_id: randomUUID() }, 'x');
    await age([folder.id, deleted.id], 1);
    expect(await sweepAll(app)).toEqual([]);
    expect(await foldersWithShares()).toContain(folder.id);
    expect(await foldersWithShares()).not.toContain(deleted.id);
  });

  test('a share that a crash left beside the one in use is purged once it is surely unused', async () => {
    const folder = await create();
    const [old, young] = [randomUUID(), randomUUID()];
    await app.deps.keyShares.write({ folder_id: folder.id, share_id: old }, 'x');
    await age([folder.id], 0.1);
    await app.deps.keyShares.write({ folder_id: folder.id, share_id: young }, 'x');
    expect(await sweepAll(app)).toEqual([]);
    const left = (await app.deps.keyShares.list()).filter(({ folder_id }) => folder_id === folder.id);
    expect(left).toHaveLength(2);
    expect(left.map(({ share_id }) => share_id)).toContain(young);
    expect(left.map(({ share_id }) => share_id)).not.toContain(old);
    expect(await isOnDisk(PRIVATE_KEY.key_share)).toBe(true);
    await app.rpc('delete_folder_complete', { folder_id: folder.id }, mika);
    expect(await foldersWithShares()).not.toContain(folder.id);
  });

  test('tries of a passphrase are purged when they no longer count', async () => {
    const folder = await create();
    const tried = (ago: string) =>
      query(
        sql`insert into passphrase_tries (folder_id, tried_at) values (${folder.id}::uuid, now() - ${ago}::interval)`,
      );
    await tried('61 minutes');
    await tried('59 minutes');
    expect(await sweepAll(app)).toEqual([]);
    expect(await query(sql`select * from passphrase_tries`)).toHaveLength(1);
  });

  test('a share of a folder that this database does not know stays for as long as a folder may live', async () => {
    const [young, foreign, old] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [young, foreign, old]) {
      await app.deps.keyShares.write({ folder_id: id, share_id: randomUUID() }, 'x');
    }
    await age([foreign], app.config.tiers.free.folder_lifetime_hours - 1);
    await age([old], app.config.tiers.free.folder_lifetime_hours + 1);
    expect(await sweepAll(app)).toEqual([]);
    const left = await foldersWithShares();
    expect(left).toEqual(expect.arrayContaining([young, foreign]));
    expect(left).not.toContain(old);
  });

  test('a share that can’t be deleted is reported, and delays none of the others', async () => {
    const orphans: string[] = [randomUUID(), randomUUID()];
    for (const id of orphans) await app.deps.keyShares.write({ folder_id: id, share_id: randomUUID() }, 'x');
    await age(orphans, app.config.tiers.free.folder_lifetime_hours + 1);
    let erasures = 0;
    const keyShares: LocalKeyShares = {
      ...app.deps.keyShares,
      delete: (id) => (erasures++ === 0 ? Promise.reject(new Error('no disk')) : app.deps.keyShares.delete(id)),
    };
    expect(await sweepAll(app, { keyShares })).toEqual([new Error('no disk')]);
    expect((await foldersWithShares()).filter((id) => orphans.includes(id))).toHaveLength(1);
    expect(await sweepAll(app)).toEqual([]);
    expect((await foldersWithShares()).filter((id) => orphans.includes(id))).toEqual([]);
  });

  test('a failing step is reported and delays none of the others', async () => {
    const folder = await create();
    await expire(folder);
    const walk = async function* () {
      yield [];
      throw new Error('no disk');
    };
    const keyShares = { ...app.deps.keyShares, walk };
    await query(sql`insert into blob_removals (blob_key) values (gen_random_uuid())`);
    expect(await sweepAll(app, { keyShares })).toEqual([new Error('no disk')]);
    expect(await stateOf(folder)).toBe('expired');
    expect(await query(sql`select * from blob_removals`)).toEqual([]);
  });

  test('a key service that is down delays no sweep, and is called once', async () => {
    await query(sql`insert into slugs (slug) select 'swept-while-down-' || n from generate_series(1, 101) n`);
    await query(sql`insert into folders (slug, expires_at, bucket, bucket_storage_path, owner_profile_id, link_mode)
      select slug, now() - interval '1 hour', '', slug, ${mika.profile_id}::uuid, 'plain'
      from slugs where slug like 'swept-while-down-%'`);
    const keyShares = { ...app.deps.keyShares, deleteAll: () => Promise.reject(new Error('no line')) };
    expect(await sweepAll(app, { keyShares })).toEqual([new Error('no line')]);
    expect(await query(sql`select * from folders where deleted_at is null and expires_at < now()`)).toEqual([]);
  });

  test('two sweeps at once purge every folder once', async () => {
    const folders = await Promise.all(Array.from({ length: 8 }, create));
    for (const folder of folders) await upload(folder, 'whole.enc', CONTENT);
    for (const folder of folders) await expire(folder);
    expect((await Promise.all([sweepAll(app), sweepAll(app), sweepAll(app)])).flat()).toEqual([]);
    expect(await quota()).toEqual({ used: 0, reserved: 0 });
    for (const folder of folders) expect(await stateOf(folder)).toBe('expired');
  });

  test('two sweeps at once purge old visitors, sessions and uploads, however many', async () => {
    const folder = await create();
    const many = sql`generate_series(1, 1100) n`;
    const old = sql`now() - interval '2 days'`;
    await query(sql`insert into folder_visitors (folder_id, visitor, first_seen_at, last_seen_at)
      select ${folder.id}::uuid, 'visitor ' || n, ${old}, ${old} from ${many}`);
    await query(sql`insert into sessions (token_hash, profile_id, expires_at)
      select 'hash ' || n, ${mika.profile_id}::uuid, ${old} from ${many}`);
    await query(sql`insert into uploads
        (folder_id, profile_id, name, mimetype, cache_control, metadata, length_bytes, blob_key, expires_at)
      select ${folder.id}::uuid, ${mika.profile_id}::uuid, 'name ' || n, '', '', '', 2, gen_random_uuid(), ${old}
      from ${many}`);
    await query(sql`update profiles set reserved_bytes = 2200 where id = ${mika.profile_id}::uuid`);
    expect((await Promise.all([sweepAll(app), sweepAll(app)])).flat()).toEqual([]);
    expect(await quota()).toEqual({ used: 0, reserved: 0 });
    for (const table of ['folder_visitors', 'uploads', 'blob_removals']) {
      expect(await query(sql`select * from ${sql.identifier(table)}`), table).toEqual([]);
    }
    expect(await query(sql`select * from sessions where expires_at < now()`)).toEqual([]);
    await app.rpc('delete_folder_complete', { folder_id: folder.id }, mika);
  });

  test('a sweep skips rows that another one has locked, and never waits', async () => {
    const [held, other] = [await create(), await create()];
    for (const folder of [held, other]) await expire(folder);
    await query(sql`insert into folder_visitors (folder_id, visitor, first_seen_at, last_seen_at)
    select ${held.id}::uuid, 'visitor ' || n, now() - interval '2 days', now() - interval '2 days'
    from generate_series(1, 3) n`);
    const sessions = sql`select * from sessions where token_hash in ('held', 'other')`;
    await query(sql`insert into sessions (token_hash, profile_id, expires_at)
    select hash, ${mika.profile_id}::uuid, now() from unnest(array['held', 'other']) hash`);
    await inTransaction(app.database.db, async (tx) => {
      await tx.execute(sql`select * from folders where id = ${held.id}::uuid for update`);
      await tx.execute(sql`select * from folder_visitors where visitor = 'visitor 1' for update`);
      await tx.execute(sql`select * from sessions where token_hash = 'held' for update`);
      expect(await sweepAll(app)).toEqual([]);
      expect(await query(sql`select visitor from folder_visitors`)).toEqual([{ visitor: 'visitor 1' }]);
      expect(await query(sessions)).toMatchObject([{ token_hash: 'held' }]);
      expect(await query(sql`select id from folders where deleted_at is null and expires_at <= now()`)).toEqual([
        { id: held.id },
      ]);
    });
    expect(await sweepAll(app)).toEqual([]);
    expect([await query(sessions), await query(sql`select visitor from folder_visitors`)]).toEqual([[], []]);
  });
});

describe('the slug of a deleted folder', () => {
  const { query } = app;
  const create = async (): Promise<Folder> =>
    (await app.rpc<CreateFolderOutput>('create_folder_with_temp_key', PRIVATE_KEY, mika)).body.folder;
  const statusOf = async ({ slug }: Folder) => (await app.call('GET', `/rest/v1/folders/${slug}`)).status;
  const daysPass = async (days: number) => {
    const past = sql`make_interval(days => ${days})`;
    await query(sql`update slugs set expires_at = expires_at - ${past}, purge_at = purge_at - ${past}`);
    await query(sql`update folders set deleted_at = deleted_at - ${past}`);
    expect(await sweepAll(app)).toEqual([]);
  };
  const isKept = async ({ slug }: { slug: string }) =>
    (await query(sql`select slug from slugs where slug = ${slug}`)).length === 1;
  const again = async ({ slug }: { slug: string }) =>
    (await app.rpc('create_folder_with_temp_key', { folder_slug: slug }, mika)).status;

  test('is reserved for 30 days, whether expired, restricted or deleted; then its row is purged', async () => {
    const [expired, restricted, deleted] = [await create(), await create(), await create()];
    await app.rpc('update_folder_settings', { folder_id: restricted.id, new_access: 'restricted' }, mika);
    await app.rpc('delete_folder_complete', { folder_id: deleted.id }, mika);
    for (const folder of [expired, restricted]) await expire(app, folder);
    expect(await sweepAll(app)).toEqual([]);
    await daysPass(29);
    for (const folder of [expired, restricted, deleted]) {
      expect(await isKept(folder)).toBe(true);
      expect(await again(folder)).toBe(409);
    }
    expect(await statusOf(expired)).toBe(410);
    await daysPass(2);
    for (const folder of [expired, restricted, deleted]) {
      expect(await statusOf(folder)).toBe(404);
      expect(await isKept(folder)).toBe(false);
      expect(await again(folder)).toBe(201);
    }
  });

  test('that was taken down stays for good, and says why', async () => {
    const folder = await create();
    const { keyShares, blobs } = app.deps;
    const takedown = { folder_slug: folder.slug, reason: 'malware', deny_files: false };
    await takeDown({ db: app.database.db, keyShares, blobs }, '1', takedown, (error) => expect.fail(String(error)));
    await daysPass(365);
    expect(await again(folder)).toBe(409);
    const gone = await app.call('GET', `/rest/v1/folders/${folder.slug}`);
    expect([gone.status, await gone.json()]).toMatchObject([410, { error: { params: { reason: 'malware' } } }]);
  });

  test('is purged however many there are, with several sweeps at once; shares of existing folders stay', async () => {
    const folder = await create();
    await query(sql`insert into slugs (slug, purge_at)
      select 'gone-long-ago-' || n, now() - interval '1 second' from generate_series(1, 1100) n`);
    expect((await Promise.all([sweepAll(app), sweepAll(app), sweepAll(app)])).flat()).toEqual([]);
    expect(await query(sql`select slug from slugs where slug like 'gone-long-ago-%'`)).toEqual([]);
    expect(await isKept(folder)).toBe(true);
  });
});
