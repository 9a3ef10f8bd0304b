import type { Folder } from '@satchel/contract/entities';
import { PermissionFlagsBits } from 'discord-api-types/v10';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { DiscordCallError } from '../../src/platform/discord/discord-rest.ts';
import { guild_settings } from '../../src/platform/schema/bot.ts';
import { type BotAnswer, command, type Place, recordRest } from '../support/discord/discord-kit.ts';
import { createShareKit, linkOf, openIdOf, PRIVATE } from '../support/discord/share-kit.ts';
import { createTestApp, idOf } from '../support/test-app.ts';

/** /settings: the rules that a server's managers set, and what they do; and /help. */

let onPost: () => void = () => undefined;
const said = recordRest(({ what }) => (what === 'post' ? onPost() : undefined));
const app = await createTestApp({ deps: { discordRest: said.rest } });
const owner = await app.signIn('mika');
const kit = createShareKit(app, owner, said);

let servers = 0;
/** A server of its own for each test. */
function newServer(): { manager: Place; member: Place } {
  servers += 1;
  const guild_id = `82000000000000000${servers}`;
  return { manager: { guild_id, permissions: PermissionFlagsBits.ManageGuild }, member: { guild_id } };
}

const contentOf = ({ body }: BotAnswer): string => body.data.content;
const settle = (place: Place, options: Record<string, string | number | boolean> = {}) =>
  command(app, 'lena', 'settings', options, place);
const upload = (as: string, place: Place, options = {}) =>
  command(app, as, 'upload', { folder: 'New', ...options }, place);
const modeOf = (answer: BotAnswer) => new URL(linkOf(answer)!).searchParams.get('mode');
const plain = async (input = {}): Promise<Folder> => (await kit.makeShareable('plain', input)).folder;
const WEBHOOK = 'https://discord.com/api/webhooks/123456789012345678/the-token_of-a-channel';

describe('only the managers of a server', () => {
  test('see and change its rules', async () => {
    const { manager, member } = newServer();
    expect(contentOf(await settle(manager))).toContain('every channel');
    for (const place of [member, { ...member, permissions: PermissionFlagsBits.ManageMessages }]) {
      const answer = await settle(place, { members_only: true });
      expect(answer.body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('may manage') });
    }
    expect(contentOf(await settle({}, { members_only: true }))).toContain('in servers only');
    expect(await app.database.db.select().from(guild_settings)).toEqual([]);
  });

  test('change one rule at a time, of their own server alone, and take it back', async () => {
    const [{ manager }, other] = [newServer(), newServer()];
    await settle(manager, { longest_life: 6, who_opens: 'discord' });
    const answer = contentOf(await settle(manager, { members_only: true }));
    for (const rule of ['6 hours', 'short link', 'members of this server']) expect(answer).toContain(rule);
    expect(contentOf(await settle(other.manager))).not.toContain('6 hours');
    await settle(manager, { longest_life: 0, who_opens: 'off', members_only: false });
    expect(await app.database.db.select().from(guild_settings)).toEqual([]);
  });

  test.each([{ who_opens: 'revoked' }, { longest_life: -1 }, { longest_life: 1e9 }])('not by %j', async (options) => {
    const { manager } = newServer();
    expect(contentOf(await settle(manager, options))).toContain('can’t use this value');
    expect(await app.database.db.select().from(guild_settings)).toEqual([]);
  });
});

