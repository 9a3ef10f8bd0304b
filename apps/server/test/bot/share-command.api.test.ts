import { describe, expect, test } from 'vitest';
import { closeFolder } from '../../src/domain/folders/folder-settings.ts';
import { openInvitation } from '../../src/domain/sharing/invitations.ts';
import { click, command, makeInteraction, send } from '../support/discord/discord-kit.ts';
import { redeem, setAccess } from '../support/discord/guests.ts';
import {
  buttonsOf,
  CHAT,
  grantOf,
  LANTERN,
  LIBRARY,
  linkOf,
  OPEN,
  openIdOf,
  PRIVATE,
  SHUT,
  startShareKit,
} from '../support/discord/share-kit.ts';
import { idOf } from '../support/test-app.ts';

/** /share: who gets in by a card, and who does not. */

const { app, owner, kit } = await startShareKit();

describe('a card', () => {
  test.each(['discord', 'plain'] as const)(
    'of a %s folder is public, and its Open is the link itself',
    async (mode) => {
      const made = await kit.makeShareable(mode, { folder_name: 'Maps' });
      const answer = await kit.share(made.folder);
      expect(answer.body.type).toBe(4);
      expect(answer.body.data.flags ?? 0).toBe(0);
      const ends = Math.floor(Date.parse(made.folder.expires_at) / 1000);
      const [embed] = answer.body.data.embeds;
      expect(embed.title).toBe('Maps');
      for (const fact of [`<@${idOf('mika')}>`, '1 file, 1000 Bytes', `<t:${ends}:R>`])
        expect(embed.description).toContain(fact);
      expect(buttonsOf(answer.body.data).map(({ label }) => label)).toEqual(['Open', 'Report']);
      expect(linkOf(answer)).toBe(`${app.config.publicUrl}/f/${made.folder.slug}`);
      expect(await kit.waysIn(made)).toEqual(mode === 'plain' ? { ...OPEN, key: 404 } : OPEN);
      for (const secret of ['#', 'once', ...made.secrets]) expect(answer.text).not.toContain(secret);
      expect([...(await kit.grantsOf(made.folder)), ...(await kit.sharesOf(made.folder))]).toEqual([]);
    },
  );

  test('of a restricted folder opens nothing by itself', async () => {
    const made = await kit.makeShareable('discord');
    const answer = await kit.share(made.folder, { with: idOf('ava') });
    for (const way of [made.folder.slug, 'http', '#', ...made.secrets]) expect(answer.text).not.toContain(way);
    expect(await kit.grantsOf(made.folder)).toEqual([]);
  });

  test('is followed by a receipt for the owner alone', async () => {
    const made = await kit.makeShareable('discord');
    const receipt = await kit.receiptAfter(await kit.share(made.folder));
    expect(receipt.flags).toBe(PRIVATE);
    expect(receipt.content).toContain(`${app.config.publicUrl}/f/${made.folder.slug}`);
    expect(receipt.content).toContain('Our server holds the key');
    expect(buttonsOf(receipt).map(({ label }) => label)).toEqual(['Extend', 'Revoke']);
  });

  test('treats a folder’s name as text', async () => {
    const name = '**a** [b](https://evil.example) <@1> @everyone';
    const { folder } = await kit.makeShareable('plain', { folder_name: name });
    await setAccess(app, owner, folder, 'restricted');
    const answer = await kit.share(folder);
    const receipt = await kit.receiptAfter(answer);
    const { content } = (await click(app, 'jonas', openIdOf(answer), LANTERN)).body.data;
    for (const text of [answer.body.data.embeds[0].title, receipt.content, content]) {
      expect(text).toContain('\\*\\*a\\*\\* \\[b\\]\\(https\\://evil.example\\) \\<\\@1\\> \\@everyone');
    }
  });

  test('for the same people is the same card again', async () => {
    const { folder } = await kit.makeShareable('plain');
    const forAva = openIdOf(await kit.share(folder, { with: idOf('ava') }));
    const forAll = openIdOf(await kit.share(folder));
    expect(forAll).not.toBe(forAva);
    expect(openIdOf(await kit.share(folder, { with: idOf('ava') }))).toBe(forAva);
    expect(await kit.sharesOf(folder)).toHaveLength(2);
  });

  test('can be posted from a list, too, but only by the owner', async () => {
    const { folder } = await kit.makeShareable('plain');
    expect((await click(app, 'jonas', `share:again:${folder.id}`, LANTERN)).body.data.flags).toBe(PRIVATE);
    expect(await kit.sharesOf(folder)).toEqual([]);
    const answer = await click(app, 'mika', `share:again:${folder.id}`, LANTERN);
    expect(answer.body.data.flags ?? 0).toBe(0);
    expect(linkOf(answer)).toBe(`${app.config.publicUrl}/f/${folder.slug}`);
  });
});

