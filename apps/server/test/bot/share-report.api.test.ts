import type { Folder } from '@satchel/contract/entities';
import { PermissionFlagsBits } from 'discord-api-types/v10';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { reports } from '../../src/platform/schema/moderation.ts';
import { type BotAnswer, click, type Place, submit } from '../support/discord/discord-kit.ts';
import { buttonsOf, LANTERN, LIBRARY, openIdOf, PRIVATE, startShareKit } from '../support/discord/share-kit.ts';
import { idOf } from '../support/test-app.ts';

/** Report on a card, and Take down here for a server's moderators. */

const { app, kit } = await startShareKit({ OPERATOR_DISCORD_IDS: idOf('olga') });
const MODERATOR: Place = { ...LANTERN, permissions: PermissionFlagsBits.ManageMessages };

const reportIdOf = ({ body }: BotAnswer): string =>
  buttonsOf(body.data).find(({ label }) => label === 'Report').custom_id;
const reportsOf = ({ slug }: Folder) => app.database.db.select().from(reports).where(eq(reports.slug, slug));
const fill = (as: string, form: BotAnswer, note: string, place = LANTERN) =>
  submit(app, as, form.body.data.custom_id, { note }, place);

describe('Report', () => {
  test('sends what a person writes to the operators, without their name, and leaves the card', async () => {
    const { folder } = await kit.makeShareable('plain');
    const form = await click(app, 'jonas', reportIdOf(await kit.share(folder)), LANTERN);
    expect(form.body).toMatchObject({ type: 9, data: { title: 'Report' } });
    const { body } = await fill('jonas', form, 'not theirs to share');
    expect(body).toMatchObject({ type: 4, data: { flags: PRIVATE, content: expect.stringContaining('operator') } });
    const [report] = await reportsOf(folder);
    expect(report).toMatchObject({ reason: 'other', note: 'not theirs to share', sealed_keys: '[]' });
    expect(JSON.stringify(report)).not.toContain(idOf('jonas'));
  });

  test('works on the card of a restricted folder, also for people whom it does not let in', async () => {
    const { folder } = await kit.makeShareable('plain');
    const form = await click(app, 'jonas', reportIdOf(await kit.share(folder, { with: idOf('ava') })), LANTERN);
    await fill('jonas', form, 'a report');
    expect(await reportsOf(folder)).toHaveLength(1);
  });

  test.each(['', 'x', '7d0c0000-0000-4000-8000-000000000101'])('of no folder (%j) reports nothing', async (id) => {
    await kit.expectEnded('jonas', `share:report:${id}`, LANTERN, /lets no one in/);
    const { body } = await submit(app, 'jonas', `share:reported:${id}`, { note: 'x' }, LANTERN);
    expect(body.type).toBe(7);
  });

  test('without its invitation’s id finds no restricted folder', async () => {
    const { folder } = await kit.makeShareable('plain');
    await kit.share(folder, { with: idOf('ava') });
    await kit.expectEnded('jonas', `share:report:${folder.id}`, LANTERN, /lets no one in/);
  });
});

describe('Take down here', () => {
  test('edits the card for everyone, and reports only what the moderator writes', async () => {
    const { folder } = await kit.makeShareable('plain');
    const form = await click(app, 'lena', reportIdOf(await kit.share(folder)), MODERATOR);
    expect(form.body.data.title).toBe('Take down here');
    const { body } = await fill('lena', form, '', MODERATOR);
    expect(body).toMatchObject({ type: 7, data: { content: '', components: [] } });
    expect(body.data.embeds[0].description).toBe(`Taken down here by <@${idOf('lena')}>.`);
    expect(await reportsOf(folder)).toEqual([]);
    await fill('lena', form, 'and reported', MODERATOR);
    expect(await reportsOf(folder)).toHaveLength(1);
  });

  test('takes the invitation of that server’s members back, and no other', async () => {
    const { folder } = await kit.makeShareable('plain');
    const here = await kit.share(folder, { members_only: true });
    const elsewhere = await kit.share(folder, { members_only: true }, LIBRARY);
    for (const card of [here, elsewhere]) {
      await fill('lena', await click(app, 'lena', reportIdOf(card), MODERATOR), '', MODERATOR);
    }
    await kit.expectEnded('jonas', openIdOf(here), LANTERN, /lets no one in any more/);
    await kit.comeIn('jonas', openIdOf(elsewhere), LIBRARY);
  });

  test.each([
    ['a member', LANTERN],
    ['a person in direct messages', {}],
  ] as const)('is not for %s, even with its form’s own address', async (_who, place) => {
    const { folder } = await kit.makeShareable('plain');
    await kit.share(folder);
    const { body } = await submit(app, 'jonas', `share:reported:${folder.id}`, { note: 'x' }, place);
    expect(body.type).toBe(4);
  });
});
