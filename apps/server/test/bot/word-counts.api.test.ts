import { describe, expect, test } from 'vitest';
import { LANGUAGES, type Language } from '../../src/bot/language.ts';
import { click, command, type Place } from '../support/discord/discord-kit.ts';
import { setAccess } from '../support/discord/guests.ts';
import { LANTERN, openIdOf, startShareKit } from '../support/discord/share-kit.ts';
import { idOf } from '../support/test-app.ts';

/** How many words the bot's replies have, in each language, as a person reads them. */

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es-ES' };
const { app, owner, kit } = await startShareKit();

/** Discord's own words for a moment. */
const moment = (style: string, language: Language): string =>
  style === 'R'
    ? new Intl.RelativeTimeFormat(language).format(3, 'hour')
    : new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(0);

const wordsIn = (content: string, language: Language): number =>
  content
    .replace(/<t:\d+:(\w)>/g, (_, style: string) => moment(style, language))
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

type Counted = readonly [what: string, most: number, words: number];

async function countIn(language: Language): Promise<Counted[]> {
  const place: Place = { ...LANTERN, locale: LOCALES[language] };
  const counted: Counted[] = [];
  const count = (what: string, most: number, content: unknown) =>
    counted.push([what, most, wordsIn(String(content), language)]);
  const ask = async (
    what: string,
    most: number,
    name: string,
    options: Record<string, string | boolean>,
    as = 'mika',
  ) => count(what, most, (await command(app, as, name, options, place)).body.data.content);

  for (const who_opens of ['discord', 'plain', 'private']) {
    await ask(`/upload, ${who_opens}`, 25, 'upload', { folder: 'Maps', who_opens });
    await ask(`/upload, ${who_opens} as last time`, 25, 'upload', { folder: 'Maps' });
    await ask(`/upload, ${who_opens}, without an account`, 25, 'upload', { who_opens }, 'nobody');
  }
  const { folder } = await kit.makeShareable('discord', { folder_name: 'Maps' });
  await ask('/upload, there already', 25, 'upload', { folder: folder.id, who_opens: 'plain' });
  await ask('/help', 30, 'help', {});
  await ask('question', 30, 'share', {
    folder: (await kit.makeShareable('private', { folder_name: 'Secret' })).folder.id,
  });

  const shared = async (what: string, options: Record<string, string | boolean>) => {
    const answer = await kit.share(folder, options, place);
    count(`receipt, ${what}`, 30, (await kit.receiptAfter(answer)).content);
    return answer;
  };
  await shared('with the link', {});
  const card = openIdOf(await shared('members only, restricts', { members_only: true }));
  await shared('two kinds of people', { with: idOf('ava') });
  const alone: Place = { locale: LOCALES[language] };
  for (const [why, where] of Object.entries({ alone, unheard: { ...place, mayUseExternalApps: false } })) {
    count(`no card, ${why}`, 30, (await kit.share(folder, {}, where)).body.data.content);
  }
  count('Open', 20, (await click(app, 'jonas', card, place)).body.data.content);
  count('Open, one’s own', 20, (await click(app, 'mika', card, place)).body.data.content);
  const sealed = await kit.makeShareable('private', { folder_name: 'Secret' });
  await setAccess(app, owner, sealed.folder, 'restricted');
  count(
    'Open, without a key',
    20,
    (await click(app, 'jonas', await kit.openOf(sealed.folder), place)).body.data.content,
  );
  return counted;
}

describe('a reply is short enough to be read', () => {
  const table = new Map<string, string>();

  test.each(LANGUAGES)('in %s', async (language) => {
    const counted = await countIn(language);
    for (const [what, most, words] of counted) {
      table.set(what, `${table.get(what) ?? what.padEnd(44) + String(most).padStart(4)}${String(words).padStart(4)}`);
    }
    if (language === LANGUAGES.at(-1)) {
      process.stdout.write(`${'words'.padEnd(44)}most  ${LANGUAGES.join('  ')}\n${[...table.values()].join('\n')}\n`);
    }
    expect(counted.filter(([, most, words]) => words > most)).toEqual([]);
  });
});