describe('with a person', () => {
  test('the short link alone opens nothing, and Open lets in that person', async () => {
    const made = await kit.makeShareable('discord');
    expect(await kit.waysIn(made)).toEqual(OPEN);
    const answer = await kit.share(made.folder, { with: idOf('ava') });
    expect(answer.body.data.embeds[0].description).toContain(`Lets in <@${idOf('ava')}> alone`);
    expect(await kit.waysIn(made)).toEqual(SHUT);
    await kit.expectRefused('jonas', openIdOf(answer), LANTERN, /for another person/);
    expect(await kit.grantsOf(made.folder)).toEqual([]);
    expect(await kit.waysIn(made, await kit.comeIn('ava', openIdOf(answer)))).toEqual(OPEN);
    expect(await kit.waysIn(made)).toEqual(SHUT);
    expect((await kit.receiptAfter(answer)).content).toContain('The old link and earlier cards no longer work');
  });

  test('a click lets one browser in, once', async () => {
    const { folder } = await kit.makeShareable('plain');
    const openId = openIdOf(await kit.share(folder, { with: idOf('ava') }, CHAT));
    const answer = await click(app, 'ava', openId, CHAT);
    expect(answer.body.data.flags).toBe(PRIVATE);
    expect(linkOf(answer)).toMatch(new RegExp(`^${app.config.publicUrl}/f/${folder.slug}#grant=[\\w-]{43}$`));
    expect((await redeem(app, grantOf(answer)!)).status).toBe(200);
    expect((await redeem(app, grantOf(answer)!)).status).toBe(404);
  });

  test('cards from when the folder was open let no one in any more, and those for others still work', async () => {
    const made = await kit.makeShareable('plain');
    const early = await kit.shareRestricted(made.folder);
    const guest = await kit.comeIn('jonas', early);
    const pending = grantOf(await click(app, 'lena', early, LANTERN))!;
    await setAccess(app, owner, made.folder, 'link');
    const forAva = openIdOf(await kit.share(made.folder, { with: idOf('ava') }));
    await kit.expectEnded('jonas', early, LANTERN, /lets no one in any more/);
    expect((await redeem(app, pending)).status).toBe(404);
    expect((await kit.waysIn(made, guest)).data).toBe(404);
    const answer = await kit.share(made.folder, { members_only: true });
    await kit.comeIn('ava', forAva);
    await kit.comeIn('jonas', openIdOf(answer));
    const { content } = await kit.receiptAfter(answer);
    expect(content).toContain(`<@${idOf('ava')}> and members of this server get in with Open.`);
    expect(content).not.toContain('The old link');
  });

  test('sharing with oneself is refused', async () => {
    const { folder } = await kit.makeShareable('plain');
    const { body } = await kit.share(folder, { with: idOf('mika') });
    expect(body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('always get into your own') });
    expect(await kit.sharesOf(folder)).toEqual([]);
  });
});

describe('members only', () => {
  test('a member who clicks in that server comes in, and no one else', async () => {
    const made = await kit.makeShareable('plain');
    const answer = await kit.share(made.folder, { members_only: true });
    expect(await kit.waysIn(made)).toEqual(SHUT);
    for (const place of [LIBRARY, CHAT, {}]) {
      await kit.expectRefused('jonas', openIdOf(answer), place, /members of the server that it was posted in/);
    }
    expect(await kit.grantsOf(made.folder)).toEqual([]);
    expect(await kit.waysIn(made, await kit.comeIn('jonas', openIdOf(answer)))).toEqual({ ...OPEN, key: 404 });
  });

  test('a server counts only for people whom Discord names as its members', async () => {
    const { folder } = await kit.makeShareable('plain');
    const custom_id = openIdOf(await kit.share(folder, { members_only: true }));
    const act = { type: 3, message: {}, data: { custom_id, component_type: 2 } };
    const { member, ...rest } = makeInteraction(app, 'jonas', act, LANTERN) as Record<string, unknown>;
    const { text } = await send(app, JSON.stringify({ ...rest, user: (member as { user: object }).user }));
    expect(text).toContain('members of the server that it was posted in');
    expect(await kit.grantsOf(folder)).toEqual([]);
  });

  test('with a person as well, both are required', async () => {
    const { folder } = await kit.makeShareable('plain');
    const openId = openIdOf(await kit.share(folder, { members_only: true, with: idOf('ava') }));
    await kit.expectRefused('jonas', openId, LANTERN, /for another person/);
    await kit.expectRefused('ava', openId, LIBRARY, /members of the server/);
    await kit.comeIn('ava', openId);
  });

  test('works in servers alone', async () => {
    const { folder } = await kit.makeShareable('plain');
    for (const place of [CHAT, {}]) {
      const { body } = await kit.share(folder, { members_only: true }, place);
      expect(body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('in servers only') });
    }
    expect(await kit.sharesOf(folder)).toEqual([]);
  });
});

