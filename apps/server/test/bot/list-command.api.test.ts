import { randomUUID } from 'node:crypto';
import type { Folder } from '@satchel/contract/entities';
import { BUCKET } from '@satchel/contract/limits';
import { newSlug } from '@satchel/contract/naming';
import { describe, expect, test } from 'vitest';
import { deleteCommand } from '../../src/bot/delete/delete.ts';
import { listCommand } from '../../src/bot/list/list.ts';
import { toFolder } from '../../src/domain/access/find-folder.ts';
import { folders, slugs } from '../../src/platform/schema/folders.ts';
import { autocomplete, type BotAnswer, click, command, recordRest } from '../support/discord/discord-kit.ts';
import { deleteFolder, expire, makeFolder } from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

/** /list, as Discord sends and shows it. */

const UPDATE = 7;
const PRIVATE = 64;
const HOSTILE_NAME = `**[x](https://evil.example)** @everyone <@1> ${'👨‍👩‍👧‍👦'.repeat(3)} ||`;

const app = await createTestApp({
  deps: { discordRest: recordRest().rest, commands: [listCommand, deleteCommand] },
});

async function makeNamed(as: Account, folder_name: string | null): Promise<Folder> {
  const { status, body } = await app.rpc<{ folder: Folder }>('create_folder_with_temp_key', { folder_name }, as);
  expect(status).toBe(201);
  return body.folder;
}

const HOUR_MS = 3_600_000;

/** A person with that many folders, created a minute apart: the last one is the newest. */
async function personWith(name: string, count: number): Promise<{ as: Account; folders: Folder[] }> {
  const as = await app.signIn(name);
  const nowMs = Date.now();
  const rows = Array.from({ length: count }, (_, index) => ({
    slug: newSlug(),
    name: `${name} ${index + 1}`,
    created_at: new Date(nowMs - HOUR_MS + index * 60_000),
    expires_at: new Date(nowMs + 3.5 * HOUR_MS),
    bucket: BUCKET,
    bucket_storage_path: randomUUID(),
    owner_profile_id: as.profile_id,
    link_mode: 'plain' as const,
  }));
  if (rows.length === 0) return { as, folders: [] };
  await app.database.db.insert(slugs).values(rows.map(({ slug }) => ({ slug })));
  const made = await app.database.db.insert(folders).values(rows).returning();
  return { as, folders: made.map(toFolder) };
}

interface Listed {
  readonly names: string[];
  readonly options: { label: string; description: string; value: string; default: boolean }[];
  readonly footer: string | undefined;
  /** The buttons' labels with their custom_ids, and `!` if disabled. */
  readonly buttons: string[];
  readonly menuId: string | undefined;
  readonly content: string;
}

function read({ body }: BotAnswer): Listed {
  const { content = '', embeds = [], components = [] } = body.data;
  // biome-ignore lint/suspicious/noExplicitAny: Discord's JSON
  const all: any[] = components.flatMap((row: any) => row.components);
  const menu = all.find(({ type }) => type === 3);
  return {
    names: [...(embeds[0]?.description ?? '').matchAll(/^\*\*(.*)\*\*$/gm)].map(([, name]) => name),
    options: menu?.options ?? [],
    footer: embeds[0]?.footer?.text,
    buttons: all
      .filter(({ type }) => type === 2)
      .map(({ label, custom_id, url, disabled }) => `${label} ${custom_id ?? url}${disabled ? '!' : ''}`),
    menuId: menu?.custom_id,
    content,
  };
}

