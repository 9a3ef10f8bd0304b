import { randomUUID } from 'node:crypto';
import { BUCKET } from '@satchel/contract/limits';
import { newSlug } from '@satchel/contract/naming';
import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { Command } from '../../src/bot/command.ts';
import { COMMANDS } from '../../src/bot/commands.ts';
import { LANGUAGES, type Language } from '../../src/bot/language.ts';
import type { FolderRow } from '../../src/domain/access/find-folder.ts';
import { folders, slugs } from '../../src/platform/schema/folders.ts';
import {
  autocomplete,
  type BotAnswer,
  click,
  command,
  type Place,
  recordRest,
  submit,
} from '../support/discord/discord-kit.ts';
import { createShareKit, LANTERN } from '../support/discord/share-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/**
 * Everything that the bot can be asked, once in each language: each command with folders in every state, and each
 * button, menu and form of the answers, used by the owner and by a stranger, and again after the folders are deleted.
 * The kit checks each answer against Discord's schema and rules.
 */

/** The kit must refuse this. */
const TOO_LONG: Command = {
  name: 'too_long' as Command['name'],
  run: async () => ({ kind: 'private', message: { content: 'x'.repeat(2001) } }),
};

const said = recordRest();
const app = await createTestApp({
  deps: { discordRest: said.rest, commands: [...COMMANDS, TOO_LONG] },
});

const PRIVATE = 64;
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es-419' };
/** These can't be undone, so they come last. */
const FINAL = ['delete:yes', 'share:close'];

/** Input for a form. */
const TYPED = ['1', '3', 'soon', '# no', '0', '99999'];

/** The longest name, of characters that must be escaped: it makes the longest replies. */
const LONGEST = '*_`|'.repeat(20);
const HOUR_MS = 3_600_000;

/** Folders in every state. The second may live longer; the last has expired. */
const STATES = [
  { name: LONGEST, link_mode: 'plain' },
  { name: '👨‍👩‍👧‍👦'.repeat(7), link_mode: 'plain', hours: 0.5 },
  { name: '@everyone <@1> https://evil.example/#k', link_mode: 'plain', access: 'restricted' },
  { name: 'a\u202eb', link_mode: 'revoked' },
  { name: '_', link_mode: 'private' },
  ...Array.from({ length: 5 }, () => ({ name: null, link_mode: 'plain' }) as const),
  { name: 'Over', link_mode: 'plain', hours: -0.1 },
] as const satisfies readonly (Pick<FolderRow, 'name' | 'link_mode'> & { access?: 'restricted'; hours?: number })[];

/** Ids of one person's folders, enough for two pages of a list. */
async function makeFolders(owner: string): Promise<readonly string[]> {
  const account = await app.signIn(owner);
  const nowMs = Date.now();
  const rows = STATES.map(({ name, link_mode, ...state }, index) => ({
    name,
    link_mode,
    slug: newSlug(),
    access: 'access' in state ? state.access : ('link' as const),
    created_at: new Date(nowMs - index * 60_000),
    expires_at: new Date(nowMs + ('hours' in state ? state.hours : 24) * HOUR_MS - index * 60_000),
    size_bytes: 1234 * index,
    file_count: index,
    bucket: BUCKET,
    bucket_storage_path: randomUUID(),
    owner_profile_id: account.profile_id,
  }));
  const { db } = app.database;
  await db.insert(slugs).values(rows.map(({ slug }) => ({ slug })));
  const made = await db.insert(folders).values(rows).returning();
  // The server has this one's key.
  const { folder } = await createShareKit(app, account, said).makeShareable('discord');
  return [folder.id, ...made.map(({ id }) => id)];
}

