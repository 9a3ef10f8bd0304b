import { randomUUID } from 'node:crypto';
import { sealForTest } from '@satchel/client/testing/sealed-file';
import { importKeys, parseKey } from '@satchel/container/key';
import type { FileEntry } from '@satchel/contract/entities';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect } from 'vitest';
import { newVisitor, visit } from '../support/browser.ts';
import { noisePng } from '../support/files.ts';
import {
  CLIP,
  cardOf,
  entriesBySize,
  type LiedTo,
  longFilm,
  type Made,
  packedOn,
  pictureOf,
  reachOf,
  strangersAmong,
  test,
  textOf,
} from '../support/lied-to.ts';
import { bytesAre, type Lie, listIs } from '../support/lying-server.ts';
import { createPlainFolder, type Person, runTus, signIn } from '../support/people.ts';

/** Entries or bytes that a server substitutes in a folder are not shown, played, packed or saved. */

const MIB = 1024 ** 2;
const BUCKET = 'unlocked-folders';
const FOREIGN = 'Not from this folder';

const LETTERS = {
  first: textOf('first.txt', 'one'),
  second: textOf('second.txt', 'second'),
  third: textOf('third.txt', 'the third one'),
  fourth: textOf('fourth.txt', 'the fourth of these'),
  fifth: textOf('fifth.txt', 'the fifth and last of these'),
  sun: pictureOf('sun.png', 96),
};
const FILMS = {
  letter: textOf('letter.txt', 'Dear all'),
  answer: textOf('answer.txt', 'Thank you for your letter'),
  sun: pictureOf('sun.png', 96),
  moon: pictureOf('moon.png', 120),
  voyage: longFilm('voyage.webm'),
  return: longFilm('return.webm', MIB),
};

let world: LiedTo;
/** A folder with hidden names, one with readable names, and an unrelated one. */
let ours: Made;
let readable: Made;
let theirs: Made;
/** The honest lists. */
let letters: Record<keyof typeof LETTERS, FileEntry>;
let films: Record<keyof typeof FILMS, FileEntry>;
/** Storage paths outside these folders. */
let foreign: { text: string; picture: string; film: string; servers: string; theirs: FileEntry };
let page: Page;

async function put(person: Person, path: string, type: string, bytes: Buffer): Promise<string> {
  const metadata = { bucketName: BUCKET, objectName: path, contentType: type, cacheControl: '3600' };
  const { error } = await runTus({ url: world.site.url, person, path }, bytes, { metadata });
  if (error) throw error;
  return `${BUCKET}/${path}`;
}

async function makeForeign(): Promise<typeof foreign> {
  const person = await signIn(world.site, 'jonas');
  const { bucket_storage_path: place } = await createPlainFolder(person, 'Elsewhere');
  const content = Buffer.from('planted');
  const keys = await importKeys(parseKey(world.serversKey));
  const planted = { name: 'planted.txt', type: 'text/plain', storedName: 'planted.enc' };
  const { container } = await sealForTest(keys, new Uint8Array(content), planted);
  const [stored] = await world.list(theirs);
  return {
    text: await put(person, `${place}/planted.txt`, 'text/plain', content),
    picture: await put(person, `${place}/planted.png`, 'image/png', noisePng(50, 40)),
    film: await put(person, `${place}/planted.webm`, 'video/webm', CLIP),
    servers: await put(person, `${place}/planted.enc`, 'application/octet-stream', Buffer.from(container)),
    theirs: stored!,
  };
}

test.beforeAll(async ({ liedTo }) => {
  world = liedTo;
  ours = await world.make({ name: 'Ours', files: Object.values(LETTERS) });
  readable = await world.make({ name: 'Readable', files: Object.values(FILMS), hidesNames: false });
  theirs = await world.make({ name: 'Theirs', files: [textOf('their-notes.txt', 'theirs')] });
  letters = entriesBySize(await world.list(ours), LETTERS);
  films = entriesBySize(await world.list(readable), FILMS);
  foreign = await makeForeign();
  // Without an account: no visit leaves anything for the next one.
  ({ page } = await newVisitor(world.browser));
});
beforeEach(() => world.calm());

const pathIn = ({ data }: Made, { name }: Pick<FileEntry, 'name'>) =>
  `${BUCKET}/${data.folder_bucket_storage_path}/${name}`;

/** By kind of lie, the ways in which foreign bytes were accepted. */
async function had(things: readonly (readonly [what: string, id: string])[]): Promise<string[]> {
  const found: string[] = [];
  for (const [what, id] of things) {
    const ways = await reachOf(page, id, null);
    found.push(...ways.map((way) => `${what}: ${way}`));
  }
  return found;
}

