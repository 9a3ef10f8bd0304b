// @vitest-environment happy-dom
import type { FolderCompleteData } from '@satchel/contract/api';
import { PATHS } from '@satchel/contract/paths';
import { screen } from '@testing-library/react';
import { vi } from 'vitest';
import {
  accountOf,
  fileEntry,
  folderData,
  JONAS,
  listedFolder,
  MIKA,
  NO_VISITS,
  refusal,
} from '../../../test/answers.ts';
import { type Answers, openPage, press, waiting } from '../../../test/page.tsx';
import { type State, testTexts } from '../../../test/specified-texts.ts';

/** Every specified text on the folder page, in the state and for the role where it belongs. */

const DATA = `POST ${PATHS.rpc}/get_folder_complete_data`;
const LIST = `POST ${PATHS.list}/`;
const DIRECT = `GET ${PATHS.folders}/`;
const NOWHERE = 'AAAAAAAAAAAAAAAA';
const VISITOR: Answers = {};
const OWNER = accountOf(MIKA);
const VIEWER = accountOf(JONAS);

const raid = folderData(MIKA);
const { folder_slug: SLUG } = raid;
/** The folder in another state. */
const raidWith = (changes: Partial<FolderCompleteData>) => folderData(MIKA, { ...raid, ...changes });
const PRIVATE = raidWith({ folder_link_mode: 'private', temp_key_api_token: 'token', temp_key_passphrase: false });

/** Opens Mika’s folder for a person, while some of the site’s answers are replaced. */
const open = (who: Answers, answers: Answers = {}, tab?: string) =>
  openPage(`/f/${SLUG}${tab ? `?tab=${tab}` : ''}`, {
    [DATA]: raid,
    [LIST]: [],
    [`POST ${PATHS.rpc}/get_folder_analytics`]: NO_VISITS,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    ...who,
    ...answers,
  });

/** The sidebar's facts. */
async function facts(): Promise<Element> {
  const sidebar = (await screen.findAllByRole('complementary', { name: 'Folder details' })).at(-1);
  return sidebar!;
}

/** As close to the folder’s end as a second, where the clock stands still. */
async function lastSecond(): Promise<Element> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(raid.folder_expires_at) - 500 });
  await open(VISITOR, { [DATA]: raidWith({ server_time: new Date().toISOString() }) });
  return facts();
}

async function pressed(name: string): Promise<Element> {
  await press(name);
  return document.body;
}

const INSTEAD: readonly State[] = [
  { name: 'no slug', reach: () => openPage('/f'), texts: ['No folder selected'] },
  {
    name: 'a folder while it loads',
    reach: () => open(VISITOR, { [DATA]: waiting }),
    texts: ['Loading folder...', 'Fetching consolidated data via RPC...'],
  },
  {
    name: 'a folder that could not be loaded',
    reach: () => open(VISITOR, { [DATA]: 500, [DIRECT]: 500 }),
    texts: ['Something went wrong', 'Unable to load folder data. Please try again.', 'Go Home'],
  },
  {
    name: 'an expired folder',
    reach: () => open(VISITOR, { [DATA]: { folder_slug: SLUG, folder_expires_at: raid.folder_created_at } }),
    texts: ['Folder Expired', /^This folder expired on \w+ \d+, \d{4}, [\d:]+\s[AP]M\.$/, 'Go Home'],
  },
  {
    name: 'a missing folder',
    reach: async () => {
      await openPage(`/${NOWHERE}`, { [DATA]: refusal(404, 'folder.not_found') });
      return screen.getByRole('main');
    },
    texts: [
      'Folder Not Found',
      `The folder at /${NOWHERE} doesn’t exist or has been removed.`,
      'It was deleted by its owner',
      'It has expired',
      'The URL was typed incorrectly',
      'You have no permission to access it',
      'Go Home',
      'Sign In',
      '← Home',
    ],
  },
];