describe('the rules', () => {
  test('say who opens a new folder of a person who has not said so, and never of one who has', async () => {
    const { manager, member } = newServer();
    await app.signIn('nora');
    await settle(manager, { who_opens: 'discord' });
    expect(modeOf(await upload('nora', member))).toBe('discord');
    expect(modeOf(await upload('nora', {}))).toBe('private');
    await upload('nora', member, { who_opens: 'private' });
    expect(modeOf(await upload('nora', member))).toBe('private');
  });

  test('shorten the life of folders that are made there, and refuse cards of those that live longer', async () => {
    const { manager, member } = newServer();
    await settle(manager, { longest_life: 3 });
    expect(new URL(linkOf(await upload('mika', member))!).searchParams.get('lifetime')).toBe('3');
    expect(contentOf(await upload('mika', member, { expires: 6 }))).toContain('at most 3 hours');
    const [long, short] = [await plain(), await plain({ expires_in_hours: 2 })];
    expect((await kit.share(long, {}, member)).body.data).toMatchObject({
      flags: PRIVATE,
      content: expect.stringContaining('at most 3 hours'),
    });
    expect((await kit.share(short, {}, member)).body.data.flags ?? 0).toBe(0);
  });

  test('have /share let in members alone', async () => {
    const { manager, member } = newServer();
    await settle(manager, { members_only: true });
    const folder = await plain();
    openIdOf(await kit.share(folder, {}, member));
    openIdOf(await kit.share(folder, { with: idOf('ava') }, member));
    expect((await kit.sharesOf(folder)).map(({ guild_id }) => guild_id)).toEqual([member.guild_id, member.guild_id]);
  });

  test('name the channels where /share posts', async () => {
    const { manager, member } = newServer();
    const [here, there] = ['91000000000000001', '91000000000000002'];
    expect(contentOf(await settle({ ...manager, channel_id: here }, { share_here: true }))).toContain(`<#${here}>`);
    const folder = await plain();
    const refused = await kit.share(folder, {}, { ...member, channel_id: there });
    expect(refused.body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining(`only in <#${here}>`) });
    expect((await kit.share(folder, {}, { ...member, channel_id: here })).body.data.flags ?? 0).toBe(0);
    await settle({ ...manager, channel_id: here }, { share_here: false });
    expect((await kit.share(folder, {}, { ...member, channel_id: there })).body.data.flags ?? 0).toBe(0);
  });
});

describe('the log channel', () => {
  const linesOf = () => said.all.filter(({ what }) => what === 'post').map(({ message }) => message.content);

  test('gets a line for each card, by a webhook that the database holds sealed', async () => {
    const { manager, member } = newServer();
    expect(contentOf(await settle(manager, { log_webhook: WEBHOOK }))).toContain('by a webhook');
    await kit.share(await plain({ folder_name: 'Raid *7*' }), {}, { ...member, channel_id: '91000000000000003' });
    const line = `<@${idOf('mika')}> shared **Raid \\*7\\*** in <#91000000000000003>.`;
    while (!linesOf().includes(line)) await said.until(said.all.length + 1);
    const own = eq(guild_settings.guild_id, member.guild_id!);
    const [row] = await app.database.db.select().from(guild_settings).where(own);
    expect(row?.log_webhook).not.toContain('the-token');
    expect(contentOf(await settle(manager, { log_webhook: 'off' }))).toContain('Log: none');
  });

  test.each([
    ['an address that is no webhook', 'https://evil.example/hook', undefined],
    ['a webhook that Discord does not know', WEBHOOK, 10_015],
  ])('is not kept with %s', async (_what, log_webhook, code) => {
    const { manager } = newServer();
    if (code)
      onPost = () => {
        throw new DiscordCallError(code);
      };
    expect(contentOf(await settle(manager, { log_webhook }))).toContain('doesn’t take this webhook');
    onPost = () => undefined;
    expect(contentOf(await settle(manager))).toContain('Log: none');
  });

  test('is forgotten when its webhook is gone, and the card is posted all the same', async () => {
    const { manager, member } = newServer();
    await settle(manager, { log_webhook: WEBHOOK });
    let posts = 0;
    onPost = () => {
      posts += 1;
      throw new DiscordCallError(10_015);
    };
    expect((await kit.share(await plain(), {}, member)).body.data.flags ?? 0).toBe(0);
    await expect.poll(async () => contentOf(await settle(manager))).toContain('Log: none');
    onPost = () => undefined;
    expect(posts).toBe(1);
  });
});

test('/help says what the commands do, in one sentence and with one button', async () => {
  const { manager, member } = newServer();
  const { body } = await command(app, 'jonas', 'help', {}, member);
  expect(body.data).toMatchObject({ flags: PRIVATE, content: expect.stringMatching(/^`\/upload` .*\.$/) });
  expect(linkOf({ body })).toBe(app.config.publicUrl);
  expect(body.data.content).not.toContain('/settings');
  expect(contentOf(await command(app, 'lena', 'help', {}, manager))).toContain('/settings');
});
