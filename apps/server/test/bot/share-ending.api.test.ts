import type { FolderCompleteData } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { takeDown } from '../../src/domain/moderation/takedowns.ts';
import { rowsOf } from '../../src/platform/database/db.ts';
import { type BotAnswer, click, submit } from '../support/discord/discord-kit.ts';
import { redeem, setAccess } from '../support/discord/guests.ts';
import {
  buttonsOf,
  grantOf,
  LANTERN,
  OPEN,
  openIdOf,
  PRIVATE,
  SHUT,
  startShareKit,
} from '../support/discord/share-kit.ts';
import { deleteFolder, expire, sweepAll } from '../support/storage-kit.ts';
import { idOf } from '../support/test-app.ts';

/** How a share ends or lasts longer: by the owner, by time, or with its folder. */

const HOUR_MS = 3_600_000;

const { app, owner, kit } = await startShareKit();
await app.signIn('jonas');

const clickAs = (who: string, act: string, { id }: Folder) => click(app, who, `share:${act}:${id}`, LANTERN);
const folderOf = async ({ slug }: Folder): Promise<FolderCompleteData> =>
  (await app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: slug }, owner)).body;

describe('Revoke', () => {
  test('asks first, and Cancel changes nothing', async () => {
    const made = await kit.makeShareable('discord');
    const openId = await kit.shareRestricted(made.folder);
    const { body } = await clickAs('mika', 'revoke', made.folder);
    expect(body.data.flags).toBe(PRIVATE);
    expect(buttonsOf(body.data).map(({ label }) => label)).toEqual(['Revoke', 'Cancel']);
    const [, cancel] = buttonsOf(body.data);
    expect((await click(app, 'mika', cancel.custom_id, LANTERN)).body).toMatchObject({
      type: 7,
      data: { content: 'Nothing has changed.', components: [] },
    });
    expect(await kit.waysIn(made, await kit.comeIn('jonas', openId))).toEqual(OPEN);
  });

  test.each(['discord', 'private'] as const)('ends a %s link with its key, its cards and its guests', async (mode) => {
    const made = await kit.makeShareable(mode);
    await setAccess(app, owner, made.folder, 'restricted');
    const openId = await kit.openOf(made.folder);
    const guest = await kit.comeIn('jonas', openId);
    const pending = grantOf(await click(app, 'lena', openId, LANTERN));
    expect(await kit.waysIn(made, guest)).toEqual(OPEN);
    expect((await clickAs('mika', 'close', made.folder)).body.data.content).toContain('is revoked');
    expect(await kit.waysIn(made, guest)).toEqual(SHUT);
    expect((await redeem(app, pending!)).status).toBe(404);
    await kit.expectEnded('jonas', openId, LANTERN, /lets no one in any more/);
    expect((await kit.waysIn(made, owner.cookie)).key).toBe(404);
    expect(await app.deps.keyShares.list()).not.toContainEqual(expect.objectContaining({ folder_id: made.folder.id }));
    // Its files can't be opened any more, so there is nothing to share; a second Revoke does no harm.
    const { body } = await kit.share(made.folder, { with: idOf('ava') });
    expect(body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('is revoked') });
    expect((await clickAs('mika', 'close', made.folder)).body.data.content).toContain('is revoked');
  });

  test('of a folder without a key leaves it to its owner, who may share it again', async () => {
    const made = await kit.makeShareable('plain');
    const openId = await kit.shareRestricted(made.folder);
    const guest = await kit.comeIn('jonas', openId);
    expect((await clickAs('mika', 'close', made.folder)).body.data.content).toContain('Only you get into');
    for (const cookie of ['', guest]) expect(await kit.waysIn(made, cookie)).toEqual(SHUT);
    await kit.expectEnded('jonas', openId, LANTERN, /lets no one in any more/);
    expect((await kit.waysIn(made, owner.cookie)).object).toBe(200);
    await kit.comeIn('jonas', openIdOf(await kit.share(made.folder)));
  });

  test('on the site stops cards from letting people in', async () => {
    const { folder } = await kit.makeShareable('discord');
    const openId = await kit.shareRestricted(folder);
    await app.rpc('revoke_temp_encryption_key', { folder_id: folder.id }, owner);
    await kit.expectEnded('jonas', openId, LANTERN, /link of this folder is revoked/);
    expect(await kit.grantsOf(folder)).toEqual([]);
  });
});

