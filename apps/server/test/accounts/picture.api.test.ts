import type { FolderAnalytics, FolderCompleteData, ProfileOutput, Session } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { beforeEach, describe, expect, test } from 'vitest';
import { givePictures, startSandbox } from '../support/discord/sandbox.ts';
import { makeFolder } from '../support/storage-kit.ts';
import { type Account, createTestApp, idOf } from '../support/test-app.ts';

/** This site sends avatars and banners, and their addresses reveal no Discord id. */

let folder: Folder;

const sandbox = await startSandbox('http://127.0.0.1:1/auth/v1/callback');
const app = await createTestApp({ env: { DISCORD_API_URL: sandbox.apiUrl } });
const ava = await app.signIn('ava');
const lena = await app.signIn('lena');
const jonas = await app.signIn('jonas');
/** Ids that no answer may contain, except the person's own. */
const avasIds = [await givePictures(app, ava, 'ava'), idOf('ava')];
beforeEach(async () => {
  folder = await makeFolder(app, ava);
});

const folderData = async (as?: Account) =>
  (await app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: folder.slug }, as)).body;
const visit = (as: Account) => app.rpc('record_folder_event', { folder_slug: folder.slug, kind: 'view' }, as);
const recent = async (as: Account) =>
  (await app.rpc<FolderAnalytics>('get_folder_analytics', { folder_slug: folder.slug }, as)).body.recent;
const get = (path: string, as?: Account, headers: Record<string, string> = {}) =>
  fetch(app.baseUrl + path, { redirect: 'manual', headers: { ...(as && { cookie: as.cookie }), ...headers } });
const statusOf = async (path: string, as?: Account) => (await get(path, as)).status;
const avatarOf = ({ profile_id }: Account, name = 'avatar.png') =>
  `/rest/v1/folders/${folder.slug}/people/${profile_id}/${name}`;

describe('a folder’s owner', () => {
  test('has pictures of this site, for strangers, too', async () => {
    const data = await folderData();
    expect(data.owner_avatar_url).toBe(avatarOf(ava, 'avatar.gif'));
    expect(data.owner_banner_url).toMatch(/\/banner\.(png|gif)$/);
    for (const address of [data.owner_avatar_url ?? '', data.owner_banner_url ?? '']) {
      const { status, headers } = await get(address);
      expect([status, headers.get('content-type')]).toEqual([200, `image/${address.slice(-3)}`]);
    }
  });

  test('has a Discord id that only its own person’s answers contain', async () => {
    await visit(lena);
    await visit(ava);
    const told: unknown[] = [await folderData(), await folderData(lena), await recent(lena)];
    for (const path of [`/rest/v1/folders/${folder.slug}`, `/f/${folder.slug}`, avatarOf(ava)]) {
      for (const as of [undefined, lena]) {
        const answer = await get(path, as);
        told.push([...answer.headers], Buffer.from(await answer.arrayBuffer()).toString('latin1'));
      }
    }
    for (const id of avasIds) expect(JSON.stringify(told)).not.toContain(id);
    // The search finds ids that are there.
    expect(JSON.stringify(await folderData(ava))).toContain(idOf('ava'));
  });

  test('also has a picture that does not move, and no further one', async () => {
    expect((await get(avatarOf(ava, 'avatar.png'))).headers.get('content-type')).toBe('image/png');
    for (const name of ['avatar.svg', 'avatar', 'other.png', '..%2Favatar.png', 'avatar.png%00', 'AVATAR.PNG']) {
      expect([name, await statusOf(avatarOf(ava, name))]).toEqual([name, 404]);
    }
    await givePictures(app, ava, 'mika');
    expect(await statusOf(avatarOf(ava, 'avatar.gif'))).toBe(404);
    expect(await statusOf(avatarOf(ava, 'avatar.png'))).toBe(200);
    await givePictures(app, ava, 'ava');
  });
});

describe('a visitor', () => {
  test('has pictures for the owner and for themselves alone', async () => {
    await visit(lena);
    expect((await recent(ava)).map(({ avatar_url }) => avatar_url)).toEqual([avatarOf(lena)]);
    expect([await statusOf(avatarOf(lena), ava), await statusOf(avatarOf(lena), lena)]).toEqual([200, 200]);
    expect([await statusOf(avatarOf(lena)), await statusOf(avatarOf(lena), jonas)]).toEqual([404, 404]);
  });

  test('who never came has none', async () => {
    expect(await statusOf(avatarOf(jonas), ava)).toBe(404);
    expect(await statusOf(avatarOf(jonas), jonas)).toBe(404);
    expect(await statusOf(`/rest/v1/folders/${folder.slug}/people/jonas/avatar.png`, ava)).toBe(404);
  });
});

describe('a picture', () => {
  test('is for this site’s pages, and revalidated each time', async () => {
    const { headers } = await get(avatarOf(ava));
    expect(Object.fromEntries(headers)).toMatchObject({
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'x-robots-tag': 'noindex',
    });
    const again = await get(avatarOf(ava), undefined, { 'if-none-match': headers.get('etag') ?? '' });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('of one’s own account has its own address, for one’s own session', async () => {
    const session = (await (await get('/auth/v1/session', ava)).json()) as Session;
    const profile = (await (await get('/rest/v1/profiles/me', ava)).json()) as ProfileOutput;
    const address = session.session?.user.user_metadata.avatar_url ?? '';
    expect(address).toBe('/rest/v1/profiles/me/pictures/avatar.gif');
    expect(profile).toMatchObject({
      avatar_url: address,
      banner_url: expect.stringMatching(/\/me\/pictures\/banner\./),
    });
    expect([await statusOf(address, ava), await statusOf(address), await statusOf(address, lena)]).toEqual([
      200, 401, 404,
    ]);
  });

  test('that Discord does not give is 404, and nothing fails', async () => {
    const apart = await createTestApp();
    const mika = await apart.signIn('mika');
    const answer = await apart.call('GET', '/rest/v1/profiles/me/pictures/avatar.png', { as: mika });
    expect(answer.status).toBe(404);
  });

  test('is in the export by its stored address', async () => {
    const exported = await (await get('/rest/v1/profiles/me/export', ava)).text();
    expect(exported).toContain(`${sandbox.origin}/avatars/${avasIds[0]}/`);
  });
});
