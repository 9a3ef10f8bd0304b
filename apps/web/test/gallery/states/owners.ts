import { FolderAnalytics } from '@satchel/contract/api';
import type { FileEntry } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import { fileEntry, hoursFromNow, JONAS } from '../../answers.ts';
import { type FileName, NOTES, USUAL } from '../files.ts';
import { folder, LIST, listing, remember, type Wish } from '../folders.ts';
import type { Hands } from '../hands.ts';
import type { State } from '../state.ts';

/** Folders as their owner sees them. */

const FEW: readonly FileName[] = ['aurora-over-the-lake.webp', 'planet.webp', 'horn.wav', 'travel-notes.txt'];
const few = (wish: Wish = {}) => folder({ files: FEW, ...wish });
const tree = () =>
  folder({
    name: 'Winter trip',
    files: ['aurora-over-the-lake.webp', 'planet.webp', 'raid-highlights.webm', 'travel-notes.txt'],
    places: { 'planet.webp': 'Notes', 'raid-highlights.webm': 'Photos/day 1', 'travel-notes.txt': 'Notes' },
  });
const VISITS = FolderAnalytics.parse({
  total_views: 12,
  total_downloads: 5,
  unique_visitors: 2,
  activity: Array.from({ length: 6 }, (_, at) => ({ hour: hoursFromNow(at - 5), views: at, downloads: at % 3 })),
  recent: [
    {
      profile_id: JONAS.id,
      name: 'Jonas',
      username: 'jonas.sandbox',
      avatar_url: null,
      is_you: false,
      last_viewed_at: hoursFromNow(-1),
      downloads: 3,
    },
  ],
});
const ANALYTICS = `POST ${PATHS.rpc}/get_folder_analytics`;
const info = () => few({ search: '?tab=info', answers: { [ANALYTICS]: VISITS } });

async function select({ press }: Hands): Promise<void> {
  await press('Select planet.webp');
  await press('Select horn.wav');
}

/** In the directory, as a list. */
async function openNotes({ press, shown, seen }: Hands): Promise<void> {
  await press('Folder Notes');
  await seen('nav[aria-label=Path]');
  await press('List');
  await seen('[role=columnheader]');
  await shown('travel-notes.txt');
}

async function share({ press, dialog }: Hands): Promise<void> {
  await press('Share');
  await dialog(/^Share /);
}

/** One that was never sealed, and two whose labels are swapped. */
const foreign = (entries: readonly FileEntry[]): readonly FileEntry[] => {
  const [first, second, ...others] = entries as [FileEntry, FileEntry, ...FileEntry[]];
  const labelledAs = (entry: FileEntry, { metadata }: FileEntry): FileEntry => ({
    ...entry,
    metadata: { ...entry.metadata, sealed: metadata.sealed },
  });
  return [
    fileEntry('invoice_1763750000000_abcdefgh.html', 18_000, { mimetype: 'text/html' }),
    labelledAs(first, second),
    labelledAs(second, first),
    ...others,
  ];
};

const many = () => {
  const entries = Array.from({ length: 2000 }, (_, at) =>
    fileEntry(`file-${String(at + 1).padStart(4, '0')}.txt`, 1000 + at),
  );
  return folder({ name: 'Open letters', mode: 'plain', answers: { [LIST]: listing(entries) } });
};
async function scrollHalf({ shown, until }: Hands): Promise<void> {
  await until('a long page', () => document.documentElement.scrollHeight > 5000);
  scrollTo({ top: document.documentElement.scrollHeight / 2, behavior: 'instant' });
  await shown(/^file-[01]\d\d\d\.txt$/);
}

/** A file with the name of one that is there. */
async function chooseAgain({ press, choose }: Hands, content: BlobPart): Promise<void> {
  await press('Upload File');
  await choose(new File([content], 'travel-notes.txt', { type: 'text/plain' }));
}

/** A browser without windows ends its own dialog, sooner or later, and with it the zip. */
function holdSaveDialog(): void {
  Object.assign(globalThis, { showSaveFilePicker: () => new Promise(() => {}) });
}