describe('the number of folders', () => {
  test('is zero for people who have never signed in, and they are told how to create one', async () => {
    const answer = await command(app, 'stranger', 'list');
    expect(answer.body.data).toMatchObject({ flags: PRIVATE, content: expect.stringContaining('/upload') });
    expect(read(answer)).toMatchObject({ names: [], buttons: [] });
    await personWith('zero', 0);
    expect(read(await command(app, 'zero', 'list', { page: 7 })).content).toContain('/upload');
  });

  test('one: its facts, its buttons, and no pages', async () => {
    const [folder] = (await personWith('one', 1)).folders;
    const answer = await command(app, 'one', 'list');
    const listed = read(answer);
    expect(listed).toMatchObject({ names: ['one 1'], footer: undefined });
    expect(answer.body.data.flags).toBe(PRIVATE);
    const seconds = Math.floor(Date.parse(folder!.expires_at) / 1000);
    expect(answer.body.data.embeds[0].description).toContain(`no files · not encrypted · gone <t:${seconds}:R>`);
    expect(listed.buttons).toEqual([
      `Open ${app.config.publicUrl}/f/${folder!.slug}`,
      `Share share:again:${folder!.id}`,
      `Delete delete:ask:${folder!.id}`,
    ]);
    // What the menu says of a folder, the list says in the same words.
    expect(listed.options).toMatchObject([
      { label: 'one 1', value: folder!.id, default: true, description: 'no files · not encrypted' },
    ]);
  });

  test('ten fit on one page, eleven need two', async () => {
    const { as } = await personWith('eleven', 10);
    expect(read(await command(app, 'eleven', 'list'))).toMatchObject({ names: { length: 10 }, footer: undefined });
    await makeNamed(as, 'eleven 11');
    const first = read(await command(app, 'eleven', 'list'));
    expect(first.names).toHaveLength(10);
    expect(first.names[0]).toBe('eleven 11');
    expect(first.footer).toBe('Page 1 of 2 · 11 folders');
    expect(first.buttons.slice(3)).toEqual(['Previous list:page:0!', 'Next list:page:2']);
    const second = await click(app, 'eleven', 'list:page:2');
    expect(second.body.type).toBe(UPDATE);
    expect(read(second)).toMatchObject({ names: ['eleven 1'], footer: 'Page 2 of 2 · 11 folders' });
    expect(read(second).buttons.slice(3)).toEqual(['Previous list:page:1', 'Next list:page:3!']);
  });

  test('twenty-five: three pages, for any number that is asked for; and suggestions by the typed text', async () => {
    const [oldest] = (await personWith('many', 25)).folders;
    await makeNamed(await app.signIn('many'), 'Übung');
    const pages = await Promise.all([1, 2, 3].map((page) => command(app, 'many', 'list', { page })));
    expect(pages.flatMap((page) => read(page).names)).toHaveLength(26);
    expect(new Set(pages.flatMap((page) => read(page).names)).size).toBe(26);
    for (const page of ['99', '-1', 'x', '']) {
      const { footer } = read(await click(app, 'many', `list:page:${page}`));
      expect(footer).toBe(page === '99' ? 'Page 3 of 3 · 26 folders' : 'Page 1 of 3 · 26 folders');
    }
    const suggest = async (folder: string) =>
      (await autocomplete(app, 'many', 'delete', { options: { folder }, focused: 'folder' })).body.data.choices;
    expect(await suggest('')).toHaveLength(25);
    expect(await suggest('ÜB')).toMatchObject([{ name: expect.stringMatching(/^Übung · in \d+ hours$/) }]);
    // The oldest one, which is not among the first 25.
    expect(await suggest('many 1')).toContainEqual({ name: expect.stringMatching(/^many 1 ·/), value: oldest!.id });
    expect(await suggest('many 13')).toHaveLength(1);
    expect(await suggest('nothing like it')).toEqual([]);
  });
});

describe('the menu', () => {
  test('says which folder the buttons act on', async () => {
    const [older] = (await personWith('chooser', 2)).folders;
    const chosen = await click(app, 'chooser', 'list:choose:1', { values: [older!.id] });
    expect(chosen.body.type).toBe(UPDATE);
    const listed = read(chosen);
    expect(listed.buttons).toContain(`Delete delete:ask:${older!.id}`);
    expect(listed.options.filter((option) => option.default).map(({ value }) => value)).toEqual([older!.id]);
    expect(listed.content).toBe('');
  });

  test('says so when the chosen folder was deleted, has expired, or is another person’s', async () => {
    const { as, folders: own } = await personWith('waiting', 3);
    const [foreign] = (await personWith('somebody', 1)).folders;
    const [kept, ended, gone] = own;
    await deleteFolder(app, as, gone!);
    await expire(app, ended!);
    for (const id of [gone!.id, ended!.id, foreign!.id, 'no id at all']) {
      const listed = read(await click(app, 'waiting', 'list:choose:1', { values: [id] }));
      expect(listed.content).toContain('choose again');
      expect(listed.names).toEqual(['waiting 1']);
      expect(listed.buttons).toContain(`Delete delete:ask:${kept!.id}`);
    }
    await deleteFolder(app, as, kept!);
    const empty = await click(app, 'waiting', 'list:choose:1', { values: [kept!.id] });
    expect(empty.body.data).toMatchObject({ content: expect.stringContaining('/upload'), embeds: [], components: [] });
  });
});

test('a list of folders with any names formats none', async () => {
  const as = await app.signIn('hostile');
  const longest = HOSTILE_NAME.padEnd(80, '*');
  for (let index = 0; index < 10; index += 1) await makeNamed(as, index === 0 ? null : longest.slice(0, 80));
  const listed = read(await command(app, 'hostile', 'list'));
  expect(listed.options[0]?.label).toBe(longest.slice(0, 80).trim());
  expect(listed.names[0]).toContain('\\*\\*\\[x\\]\\(https\\://evil.example\\)\\*\\* \\@everyone \\<\\@1\\>');
  const german = read(await command(app, 'hostile', 'list', {}, { locale: 'de' }));
  expect(german.names.at(-1)).toBe('Unbenannter Ordner');
  const suggested = await autocomplete(app, 'hostile', 'delete', { options: { folder: 'evil' }, focused: 'folder' });
  const names = suggested.body.data.choices.map(({ name }: { name: string }) => name);
  expect(new Set(names).size).toBe(9);
});

test('a restricted folder and an encrypted one say so', async () => {
  const as = await app.signIn('modes');
  const plain = await makeNamed(as, 'plain');
  await app.rpc('update_folder_settings', { folder_id: plain.id, new_access: 'restricted' }, as);
  await makeFolder(app, as, 'private');
  const { body } = await command(app, 'modes', 'list', {}, { locale: 'fr' });
  expect(body.data.embeds[0].description).toContain('non chiffré · seulement pour ceux que tu laisses entrer');
  expect(body.data.embeds[0].description).toMatch(/lien privé · expire/);
});
