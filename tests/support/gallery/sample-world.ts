import type { Browser } from 'playwright-core';
import { newVisitor, PASSPHRASE, takeSession, type Visitor } from '../browser.ts';
import { makeZip, papers, pictureFile, TRAVEL_NOTES, worldFiles } from '../files.ts';
import { coveredSong, makePdf } from '../media.ts';
import {
  type CreatedFolder,
  createFolderAs,
  type FolderWish,
  listFiles,
  type OwnedFolder,
  type Person,
  signIn,
} from '../people.ts';
import type { Site } from '../site.ts';

/** Sample data of every kind: the gallery shows it in its states. */

/** Names of people, folders and kinds of files: the same in every language. */
const NAMES = [
  ...[
    'Lantern Festival',
    'Open letters',
    'Empty shelf',
    'Short-lived',
    'Withdrawn',
    'Under seal',
    'For the server',
    'Odd things',
  ],
  ...[
    'Ava Lindqvist',
    'ava.sandbox',
    '@ava.sandbox',
    'ava@sandbox.example',
    'Winter trip',
    'Jonas',
    '@jonas.sandbox',
    'jonas@sandbox.example',
  ],
  ...['@otto.sandbox', 'Lena', 'lena#1234', 'lena@sandbox.example', '147382950617284611', '#8f5bd6'],
  ...[
    'WEBP',
    'WEBM',
    'WAV',
    'TXT',
    'BIN',
    'PDF',
    'CSV',
    'ZIP',
    'MD',
    'PY',
    'HEIC',
    'TS',
    'PNG',
    'JPG',
    'MP3',
    'Harbour song',
    'Die Möwen',
    'part-three.bin',
    'damaged.jpg',
    'part-one.bin',
    'part-two.bin',
    'nothing.txt',
  ],
  ...[
    'Discord Employee',
    'HypeSquad Events',
    'House Bravery',
    'Early Supporter',
    'Early Bot Developer',
    'Active Developer',
  ],
];

const LINKS = ['sealed', 'plain', 'empty', 'packing', 'passphrase', 'discord', 'revoked', 'tree', 'odd'] as const;
export type LinkName = (typeof LINKS)[number];

export interface World {
  readonly site: Site;
  readonly browser: Browser;
  /** Ava, owner of every folder. */
  readonly owner: Visitor;
  /** Jonas, signed in; owns nothing, and is the operator of a site that has one. */
  readonly viewer: Visitor;
  readonly people: Readonly<Record<'owner' | 'viewer', Person>>;
  /** Full links of the folders that were wished for, with the key where the folder has one. */
  readonly links: Readonly<Record<LinkName, string>>;
  readonly expiredSlug: string;
  /** Every text of the sample data; the same in each language. */
  readonly data: readonly string[];
  /** Ends the link of the revoked folder. */
  revoke(): Promise<void>;
  /** Adds a file to the empty folder, while others look at it. */
  arrive(): Promise<void>;
}

async function signedIn(browser: Browser, site: Site, persona: string): Promise<[Visitor, Person]> {
  const [visitor, person] = await Promise.all([newVisitor(browser), signIn(site, persona)]);
  await takeSession(visitor, person, site.url);
  return [visitor, person];
}

/** Directories of a tree, alone and as a screen reader says them. */
const DIRECTORIES = ['Photos', 'Notes', 'day 1', 'Notes/travel-notes.txt'];

type Files = NonNullable<FolderWish['files']>;
const PLACES: Readonly<Record<string, string>> = {
  'aurora-over-the-lake.webp': '',
  'planet.webp': 'Notes',
  'raid-highlights.webm': 'Photos/day 1',
  'travel-notes.txt': 'Notes',
};
/** Says that it unpacks to twenty times four gigabytes. */
const bomb = (): Buffer =>
  makeZip(
    Array.from({ length: 20 }, (_, at) => ({ name: `${at}.bin`, content: Buffer.from('0'), saidBytes: 0xfffffffe })),
  );