/** A control to click or fill in. */
interface Control {
  readonly custom_id: string;
  readonly values?: string[];
  /** A form's fields, by custom_id. */
  readonly fields?: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: Discord's JSON
type Json = any;

/** The usable buttons, menus and forms of an answer. */
function controlsOf(message: Json): Control[] {
  const parts: Json[] = (message?.components ?? []).flatMap((row: Json) => row.components ?? [row.component]);
  const fields = parts.filter(({ type }) => type === 4).map(({ custom_id }) => custom_id as string);
  if (fields.length > 0) return [{ custom_id: message.custom_id, fields }];
  return parts
    .filter(({ custom_id, disabled }) => custom_id !== undefined && disabled !== true)
    .map(({ custom_id, options }) => ({ custom_id, ...(options && { values: [options.at(-1).value] }) }));
}

const actOf = (custom_id: string) => custom_id.split(':').slice(0, 2).join(':');

function createWalk(owner: string, place: Place) {
  const known = new Map<string, Control>();
  let filledCount = 0;
  /** Kinds of answers, by what was asked. */
  const kinds = new Map<string, Set<number>>();

  /** Only a /share card may be public. All controls of an answer are collected, too. */
  async function take(asked: string, answer: BotAnswer): Promise<void> {
    expect([answer.status, answer.body?.type], asked).toEqual([200, expect.any(Number)]);
    const { type, data } = answer.body;
    kinds.set(asked, (kinds.get(asked) ?? new Set()).add(type));
    for (const control of controlsOf(data)) known.set(control.custom_id, control);
    if (type !== 4 || data.flags === PRIVATE) return;
    expect(asked).toMatch(/^share(:again)?$/);
    while (!said.all.some(({ token }) => token === answer.token)) await said.until(said.all.length + 1);
    const receipt = said.all.find(({ token }) => token === answer.token)?.message;
    expect(receipt?.flags).toBe(PRIVATE);
    for (const control of controlsOf(receipt)) known.set(control.custom_id, control);
  }

  async function use({ custom_id, values, fields }: Control, by: string): Promise<void> {
    if (!fields)
      return take(actOf(custom_id), await click(app, by, custom_id, { ...place, ...(values && { values }) }));
    const value = TYPED[filledCount++ % TYPED.length]!;
    const filled = Object.fromEntries(fields.map((name) => [name, value]));
    return take(actOf(custom_id), await submit(app, by, custom_id, filled, place));
  }

  /**
   * Uses all controls so far, and the new answers' controls; final ones only if wanted.
   * @param most the most uses of one act: there are folders in five states, and some more of the first
   */
  async function useAll(by: string, most: number, isWanted: (custom_id: string) => boolean): Promise<void> {
    const used = new Set<string>();
    const counts = new Map<string, number>();
    const countOf = (custom_id: string) => counts.get(actOf(custom_id)) ?? 0;
    for (;;) {
      const next = [...known.values()].find(
        ({ custom_id }) => !used.has(custom_id) && countOf(custom_id) < most && isWanted(custom_id),
      );
      if (!next) return;
      used.add(next.custom_id);
      counts.set(actOf(next.custom_id), countOf(next.custom_id) + 1);
      await use(next, by);
    }
  }

  const isFinal = (custom_id: string) => FINAL.includes(actOf(custom_id));
  return {
    kinds,
    run: async (name: string, options: Record<string, string | number | boolean>, over: Place = {}) =>
      take(name, await command(app, owner, name, options, { ...place, ...over })),
    stay: (by: string, most: number) => useAll(by, most, (custom_id) => !isFinal(custom_id)),
    finish: (by: string) => useAll(by, 2, isFinal),
    repeat: (by: string) => useAll(by, 1, () => true),
  };
}

async function runAll({ run }: ReturnType<typeof createWalk>, ids: readonly string[]): Promise<void> {
  for (const options of [
    {},
    { folder: 'A new one' },
    { folder: LONGEST, who_opens: 'plain', expires: 1 },
    { folder: LONGEST, who_opens: 'discord' },
    { who_opens: 'discord' },
    { folder: LONGEST },
    { who_opens: 'everything' },
    { expires: 999 },
  ]) {
    await run('upload', options);
  }
  for (const page of [0, 1, 2, 99]) await run('list', { page });
  for (const folder of [...ids.slice(0, 6), ids.at(-1)!]) {
    await run('upload', { folder, who_opens: 'discord' });
    await run('share', { folder });
    await run('delete', { folder });
  }
  const folder = ids.at(1) ?? ids.at(0)!;
  await run('share', { folder, with: '200000000000000001', members_only: true });
  await run('share', { folder, with: '200000000000000001' });
  await run('share', { folder, members_only: true }, { guild_id: undefined as never });
  await run('share', { folder }, { mayUseExternalApps: false });
  for (const name of ['share', 'delete', 'upload']) {
    await run(name, { folder: 'nobody knows it' });
    await run(name, { folder: 'https://a.example/f/x#k=1' });
  }
  for (const permissions of [0n, PermissionFlagsBits.ManageGuild]) {
    await run('settings', {}, { permissions });
    await run('settings', { who_opens: 'plain', share_here: true, log_webhook: 'no webhook' }, { permissions });
    await run('help', {}, { permissions });
  }
  await run('unheard-of', {});
}

async function typeAll(owner: string, place: Place): Promise<number> {
  let most = 0;
  for (const name of ['share', 'list']) {
    for (const folder of ['', '*', 'zzz', '#']) {
      const { status, body } = await autocomplete(app, owner, name, { options: { folder }, focused: 'folder' }, place);
      expect([status, body.type]).toEqual([200, 8]);
      most = Math.max(most, body.data.choices.length);
    }
  }
  return most;
}

const ACTS = COMMANDS.flatMap(({ name, clicks = {} }: Command) => Object.keys(clicks).map((act) => `${name}:${act}`));

test.each(LANGUAGES)('every command and click in %s gets an answer that Discord takes', async (language) => {
  const place: Place = { ...LANTERN, locale: LOCALES[language] };
  const [owner, stranger] = [`owner-${language}`, `stranger-${language}`];
  const made = await makeFolders(owner);
  const walk = createWalk(owner, place);
  await runAll(walk, made);
  await walk.stay(owner, language === 'de' ? 5 : 3);
  await walk.repeat(stranger);
  await walk.finish(owner);
  await walk.repeat(owner);

  expect([...walk.kinds.keys()].filter((asked) => asked.includes(':')).sort()).toEqual([...ACTS].sort());
  const all = new Set([...walk.kinds.values()].flatMap((types) => [...types]));
  expect([...all].sort()).toEqual([4, 7, 9]);
});

test('people without an account get answers, too, also while typing', async () => {
  const walk = createWalk('nobody-yet', LANTERN);
  await runAll(walk, ['00000000-0000-4000-8000-000000000000']);
  expect([...walk.kinds.values()].every((types) => [...types].join() === '4')).toBe(true);
  const owner = 'owner-who-types';
  await makeFolders(owner);
  for (const language of LANGUAGES) expect(await typeAll(owner, { locale: LOCALES[language] })).toBe(11);
});

test('the kit refuses each answer that Discord would refuse', async () => {
  await expect(command(app, 'mika', TOO_LONG.name)).rejects.toThrow(
    '/data/content: must NOT have more than 2000 characters',
  );
});