const ROLES: readonly State[] = [
  {
    name: 'a visitor’s folder',
    reach: () => open(VISITOR),
    texts: [
      'Signing up is free and lets you share up to 1GB of files.',
      'Folder',
      'Info',
      'Settings',
      'Saturday raid',
      'Public',
      'Copy Link',
    ],
  },
  {
    name: 'a viewer’s folder',
    reach: () => open(VIEWER),
    texts: ['Viewer', 'Share Folder', 'Saturday raid'],
  },
  {
    name: 'an owner’s folder',
    reach: () => open(OWNER, { [LIST]: [fileEntry('horn.wav')] }),
    texts: ['Owner', 'Upload File', 'Share', 'Delete'],
  },
  {
    name: 'an owner’s folder with its upload zone',
    reach: async () => open(OWNER, { [LIST]: [fileEntry('horn.wav')] }).then(() => pressed('Upload File')),
    texts: ['Hide Upload'],
  },
  {
    name: 'a link that has just been copied',
    reach: async () => open(VISITOR).then(() => pressed('Copy Link')),
    texts: ['✓ Copied!'],
  },
  {
    name: 'the facts in the sidebar',
    reach: async () => {
      await open(VISITOR, { [DATA]: raidWith({ folder_size_bytes: 128 }), [LIST]: [fileEntry('horn.wav')] });
      return facts();
    },
    texts: ['Owner', 'Mika', 'Created', '0.00 MB', '1 total', 'Expires in', /^23h \d\dm \d\ds$/],
  },
  {
    name: 'the facts of a folder that is read directly, because the procedure failed',
    reach: async () => {
      await open(VISITOR, { [DATA]: 500, [DIRECT]: listedFolder(MIKA) });
      return facts();
    },
    texts: ['Unknown'],
  },
  { name: 'the last second of a folder', reach: lastSecond, texts: ['0s'] },
];

const FILES: readonly State[] = [
  {
    name: 'files while they load',
    reach: () => open(VISITOR, { [LIST]: waiting }),
    texts: ['Loading files...'],
  },
  {
    name: 'an owner’s folder without files and without a name',
    reach: () => open(OWNER, { [DATA]: raidWith({ folder_name: null }) }),
    texts: ['No files yet', 'Upload your first file to get started', 'Hide Upload', /^\w{16}$/],
  },
  {
    name: 'a visitor’s folder without files',
    reach: () => open(VISITOR),
    texts: ['No files shared yet', 'Check back later for shared files'],
  },
  {
    name: 'a card of a file without its key',
    reach: async () => {
      await open(VISITOR, { [DATA]: PRIVATE, [LIST]: [fileEntry('thing.txt_1763750000000_abcdefgh.enc')] });
      await press('Show the sealed files');
      return screen.findByRole('gridcell');
    },
    texts: ['No Key'],
  },
];

const TABS: readonly State[] = [
  {
    name: 'the Info tab of an owner',
    reach: () => open(OWNER, {}, 'info'),
    texts: [
      'Storage Overview',
      'Folder Statistics',
      'Created',
      'Total Views',
      'Total Downloads',
      'Unique Visitors',
      'Expires',
      'Recent Activity',
    ],
  },
  {
    name: 'the Info tab of a visitor',
    reach: () => open(VISITOR, {}, 'info'),
    texts: ['Sign up to see detailed analytics'],
  },
  {
    name: 'the Settings tab of a visitor',
    reach: () => open(VISITOR, {}, 'settings'),
    texts: ['Authentication Required', 'Please sign in to access folder settings.'],
  },
  {
    name: 'the Settings tab of a viewer',
    reach: () => open(VIEWER, {}, 'settings'),
    texts: ['Settings Access Restricted', 'Only the folder owner can access settings.'],
  },
  {
    name: 'the Settings tab of an owner',
    reach: () => open(OWNER, {}, 'settings'),
    texts: ['Danger Zone', 'Delete Folder'],
  },
  {
    name: 'the confirmation before a folder is deleted',
    reach: async () => {
      await open(OWNER, {}, 'settings');
      await pressed('Delete Folder');
      return screen.findByRole('alertdialog');
    },
    texts: [/^\/\w{16}$/, 'Cancel', 'Yes, Delete Forever'],
  },
];

testTexts([...INSTEAD, ...ROLES, ...FILES, ...TABS]);