/** Files that no browser here shows, and some with a page of their own in the viewer. */
const odd = async (): Promise<Files> => [
  { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('this is no picture') },
  { name: 'IMG_0001.heic', mimeType: 'image/heic', buffer: Buffer.alloc(200_000, 'heic') },
  { name: 'concert.ts', mimeType: 'video/mp2t', buffer: Buffer.alloc(1000 * 188, 0x47) },
  { name: 'song.mp3', mimeType: 'audio/mpeg', buffer: coveredSong((await pictureFile('planet.webp')).buffer) },
  {
    name: 'locked.pdf',
    mimeType: 'application/pdf',
    buffer: makePdf({ widthPt: 400, heightPt: 500, isEncrypted: true }),
  },
  { name: 'bomb.zip', mimeType: 'application/zip', buffer: bomb() },
];

/** Some of the files, most of them in directories. */
const treeOf = (files: Files): Files =>
  files.flatMap((file) => {
    const directory = PLACES[file.name];
    if (directory === undefined) return [];
    return [directory === '' ? file : { ...file, directory }];
  });

/**
 * Makes the sample data on a site where the people have nothing.
 * @param wanted the folders to make
 */
export async function makeWorld(
  { site, browser }: { readonly site: Site; readonly browser: Browser },
  wanted: readonly LinkName[],
): Promise<World> {
  const [owner, ava] = await signedIn(browser, site, 'ava');
  const [viewer, jonas] = await signedIn(browser, site, 'jonas');
  // Two seconds: the folder ends before the first picture.
  const short = { folder_name: 'Short-lived', expires_in_hours: 2 / 3600 };
  const expired = (await (await ava.rpc('create_folder_with_temp_key', short)).json()) as { folder: CreatedFolder };
  const [files, oddFiles] = [await worldFiles(), await odd()];
  const few = files.slice(0, 2);
  const wishes: Record<LinkName, FolderWish> = {
    sealed: { name: 'Lantern Festival', files },
    plain: { name: 'Open letters', files: few, mode: 'plain' },
    empty: { name: 'Empty shelf' },
    /** Empty until the pictures of the upload zone are taken. */
    packing: { name: 'Empty shelf' },
    passphrase: { name: 'Under seal', files: few, passphrase: PASSPHRASE },
    discord: { name: 'For the server', files: few, mode: 'discord' },
    revoked: { name: 'Withdrawn', files: few },
    tree: { name: 'Winter trip', files: treeOf(files) },
    odd: { name: 'Odd things', files: oddFiles },
  };
  const folders = {} as Record<LinkName, OwnedFolder>;
  for (const name of wanted) folders[name] = await createFolderAs(ava, site, wishes[name]);
  const links = Object.fromEntries(wanted.map((name) => [name, folders[name].link()])) as Record<LinkName, string>;
  // Without a key, cards show the stored names.
  const stored = await Promise.all(wanted.map((name) => listFiles(ava, folders[name].folder.bucket_storage_path)));
  return {
    site,
    browser,
    owner,
    viewer,
    people: { owner: ava, viewer: jonas },
    links,
    expiredSlug: expired.folder.slug,
    data: [
      ...NAMES,
      ...DIRECTORIES,
      ...Object.values(links),
      expired.folder.slug,
      TRAVEL_NOTES,
      ...Array.from({ length: 20 }, (_, at) => `${at}.bin`),
      ...papers().map(({ buffer }) => buffer.toString().replace(/\s+/g, ' ')),
      ...[...files, ...oddFiles].map(({ name }) => name),
      ...stored.flat().map(({ name }) => name),
    ],
    arrive: () => folders.empty.add(few[0]!),
    async revoke() {
      const { status } = await ava.rpc('revoke_temp_encryption_key', { folder_id: folders.revoked.folder.id });
      if (status >= 300) throw new Error(`the link was not revoked: ${status}`);
    },
  };
}
