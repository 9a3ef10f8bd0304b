import type { ProfileExport } from '@satchel/contract/api';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { upload_intents } from '../../src/platform/schema/bot.ts';
import { type BotAnswer, click, command, type Said } from '../support/discord/discord-kit.ts';
import {
  buttonsOf,
  LANTERN,
  linkOf,
  PRIVATE,
  SHUT,
  type Shareable,
  startShareKit,
} from '../support/discord/share-kit.ts';
import { newKey } from '../support/folders.ts';
import { deleteFolder } from '../support/storage-kit.ts';
import { idOf } from '../support/test-app.ts';

/** /share for a folder whose key the server lacks: a question in place of a card that opens nothing. */

const { app, owner, said, kit } = await startShareKit();
await app.signIn('jonas');

const siteOf = ({ folder }: Shareable) => `${app.config.publicUrl}/f/${folder.slug}`;
const labelsOf = ({ body }: BotAnswer) => buttonsOf(body.data).map(({ label }) => label);
const saidBy = ({ token }: BotAnswer): Said[] => said.all.filter((each) => each.token === token);

/** The owner's browser leaves the key with the server, as "Turn On" on the page does. */
async function turnOn({ folder }: Shareable): Promise<void> {
  const input = { folder_id: folder.id, encrypted_key: newKey() };
  expect((await app.rpc('generate_temp_encryption_key', input, owner)).status).toBe(201);
}

/** The card and the receipt that follow a question. */
async function postedAfter(answer: BotAnswer): Promise<{ card: Said; receipt: Said }> {
  while (saidBy(answer).length < 2) await said.until(said.all.length + 1);
  const [card, receipt] = saidBy(answer);
  return { card: card!, receipt: receipt! };
}

/** An answer by which later ones can be told to have come after everything before. */
async function settle(): Promise<void> {
  const other = await kit.makeShareable('private');
  const answer = await kit.share(other.folder);
  await turnOn(other);
  await postedAfter(answer);
}

describe('a private folder', () => {
  test('gets no public card: its owner is asked, with the consequence, and nothing of the folder changes', async () => {
    const made = await kit.makeShareable('private', { folder_name: 'Bridge walk' });
    const answer = await kit.share(made.folder);
    expect(answer.body.data.flags).toBe(PRIVATE);
    expect(answer.body.data.content).toContain('our server holds the key for at most 24 hours and can read the files');
    expect(labelsOf(answer)).toEqual(['Post so that Open works', 'Copy full link']);
    expect(linkOf(answer)).toBe(`${siteOf(made)}?share=discord`);
    for (const secret of ['#k', ...made.secrets]) expect(answer.text).not.toContain(secret);
    await settle();
    expect(saidBy(answer)).toEqual([]);
    expect(await kit.sharesOf(made.folder)).toEqual([]);
  });

  test('gets its card by itself once the owner’s browser has given the key; the question becomes the receipt', async () => {
    const made = await kit.makeShareable('private', { folder_name: 'Lights' });
    const answer = await kit.share(made.folder);
    await turnOn(made);
    const { card, receipt } = await postedAfter(answer);
    expect([card.what, card.message.flags ?? 0, receipt.what]).toEqual(['followUp', 0, 'editReply']);
    expect(card.message.embeds?.[0]).toMatchObject({ title: 'Lights' });
    expect(buttonsOf(card.message)[0]).toMatchObject({ label: 'Open', url: siteOf(made) });
    expect(receipt.message.content).toContain('**Lights** is shared');
    expect((await kit.waysIn(made)).data).toBe(200);
    // The answer is remembered: the next folder opens by its card from the start.
    const next = await command(app, 'mika', 'upload', { folder: 'Next' }, LANTERN);
    expect(new URL(linkOf(next)!).searchParams.get('mode')).toBe('discord');
  });

  test('is posted once, where it was asked for last, and for the people who were named', async () => {
    const made = await kit.makeShareable('private');
    const first = await kit.share(made.folder);
    const last = await kit.share(made.folder, { with: idOf('ava') });
    await Promise.all([turnOn(made), turnOn(made)]);
    const { card } = await postedAfter(last);
    await turnOn(made);
    await settle();
    expect([saidBy(first).length, saidBy(last).length]).toEqual([0, 2]);
    expect(buttonsOf(card.message)[0].custom_id).toMatch(/^share:open:/);
    expect(await kit.sharesOf(made.folder)).toMatchObject([{ discord_id: idOf('ava') }]);
    expect(await kit.waysIn(made)).toMatchObject({ data: SHUT.data, list: SHUT.list });
  });

  test('is posted nowhere after a quarter of an hour, or once it is deleted', async () => {
    const [late, gone] = [await kit.makeShareable('private'), await kit.makeShareable('private')];
    const answers = [await kit.share(late.folder), await kit.share(gone.folder)];
    const { db } = app.database;
    await db.update(upload_intents).set({ expires_at: new Date() }).where(eq(upload_intents.folder_id, late.folder.id));
    await turnOn(late);
    await deleteFolder(app, owner, gone.folder);
    await settle();
    expect(answers.flatMap(saidBy)).toEqual([]);
  });

  test('whose owner copies the link once is not asked about again, and may still be posted', async () => {
    const made = await kit.makeShareable('private', { folder_name: 'Copied' });
    const copyId = buttonsOf((await kit.share(made.folder)).body.data)[1].custom_id;
    const foreign = await click(app, 'jonas', copyId, LANTERN);
    expect(foreign.body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('Only the owner') });
    const copied = await click(app, 'mika', copyId, LANTERN);
    expect([copied.body.type, linkOf(copied)]).toEqual([7, `${siteOf(made)}?share=true`]);
    const again = await kit.share(made.folder);
    expect(labelsOf(again)).toEqual(['Copy full link', 'Post so that Open works']);
    expect(again.body.data.content).not.toContain('our server');
    await turnOn(made);
    await postedAfter(again);
    expect(labelsOf(await kit.share((await kit.makeShareable('private')).folder))[0]).toBe('Post so that Open works');
  });
});

test('a card that waits is part of one’s own data', async () => {
  const { folder } = await kit.makeShareable('private');
  await kit.share(folder, { with: idOf('ava') });
  const { upload_intents: intents } = (await (
    await app.call('GET', '/rest/v1/profiles/me/export', { as: owner })
  ).json()) as ProfileExport;
  const { guild_id } = LANTERN;
  expect(intents.find(({ folder_id }) => folder_id === folder.id)?.card).toMatchObject({
    discord_id: idOf('ava'),
    place: { guild_id },
  });
});

test('a Discord link whose key has expired is asked about, too', async () => {
  const { folder } = await kit.makeShareable('discord');
  await app.database.db.execute(`update temp_encryption_keys set expires_at = now() where slug = '${folder.slug}'`);
  expect(labelsOf(await kit.share(folder))).toContain('Post so that Open works');
});
