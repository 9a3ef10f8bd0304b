import type { Folder } from '@satchel/contract/entities';
import { describe, expect, test } from 'vitest';
import { deleteCommand } from '../../src/bot/delete/delete.ts';
import { LANGUAGES } from '../../src/bot/language.ts';
import { type BotAnswer, click, command, recordRest } from '../support/discord/discord-kit.ts';
import { deleteFolder, expire } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** /delete, as Discord sends and shows it. */

const PRIVATE = 64;
const UPDATE = 7;

const app = await createTestApp({
  deps: { discordRest: recordRest().rest, commands: [deleteCommand] },
});
const mika = await app.signIn('mika');

async function makeNamed(folder_name: string): Promise<Folder> {
  const { body } = await app.rpc<{ folder: Folder }>('create_folder_with_temp_key', { folder_name }, mika);
  return body.folder;
}
const isThere = async ({ slug }: Folder): Promise<boolean> =>
  (await app.rpc('get_folder_complete_data', { input_folder_slug: slug }, mika)).status === 200;

const contentOf = ({ body }: BotAnswer): string => body.data.content;
/** Expects an update that says `text` and has no controls. */
function expectAnswered(answer: BotAnswer, text: string): void {
  expect(contentOf(answer)).toContain(text);
  expect(answer.body).toMatchObject({ type: UPDATE, data: { components: [], embeds: [] } });
}

test('the question is private, names the folder, and deletes nothing', async () => {
  const folder = await makeNamed('Raid *night*');
  for (const language of LANGUAGES) {
    const answer = await command(app, 'mika', 'delete', { folder: folder.id }, { locale: language });
    expect(contentOf(answer)).toContain('**Raid \\*night\\***');
    expect(answer.body.data.flags).toBe(PRIVATE);
    expect(answer.body.data.components[0].components).toMatchObject([
      { style: 4, custom_id: `delete:yes:${folder.id}` },
      { style: 2, custom_id: 'delete:no' },
    ]);
  }
  const asked = await click(app, 'mika', `delete:ask:${folder.id}`);
  expect(asked.body).toMatchObject({ type: 4, data: { flags: PRIVATE } });
  expect(contentOf(asked)).toContain('no files');
  expect(await isThere(folder)).toBe(true);
});

test('Delete deletes the folder at once, and a second click does no harm', async () => {
  const folder = await makeNamed('Gone soon');
  expectAnswered(await click(app, 'mika', `delete:yes:${folder.id}`), '**Gone soon** is deleted');
  expect(await isThere(folder)).toBe(false);
  expectAnswered(await click(app, 'mika', `delete:yes:${folder.id}`), 'gone already');
});

test('Cancel keeps the folder', async () => {
  const folder = await makeNamed('Kept');
  await command(app, 'mika', 'delete', { folder: folder.id });
  expectAnswered(await click(app, 'mika', 'delete:no'), 'Nothing was deleted');
  expect(await isThere(folder)).toBe(true);
});

describe('the folder’s owner', () => {
  test('is checked again when the question is answered', async () => {
    const folder = await makeNamed('Mika’s own');
    await app.signIn('jonas');
    for (const person of ['jonas', 'never signed in']) {
      const { body } = await click(app, person, `delete:yes:${folder.id}`);
      expect(JSON.stringify(body)).not.toContain('Mika’s own');
      expect(await isThere(folder)).toBe(true);
      expect(contentOf(await command(app, person, 'delete', { folder: folder.id }))).not.toContain('Mika’s own');
      expect(contentOf(await click(app, person, `delete:ask:${folder.id}`))).not.toContain('Mika’s own');
      expect(contentOf(await command(app, person, 'delete', { folder: 'Mika’s own' }))).not.toContain('files');
    }
  });

  test('is required: other ids are refused', async () => {
    for (const id of ['', 'x', '00000000-0000-0000-0000-000000000000', '%00', 'a:b']) {
      expectAnswered(await click(app, 'mika', `delete:yes:${id}`), 'gone already');
      expect((await click(app, 'mika', `delete:ask:${id}`)).body.data.components ?? []).toEqual([]);
    }
  });
});

describe('a folder by its name', () => {
  test('is found in any case, if it is the only one', async () => {
    const folder = await makeNamed('Übungen');
    const answer = await command(app, 'mika', 'delete', { folder: ' ÜBUNGEN ' });
    expect(answer.body.data.components[0].components[0].custom_id).toBe(`delete:yes:${folder.id}`);
    await makeNamed('übungen');
    expect((await command(app, 'mika', 'delete', { folder: 'Übungen' })).body.data.components ?? []).toEqual([]);
  });
});

describe('a folder that ends before the question is answered', () => {
  test('was deleted elsewhere', async () => {
    const folder = await makeNamed('Deleted elsewhere');
    await deleteFolder(app, mika, folder);
    expect(contentOf(await command(app, 'mika', 'delete', { folder: folder.id }))).not.toContain('Deleted elsewhere');
    expectAnswered(await click(app, 'mika', `delete:yes:${folder.id}`), 'gone already');
  });

  test('has expired: its rest is deleted', async () => {
    const folder = await makeNamed('Expired');
    await expire(app, folder);
    expect(contentOf(await command(app, 'mika', 'delete', { folder: folder.id }))).not.toContain('Expired');
    expectAnswered(await click(app, 'mika', `delete:yes:${folder.id}`), '**Expired** is deleted');
    expect((await app.rpc('get_folder_complete_data', { input_folder_slug: folder.slug })).status).toBe(200);
  });
});
