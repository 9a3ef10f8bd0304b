import type { RedeemIntentOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { sentenceOf } from '../../src/bot/error-texts.ts';
import { LANGUAGES } from '../../src/bot/language.ts';
import { UPLOAD_TEXTS } from '../../src/bot/upload/upload-texts.ts';
import { folderTitle } from '../../src/bot/wording.ts';
import { upload_intents } from '../../src/platform/schema/bot.ts';
import { autocomplete, type BotAnswer, command } from '../support/discord/discord-kit.ts';
import { codeOf, createTus, expire, freshName, makeFolder } from '../support/storage-kit.ts';
import { type Account, createTestApp, idOf } from '../support/test-app.ts';

/** /upload, as Discord sends it, and its answers. */

const TIERS = JSON.stringify({ plus: { storage: '2GiB', file: '1GiB', hours: 72 } });
const EPHEMERAL = 64;

const app = await createTestApp({ env: { TIERS } });
const mika = await app.signIn('mika');

const upload = (as: string, options: Record<string, string | number | boolean> = {}, place = {}) =>
  command(app, as, 'upload', options, place);

/** What the reply says and where its one button leads; each reply is private and pings no one. */
function read({ status, body }: BotAnswer) {
  expect([status, body.type, body.data.flags, body.data.allowed_mentions]).toEqual([200, 4, EPHEMERAL, { parse: [] }]);
  const [button] = body.data.components?.[0]?.components ?? [];
  if (!button) return { content: body.data.content as string, url: null, label: null };
  expect(button.style).toBe(5);
  expect(button.url.length).toBeLessThanOrEqual(512);
  return { content: body.data.content as string, url: new URL(button.url), label: button.label as string };
}
const intentOf = (url: URL | null) => /^#intent=([\w-]{43})$/.exec(url?.hash ?? '')?.[1] ?? '';

async function redeem(url: URL | null, as: Account): Promise<RedeemIntentOutput> {
  const response = await app.call('POST', '/discord/intents/redeem', { as, body: { intent: intentOf(url) } });
  expect(response.status).toBe(200);
  return (await response.json()) as RedeemIntentOutput;
}
const intentsOf = (name: string) =>
  app.database.db
    .select()
    .from(upload_intents)
    .where(eq(upload_intents.discord_id, idOf(name)));

async function namedFolder(name: string, as = mika): Promise<Folder> {
  const made = await app.rpc<{ folder: Folder }>('create_folder_with_temp_key', { folder_name: name }, as);
  return made.body.folder;
}

describe('while a name is typed', () => {
  const suggest = async (folder: string) => {
    const { body } = await autocomplete(app, 'lea', 'upload', { options: { folder }, focused: 'folder' });
    return body.data.choices as { name: string; value: string }[];
  };

  test('an unused name is offered as a new folder, behind the folders whose names contain it', async () => {
    const lea = await app.signIn('lea');
    const { id } = await namedFolder('Saturday raid', lea);
    expect(await suggest('satur')).toEqual([
      { name: expect.stringMatching(/^Saturday raid · /), value: id },
      { name: 'New folder: satur', value: 'satur' },
    ]);
    expect(await suggest('Saturday raid')).toMatchObject([{ value: id }]);
    expect(await suggest('  ')).toMatchObject([{ value: id }]);
    expect((await suggest('n'.repeat(80)))[0]?.value).toBe('n'.repeat(80));
    expect(await suggest('n'.repeat(101))).toEqual([]);
  });
});

describe('at the caps', async () => {
  const full = await createTestApp({ env: { MAX_OPEN_FOLDERS: '2', MAX_FOLDER_FILES: '1' } });

  test('a person with the most folders of an account is told so, in their language, without a link to the form', async () => {
    const nora = await full.signIn('nora');
    const made = [await makeFolder(full, nora), await makeFolder(full, nora)];
    for (const language of LANGUAGES) {
      const answer = read(await command(full, 'nora', 'upload', { folder: 'a third one' }, { locale: language }));
      const content = sentenceOf(new AppError('folder.too_many', { max: 2 }), language);
      expect(answer).toEqual({ content, url: null, label: null });
      expect(content).toContain(' 2 ');
    }
    expect((await full.database.db.select().from(upload_intents)).length).toBe(0);
    // Existing folders still take files.
    expect(read(await command(full, 'nora', 'upload', { folder: made[0]!.id })).label).toBe('Choose files');
    await expire(full, made[0]!);
    expect(read(await command(full, 'nora', 'upload', { folder: 'a third one' })).label).toBe('Make the folder');
  });

  test('a folder with the most files says so, and leads to its page', async () => {
    const olga = await full.signIn('olga');
    const folder = await makeFolder(full, olga);
    const tus = createTus(full, olga);
    await tus.patch(await tus.create({ folder, name: freshName(), length: 1 }), 0, 'x');
    for (const language of LANGUAGES) {
      const { content, url, label } = read(
        await command(full, 'olga', 'upload', { folder: folder.id }, { locale: language }),
      );
      expect(content).toBe(UPLOAD_TEXTS[language].fullWithOne({ name: folderTitle(folder, language) }));
      expect(label).toBe(UPLOAD_TEXTS[language].open);
      expect(url?.pathname).toBe(`/f/${folder.slug}`);
    }
  });
});

describe('for a new folder', () => {
  test('a person with an account gets the page with its form filled in, and the intent behind it', async () => {
    const { content, url, label } = read(await upload('mika', { folder: 'Saturday raid', expires: 6 }));
    expect(`${url?.origin}${url?.pathname}`).toBe(`${app.config.publicUrl}/upload`);
    expect(Object.fromEntries(url?.searchParams ?? [])).toEqual({
      name: 'Saturday raid',
      lifetime: '6',
      mode: 'private',
    });
    expect(label).toBe('Make the folder');
    expect(content).toContain('**Saturday raid** is encrypted in your browser.');
    expect(content).not.toContain('Sign in');
    expect(await redeem(url, mika)).toMatchObject({
      folder_name: 'Saturday raid',
      lifetime_hours: 6,
      link_mode: 'private',
    });
  });

  test('a person who has never signed in gets an intent and none of its content in the address; it opens for them alone', async () => {
    const { content, url } = read(await upload('otto', { folder: 'First one', who_opens: 'plain' }));
    expect(url?.search).toBe('');
    expect(content).toContain('Sign in there with this Discord account.');
    expect(content).toContain('not encrypted');
    const foreign = await app.call('POST', '/discord/intents/redeem', { as: mika, body: { intent: intentOf(url) } });
    expect(await codeOf(foreign)).toBe('intent.foreign');
    const otto = await app.signIn('otto');
    expect(await redeem(url, otto)).toMatchObject({ folder_name: 'First one', lifetime_hours: 24, link_mode: 'plain' });
  });

  test('the option says who opens it, and the next command without it begins with the last answer', async () => {
    const nils = await app.signIn('nils');
    const modeOf = async (url: URL | null) => (await redeem(url, nils)).link_mode;
    const asked = read(await upload('nils', { folder: 'Chat clips', who_opens: 'discord' }));
    expect(asked.url?.searchParams.get('mode')).toBe('discord');
    expect(asked.content).toContain('**Chat clips**: our server holds the key.');
    expect(asked.content).not.toContain('As last time');
    expect(await modeOf(asked.url)).toBe('discord');

    const next = read(await upload('nils', { folder: 'More clips' }));
    expect(next.content).toContain('**More clips**: our server holds the key.');
    expect(next.content).toContain('As last time; `who_opens` changes that.');
    expect(await modeOf(next.url)).toBe('discord');

    expect(await modeOf(read(await upload('nils', { who_opens: 'private' })).url)).toBe('private');
    const last = read(await upload('nils'));
    expect(last.content).toContain('encrypted in your browser');
    expect(last.content).not.toContain('As last time');
    // Each person has their own answer.
    await upload('nils', { who_opens: 'plain' });
    expect(read(await upload('mika', { folder: 'Another person’s' })).url?.searchParams.get('mode')).toBe('private');
  });

  test('the answer in the form counts as the last one, also of a person whose first command it was', async () => {
    const { url } = read(await upload('pia', { folder: 'First of Pia' }));
    const pia = await app.signIn('pia');
    const { intent_id } = await redeem(url, pia);
    const made = await app.rpc('create_folder_with_temp_key', { folder_name: 'First of Pia', intent_id }, pia);
    expect(made.status).toBe(201);
    const next = read(await upload('pia', { folder: 'Second of Pia' }));
    expect(next.url?.searchParams.get('mode')).toBe('plain');
    expect(next.content).toContain('not encrypted');
    expect(next.content).toContain('As last time');
  });

  test('an answer that there is none of is refused', async () => {
    expect(read(await upload('mika', { who_opens: 'revoked' }))).toMatchObject({ url: null });
  });

  test('without a name it has none, and lives as long as allowed', async () => {
    const { content, url } = read(await upload('mika'));
    expect(url?.searchParams.has('name')).toBe(false);
    expect(content).toContain('**Your folder** is encrypted');
    expect(await redeem(url, mika)).toMatchObject({ folder_name: null, lifetime_hours: 24 });
  });

  test('no life is longer than the person’s tier allows', async () => {
    expect(read(await upload('mika', { expires: 72 }))).toMatchObject({
      content: 'A folder lives for at most 24 hours.',
      url: null,
    });
    const lena = await app.signIn('lena');
    await app.database.db.execute(
      `update profiles set subscription_tier = 'plus' where id = '${lena.profile_id}'::uuid`,
    );
    expect(await redeem(read(await upload('lena', { expires: 72 })).url, lena)).toMatchObject({ lifetime_hours: 72 });
    expect(read(await upload('ava', { expires: 72 })).url).toBeNull();
    for (const expires of [0, -1]) expect(read(await upload('mika', { expires })).url).toBeNull();
  });

  test('a name is only text: no markdown, mention or link', async () => {
    const name = '**[x](https://evil.example)** @everyone `<@1>` ||x||';
    const { content, url } = read(await upload('mika', { folder: name }));
    expect(content).toContain(
      '\\*\\*\\[x\\]\\(https\\://evil.example\\)\\*\\* \\@everyone \\`\\<\\@1\\>\\` \\|\\|x\\|\\|',
    );
    expect((await redeem(url, mika)).folder_name).toBe(name);
  });

  test('a long name in another script still fits into a button’s address, and is filled in as well', async () => {
    const name = '夜'.repeat(80);
    const { url } = read(await upload('mika', { folder: name }));
    expect(url?.searchParams.has('name')).toBe(false);
    expect((await redeem(url, mika)).folder_name).toBe(name);
  });

  test('invisible characters of a name are left out', async () => {
    const { url } = read(await upload('mika', { folder: 'Sun\u00adday\u200b 👩‍🚀' }));
    expect((await redeem(url, mika)).folder_name).toBe('Sunday 👩‍🚀');
  });

  test.each(['x'.repeat(81), 'nul\0', '\ud800'])('an impossible name (%j) makes no intent', async (folder) => {
    const before = await intentsOf('mika');
    expect(read(await upload('mika', { folder }))).toMatchObject({
      content: 'A folder’s name has at most 80 characters.',
      url: null,
    });
    expect(await intentsOf('mika')).toEqual(before);
  });
});

describe('for an existing folder', () => {
  test('its owner gets its upload zone, by its id and by its name', async () => {
    const folder = await namedFolder('Holiday *2026*');
    for (const value of [folder.id, 'holiday *2026*']) {
      const { content, url, label } = read(await upload('mika', { folder: value }));
      expect(url?.href).toBe(`${app.config.publicUrl}/f/${folder.slug}?upload=true`);
      expect(label).toBe('Choose files');
      expect(content).toContain('**Holiday \\*2026\\***');
      expect(content).not.toContain('stay as they are');
    }
    // It has no intent to redeem, since none is needed.
    const bound = (await intentsOf('mika')).filter(({ folder_id }) => folder_id === folder.id);
    expect(bound.map(({ token_hash, folder_name }) => [token_hash, folder_name])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  test('options for a new folder’s protection and life are said to have no effect', async () => {
    const folder = await makeFolder(app, mika);
    const { content } = read(await upload('mika', { folder: folder.id, expires: 1 }));
    expect(content).toContain('protection and end stay as they are');
  });

  test('one with a revoked link takes no files, and says what helps', async () => {
    const folder = await makeFolder(app, mika, 'private');
    expect((await app.rpc('revoke_temp_encryption_key', { folder_id: folder.id }, mika)).status).toBe(204);
    const before = await intentsOf('mika');
    const { content, url } = read(await upload('mika', { folder: folder.id }));
    // A revoked link stays revoked; another folder helps.
    expect(content).toMatch(/is revoked.*with another name/);
    expect(url).toMatchObject({ pathname: `/f/${folder.slug}`, search: '' });
    expect(await intentsOf('mika')).toEqual(before);
  });

  test('another person’s, an expired and a deleted one are refused in words, and are no names of new ones', async () => {
    const folder = await makeFolder(app, mika);
    expect(read(await upload('jonas', { folder: folder.id }))).toMatchObject({ url: null });
    await app.signIn('jonas');
    expect(read(await upload('jonas', { folder: folder.id }))).toMatchObject({ url: null });
    await expire(app, folder);
    expect(read(await upload('mika', { folder: folder.id }))).toMatchObject({
      content: 'This folder has expired.',
      url: null,
    });
    const gone = '7d0c0000-0000-4000-8000-000000000101';
    expect(read(await upload('mika', { folder: gone })).content).toContain('I can’t find this folder');
    // Another person's folder name is free to use.
    const named = await namedFolder('Shared by chance');
    expect(read(await upload('jonas', { folder: 'Shared by chance' })).url?.pathname).toBe('/upload');
    expect(read(await upload('mika', { folder: 'Shared by chance' })).url?.pathname).toBe(`/f/${named.slug}`);
  });
});

test.each(LANGUAGES)('speaks %s', async (language) => {
  const texts = UPLOAD_TEXTS[language];
  const { content, label } = read(await upload('mika', { folder: 'Lanterna' }, { locale: language }));
  expect(label).toBe(texts.make);
  expect(content).toContain(texts.willTell);
  expect(content).toContain('**Lanterna**');
});