describe('a card whose folder has ended', () => {
  const reportOf = (answer: BotAnswer): string =>
    buttonsOf(answer.body.data).find(({ label }) => label === 'Report').custom_id;

  test('says so when it is clicked, and loses its buttons: expired, also after the sweep', async () => {
    const { folder } = await kit.makeShareable('discord');
    const reportId = reportOf(await kit.share(folder));
    await expire(app, folder);
    await kit.expectEnded('jonas', reportId, LANTERN, /has expired/);
    expect(await sweepAll(app)).toEqual([]);
    await kit.expectEnded('jonas', reportId, LANTERN, /has expired/);
  });

  test('of a restricted one says nothing more than that it lets no one in', async () => {
    const { folder } = await kit.makeShareable('plain');
    const openId = openIdOf(await kit.share(folder, { with: idOf('ava') }));
    await expire(app, folder);
    await kit.expectEnded('ava', openId, LANTERN, /has expired/);
    expect(await sweepAll(app)).toEqual([]);
    await kit.expectEnded('ava', openId, LANTERN, /lets no one in any more/);
  });

  test('deleted, it lets no one in', async () => {
    const { folder } = await kit.makeShareable('plain');
    const openId = await kit.shareRestricted(folder);
    await deleteFolder(app, owner, folder);
    expect(await kit.sharesOf(folder)).toEqual([]);
    await kit.expectEnded('jonas', openId, LANTERN, /lets no one in any more/);
  });

  test('taken down, it says that', async () => {
    const { folder } = await kit.makeShareable('plain');
    const reportId = reportOf(await kit.share(folder));
    const takedown = { folder_slug: folder.slug, reason: 'a reason', deny_files: false };
    await takeDown({ ...app.deps, db: app.database.db }, idOf('otto'), takedown, (error) => expect.fail(String(error)));
    await kit.expectEnded('jonas', reportId, LANTERN, /taken this folder down/);
  });

  test.each(['revoke', 'close', 'extend', 'again'])('has no %s any more', async (act) => {
    const { folder } = await kit.makeShareable('plain');
    await deleteFolder(app, owner, folder);
    const { body } = await clickAs('mika', act, folder);
    expect(body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('can’t find this folder') });
  });
});

describe('Extend', () => {
  const hoursIn = ({ body }: BotAnswer) => body.data.components[0].component.value;
  const extend = (folder: Folder, hours: string, as = 'mika', locale = 'en-US') =>
    submit(app, as, `share:until:${folder.id}`, { hours }, { ...LANTERN, locale });
  const lastsMs = async (folder: Folder) => {
    const { folder_expires_at, server_time } = await folderOf(folder);
    return Date.parse(folder_expires_at) - Date.parse(server_time);
  };

  test('asks for hours, names the limit, and the receipt says the new end', async () => {
    const made = await kit.makeShareable('discord', { expires_in_hours: 2 });
    await kit.share(made.folder);
    const form = await clickAs('mika', 'extend', made.folder);
    expect(form.body.type).toBe(9);
    expect(hoursIn(form)).toBe('23.9');
    const { body } = await extend(made.folder, '5');
    const end = Math.floor(Date.parse((await folderOf(made.folder)).folder_expires_at) / 1000);
    expect(body.type).toBe(7);
    expect(body.data.content).toContain(`<t:${end}:R>`);
    expect(Math.abs((await lastsMs(made.folder)) - 5 * HOUR_MS)).toBeLessThan(60_000);
    // The key of a Discord link lasts as long.
    expect((await kit.waysIn(made)).key).toBe(200);
  });

  test('takes a number with a point or a comma', async () => {
    const { folder } = await kit.makeShareable('plain', { expires_in_hours: 2 });
    expect((await extend(folder, ' 3,5 ', 'mika', 'de')).body.type).toBe(7);
    expect(Math.abs((await lastsMs(folder)) - 3.5 * HOUR_MS)).toBeLessThan(60_000);
    expect(hoursIn(await click(app, 'mika', `share:extend:${folder.id}`, { ...LANTERN, locale: 'de' }))).toBe('23,9');
  });

  test('accepts the longest life that a form offered, however long the person took', async () => {
    const { folder } = await kit.makeShareable('plain', { expires_in_hours: 2 });
    const offered = hoursIn(await clickAs('mika', 'extend', folder));
    const result = await app.database.db.execute(sql`
      update folders
      set created_at = created_at - interval '14 minutes', expires_at = expires_at - interval '14 minutes'
      where id = ${folder.id} returning created_at + interval '24 hours' as longest`);
    const [row] = rowsOf<{ longest: string | Date }>(result);
    expect((await extend(folder, offered)).body.type).toBe(7);
    expect(Date.parse((await folderOf(folder)).folder_expires_at)).toBe(new Date(row!.longest).getTime());
  });

  test('never shortens a life, exceeds the limit, or takes other input', async () => {
    const { folder } = await kit.makeShareable('plain', { expires_in_hours: 2 });
    for (const hours of ['1', '24.2', '-5', '', 'many', '1e1', '0x9', '9'.repeat(30)]) {
      const { body } = await extend(folder, hours);
      expect(body.data, hours).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('from 2 to 23.9') });
    }
    expect((await folderOf(folder)).folder_expires_at).toBe(folder.expires_at);
  });

  test('says that a folder has its longest life already', async () => {
    const { folder } = await kit.makeShareable('plain');
    for (const answer of [await clickAs('mika', 'extend', folder), await extend(folder, '30')]) {
      expect(answer.body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('as long as it can') });
    }
  });
});

test('only the owner revokes, extends or shares by these buttons', async () => {
  const made = await kit.makeShareable('discord', { expires_in_hours: 2 });
  await kit.share(made.folder);
  for (const act of ['revoke', 'close', 'extend', 'again']) {
    const { body } = await clickAs('jonas', act, made.folder);
    expect(body.data, act).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('Only the owner') });
  }
  const { body } = await submit(app, 'jonas', `share:until:${made.folder.id}`, { hours: '5' }, LANTERN);
  expect(body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('Only the owner') });
  expect(await kit.waysIn(made)).toEqual(OPEN);
  expect((await folderOf(made.folder)).folder_expires_at).toBe(made.folder.expires_at);
  expect(await kit.sharesOf(made.folder)).toEqual([]);
});