describe('a list with files that are not this folder’s', () => {
  const made = (name: string, from: Partial<FileEntry['metadata']> = {}): FileEntry => ({
    id: randomUUID(),
    name,
    created_at: new Date().toISOString(),
    updated_at: new Date().toISOString(),
    metadata: { size: 4000, mimetype: 'text/plain', eTag: '"0"', ...from },
  });
  const unlabelled = ({ metadata: { sealed: _, ...metadata } }: FileEntry) => metadata;

  /** Each lie: the list entry, and the bytes at its address. */
  function plant() {
    const { first, second, third, fourth, fifth } = letters;
    const { theirs: other } = foreign;
    const planted = {
      'an unsealed text': [made('holiday_1763750000000_abcdefgh.txt'), foreign.text],
      'an unsealed picture': [made('holiday_1763750000000_abcdefgi.png', { mimetype: 'image/png' }), foreign.picture],
      'an unsealed film': [
        made('holiday_1763750000000_abcdefgj.webm', { mimetype: 'video/webm', size: 30 * MIB }),
        foreign.film,
      ],
      'a file under the server’s key': [made('AAAABBBBCCCCDDDD_1763750000000_abcdefgh.enc'), foreign.servers],
      'another folder’s file, with its label': [{ ...other, id: randomUUID() }, pathIn(theirs, other)],
      'a file of this folder under another stored name': [
        { ...first, id: randomUUID(), name: 'EEEEFFFFGGGGHHHH_1763750000000_abcdefgh.enc' },
        pathIn(ours, first),
      ],
      'a file of this folder without its label': [
        made('IIIIJJJJKKKKLLLL_1763750000000_abcdefgh.enc', unlabelled(first)),
        pathIn(ours, first),
      ],
    } as const satisfies Record<string, readonly [FileEntry, string]>;
    const relabelled = (entry: FileEntry, sealed: string | undefined): FileEntry => ({
      ...entry,
      metadata: { ...entry.metadata, ...(sealed === undefined ? {} : { sealed }) },
    });
    const changed = {
      'a file with another’s label': relabelled(second, third.metadata.sealed),
      'a file with yet another’s label': relabelled(third, second.metadata.sealed),
      'a file with a damaged label': relabelled(fourth, `${fourth.metadata.sealed?.slice(0, -8)}AAAAAAAA`),
    };
    const misdescribed = { ...fifth, metadata: { ...fifth.metadata, size: 5 * MIB, mimetype: 'text/html' } };
    const lies: Lie[] = [
      ...Object.values(planted).map(([entry, path]) => bytesAre(pathIn(ours, entry), path)),
      listIs(ours.data.folder_bucket_storage_path, (honest) => [
        ...honest.map((entry) => [...Object.values(changed), misdescribed].find(({ id }) => id === entry.id) ?? entry),
        ...Object.values(planted).map(([entry]) => entry),
      ]),
    ];
    const foreigners = [
      ...Object.entries(planted).map(([what, [{ id }]]) => [what, id] as const),
      ...Object.entries(changed).map(([what, { id }]) => [what, id] as const),
    ];
    return { lies, foreigners };
  }

  test('shows, opens, packs and saves none of them, marks each, and states their number', async () => {
    const { lies, foreigners } = plant();
    world.server.lie(...lies);
    await visit(page, ours.link);
    await cardOf(page, letters.sun.id).getByText('Cached').waitFor();
    const found = await had(foreigners);
    const members = await packedOn(page);
    found.push(...strangersAmong(members, Object.values(LETTERS)).map((name) => `${name}: zip`));
    expect(found).toEqual([]);
    for (const [what, id] of foreigners) expect(await cardOf(page, id).getByText(FOREIGN).count(), what).toBe(1);
    await page
      .getByText(new RegExp(`${foreigners.length} files do not open with this link`))
      .first()
      .waitFor();
    expect(members.map(({ name }) => name).sort()).toEqual(['fifth.txt', 'first.txt', 'sun.png']);
    // Size and type in a list are not trusted without the label.
    expect(await cardOf(page, letters.fifth.id).getByText(/\d MB/).count()).toBe(0);
    const ways = await reachOf(page, letters.fifth.id, LETTERS.fifth);
    expect(ways.filter((way) => way.startsWith('wrong'))).toEqual([]);
  });
});

describe('bytes of one file at the address of another', () => {
  // Where names are hidden: tests/journeys/lying-server.
  test('are not shown, played, packed or saved, though their names are readable', async () => {
    const { letter, answer, sun, moon, voyage, return: home } = films;
    const pairs = [[letter, answer] as const, [sun, moon] as const, [voyage, home] as const];
    for (const [one, other] of pairs) {
      const [path, others] = [pathIn(readable, one), pathIn(readable, other)];
      world.server.lie(bytesAre(path, others), bytesAre(others, path));
    }
    await visit(page, readable.link);
    await cardOf(page, pairs[0]![0].id).waitFor();
    const swapped = pairs.flat();
    const found = await had(swapped.map(({ id, name }) => [name.replace(/_\d+_.*/, ''), id] as const));
    const strangers = strangersAmong(await packedOn(page), Object.values(FILMS));
    expect([...found, ...strangers.map((name) => `${name}: zip`)]).toEqual([]);
    for (const { id, name } of swapped) expect(await cardOf(page, id).getByText(FOREIGN).count(), name).toBe(1);
  });
});