describe('where others would not see a card', () => {
  test.each([
    ['apps of one’s own may not speak to everyone', { ...LANTERN, mayUseExternalApps: false }, 'can’t post publicly'],
    ['no other person is there', {}, 'Nobody else is here'],
  ])('because %s, the reply says so, and the folder stays as it is', async (_why, place, words) => {
    const made = await kit.makeShareable('private');
    const { body } = await kit.share(made.folder, { with: idOf('ava') }, place);
    expect(body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining(words) });
    expect(linkOf({ body })).toBe(`${app.config.publicUrl}/f/${made.folder.slug}?share=true`);
    expect(await kit.waysIn(made)).toEqual(OPEN);
    expect(await kit.sharesOf(made.folder)).toEqual([]);
  });
});

describe('a click on Open', () => {
  test('by the owner gets the folder’s address, without a grant', async () => {
    const { folder } = await kit.makeShareable('plain');
    const answer = await click(app, 'mika', openIdOf(await kit.share(folder, { with: idOf('ava') })), LANTERN);
    expect(linkOf(answer)).toBe(`${app.config.publicUrl}/f/${folder.slug}`);
    expect(await kit.grantsOf(folder)).toEqual([]);
  });

  test('on something that never was a card, or on another folder’s, opens nothing', async () => {
    const [one, other] = [await kit.makeShareable('plain'), await kit.makeShareable('plain')];
    const [, , invitationId] = (await kit.shareRestricted(one.folder)).split(':');
    for (const names of [
      '',
      'x:y',
      `${invitationId}:${other.folder.id}`,
      `${one.folder.id}:${one.folder.id}`,
      invitationId,
    ]) {
      await kit.expectEnded('jonas', `share:open:${names}`, LANTERN, /lets no one in any more/);
    }
    expect([...(await kit.grantsOf(one.folder)), ...(await kit.grantsOf(other.folder))]).toEqual([]);
  });

  test('while the folder is closed gets nothing that opens it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { folder } = await kit.makeShareable('plain');
      const [, , invitationId = '', folderId = ''] = (await kit.shareRestricted(folder)).split(':');
      const { db } = app.database;
      const clicker = { discord_id: idOf('jonas'), guild_id: null };
      const report = (error: unknown) => expect.fail(String(error));
      await Promise.all([
        ...Array.from({ length: 4 }, () => openInvitation(db, { invitationId, folderId }, clicker)),
        closeFolder({ ...app.deps, db }, { viewer: owner, folderId, report }),
        ...Array.from({ length: 4 }, () => openInvitation(db, { invitationId, folderId }, clicker)),
      ]);
      expect(await kit.grantsOf(folder)).toEqual([]);
    }
  });
});

describe('settings and cards', () => {
  test('restricting a folder by hand ends its cards; opening it leaves them', async () => {
    const { folder } = await kit.makeShareable('plain');
    const early = await kit.shareRestricted(folder);
    await setAccess(app, owner, folder, 'link');
    await setAccess(app, owner, folder, 'restricted');
    await kit.expectEnded('jonas', early, LANTERN, /lets no one in any more/);
    const forAva = openIdOf(await kit.share(folder, { with: idOf('ava') }));
    await setAccess(app, owner, folder, 'link');
    await kit.comeIn('ava', forAva);
    await kit.expectRefused('jonas', forAva, LANTERN, /for another person/);
    expect((await kit.receiptAfter(await kit.share(folder))).content).toContain('Everyone with the link gets in');
  });

  test('a card of a restricted folder lets in people who click on it', async () => {
    const made = await kit.makeShareable('plain');
    await setAccess(app, owner, made.folder, 'restricted');
    const answer = await kit.share(made.folder);
    expect((await kit.receiptAfter(answer)).content).toContain('Everyone who clicks gets in with Open.');
    expect(await kit.waysIn(made)).toEqual(SHUT);
    expect((await kit.waysIn(made, await kit.comeIn('jonas', openIdOf(answer)))).object).toBe(200);
  });
});

test('people without that folder are refused in words', async () => {
  const { folder } = await kit.makeShareable('plain', { folder_name: 'Mine' });
  for (const named of [folder.id, 'Mine', 'nothing of that name', 'x'.repeat(80)]) {
    const { body } = await command(app, 'jonas', 'share', { folder: named }, LANTERN);
    expect(body.data).toMatchObject({ flags: PRIVATE, content: expect.stringMatching(/./) });
    expect(buttonsOf(body.data)).toEqual([]);
  }
  expect(await kit.sharesOf(folder)).toEqual([]);
});