export const OWNERS: readonly State[] = [
  { name: 'folder-owner', given: () => folder({ files: USUAL }), text: 'Cached' },
  {
    name: 'badge-legend',
    given: () => few(),
    text: 'Cached',
    async steps({ press, seen }) {
      await press('What the badges mean');
      await seen('[role=note]');
    },
  },
  { name: 'folder-selection', given: () => few(), text: 'Cached', steps: select },
  {
    name: 'files-delete',
    given: () => few(),
    text: 'Cached',
    async steps(hands) {
      await select(hands);
      await hands.press('Delete', '[aria-label=Selection]');
      await hands.dialog('Delete 2 files?');
    },
  },
  {
    name: 'shortcuts',
    given: () => few(),
    text: 'Cached',
    async steps({ key, seen }) {
      await key('?');
      await seen('[role=dialog]');
    },
  },
  {
    name: 'folder-zip',
    // The files are on their way for as long as the picture takes.
    given: async () => ({ ...(await few()), opened: {} }),
    text: /^Download all/,
    async steps({ press, shown }) {
      holdSaveDialog();
      await press(/^Download all/);
      await shown(/of 4/);
    },
  },
  {
    name: 'folder-owner-drop',
    given: () => few(),
    text: 'Cached',
    async steps({ drag, dataOf, shown }) {
      await drag('dragenter', dataOf([new File(['x'], 'part-one.bin')]));
      await shown(/^Drop to pack into/);
    },
  },
  {
    name: 'offline',
    given: () => few(),
    text: 'Cached',
    async steps({ loseLine, shown }) {
      loseLine();
      await shown(/You’re offline/);
    },
  },
  { name: 'share', given: () => few(), text: 'Cached', steps: share },
  {
    name: 'share-apart',
    given: () => few(),
    text: 'Cached',
    async steps(hands) {
      await share(hands);
      await hands.press('Include the key');
    },
  },
  {
    name: 'share-discord-question',
    given: () => few(),
    text: 'Cached',
    async steps(hands) {
      await share(hands);
      await hands.press(/^People in a Discord channel or chat/);
      await hands.seen('[role=alertdialog]');
    },
  },
  {
    name: 'share-discord',
    async given() {
      const given = await few({ name: 'For the server', mode: 'discord' });
      await remember(given, 'discord');
      return given;
    },
    text: 'Cached',
    steps: share,
  },
  {
    name: 'share-plain',
    given: () => few({ name: 'Open letters', mode: 'plain' }),
    text: 'aurora-over-the-lake.webp',
    steps: share,
  },
  {
    name: 'share-no-key',
    given: () => few({ withoutKey: true, search: '?share=true' }),
    text: 'This device doesn’t have the key.',
  },
  {
    name: 'folder-revoked-owner',
    async given() {
      const given = await few({ name: 'Withdrawn', mode: 'revoked' });
      await remember(given);
      return given;
    },
    text: 'Cached',
  },
  { name: 'info', given: info, text: 'Recent Activity' },
  {
    name: 'info-table',
    given: info,
    text: 'Recent Activity',
    async steps({ press, seen }) {
      await press('Show table');
      await seen('table');
    },
  },
  {
    name: 'info-error',
    given: () => few({ search: '?tab=info', answers: { [ANALYTICS]: 500 } }),
    text: 'The folder’s activity could not be loaded.',
  },
  { name: 'settings-owner', given: () => few({ search: '?tab=settings' }), text: 'Danger Zone' },
  {
    name: 'settings-delete',
    given: () => few({ search: '?tab=settings' }),
    text: 'Danger Zone',
    async steps({ press, dialog }) {
      await press('Delete Folder');
      await dialog('Delete this folder?');
    },
  },
  {
    name: 'settings-plain',
    given: () => few({ name: 'Open letters', mode: 'plain', search: '?tab=settings' }),
    text: 'Show the folder’s name in link previews',
  },
  { name: 'folder-directories', given: tree, text: 'Photos' },
  {
    name: 'folder-rename-directory',
    given: tree,
    text: 'Photos',
    async steps({ key, seen, until }) {
      const card = await until('the directory', () => document.querySelector<HTMLElement>('[data-file="dir:Notes"]'));
      card.focus();
      await key('F2');
      await seen('[role=dialog]');
    },
  },
  { name: 'folder-list', given: tree, text: 'Photos', steps: openNotes },
  {
    name: 'folder-search',
    given: tree,
    text: 'Photos',
    async steps(hands) {
      await openNotes(hands);
      await hands.key('/');
      await hands.type(/./, 'travel', '[role=search], search');
      await hands.shown('1 found');
    },
  },
  {
    name: 'folder-rename',
    given: tree,
    text: 'Photos',
    async steps({ press, seen }) {
      await press('Rename folder');
      await seen('input[type=text], input:not([type])');
    },
  },
  {
    name: 'folder-collision',
    given: () => few(),
    text: 'Cached',
    async steps(hands) {
      await chooseAgain(hands, 'Another journey');
      await hands.shown('Keep both');
    },
  },
  {
    name: 'folder-already-there',
    given: () => few(),
    text: 'Cached',
    async steps(hands) {
      await chooseAgain(hands, NOTES);
      await hands.shown(/^1 file is already there, with the same content/);
    },
  },
  { name: 'folder-foreign', given: () => few({ list: foreign }), text: 'Not from this folder' },
  {
    name: 'folder-foreign-selected',
    given: () => few({ list: foreign }),
    text: 'Not from this folder',
    steps: ({ press }) => press(/^Select Unknown file/),
  },
  {
    name: 'folder-foreign-zip',
    given: async () => ({ ...(await few({ list: foreign })), opened: {} }),
    text: 'Not from this folder',
    async steps({ press, shown }) {
      holdSaveDialog();
      await press(/^Download all/);
      await shown('3 files are left out: they are not from this folder.');
    },
  },
  { name: 'folder-big', given: many, text: 'file-0001.txt', steps: scrollHalf },
  {
    name: 'folder-big-list',
    given: many,
    text: 'file-0001.txt',
    async steps(hands) {
      await hands.press('List');
      await scrollHalf(hands);
    },
  },
];
