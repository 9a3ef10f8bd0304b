import type { CreateFolderOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { takeDown } from '../../src/domain/moderation/takedowns.ts';
import { PRIVATE_KEY } from '../support/folders.ts';
import { expire, sweepAll } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp();
const mika = await app.signIn('mika');

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

  test('is purged however many there are, with several sweeps at once; those of existing folders stay', async () => {
    const folder = await create();
    await query(sql`insert into slugs (slug, purge_at)
      select 'gone-long-ago-' || n, now() - interval '1 second' from generate_series(1, 1100) n`);
    expect((await Promise.all([sweepAll(app), sweepAll(app), sweepAll(app)])).flat()).toEqual([]);
    expect(await query(sql`select slug from slugs where slug like 'gone-long-ago-%'`)).toEqual([]);
    expect(await isKept(folder)).toBe(true);
  });
});
