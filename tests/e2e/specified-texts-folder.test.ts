import type { Browser, Locator, Page, Route } from 'playwright-core';
import { newVisitor, takeSession } from '../support/browser/browser.ts';
import { test } from '../support/browser/shared.ts';
import { eachWith, gate, type State, testTexts } from '../support/browser/specified-texts.ts';
import {
  containerParts,
  createSealedFolder,
  joined,
  putContainer,
  type SealedFolder,
} from '../support/files/crafted-containers.ts';
import { type CreatedFolder, createPlainFolder, type Person, signIn } from '../support/people/client.ts';
import type { Site } from '../support/site/site.ts';

/** Every text that §2 quotes or names on the folder page, in the state and for the role where it belongs. */

const SPECIFIED = [
  // §2 /f/{slug}
  'a fallback screen',
  'Loading folder...',
  'Fetching consolidated data via RPC...',
  'Something went wrong',
  'Unable to load folder data. Please try again.',
  'Go Home',
  'Folder Expired',
  'This folder expired on {date}.',
  'Folder Not Found',
  'the folder at /{slug} doesn’t exist or has been removed',
  'deleted by its owner',
  'expired',
  'URL typed incorrectly',
  'no permission to access it',
  'Sign In',
  '← Home',
  'a sign-in banner',
  'Folder',
  'Info',
  'Settings',
  // §2 Folder header and sidebar
  'the folder name',
  'slug if no name',
  'Owner',
  'Viewer',
  'Public',
  'Owner: global name',
  'Unknown',
  'Created',
  'Size in MB, 2 decimals',
  '{n} total',
  'Encrypted',
  'Regular',
  'Expires in',
  'a live countdown',
  '0s',
  // §2 Folder actions
  'Upload File',
  'Hide Upload',
  'Share',
  'Delete',
  'Share Folder',
  'Copy Link',
  '✓ Copied!',
  // §2 Folder tab
  'Loading files...',
  'No files yet',
  'Upload your first file to get started',
  'No files shared yet',
  'Check back later for shared files',
  'Cached',
  'API',
  'No Key',
  'Download',
  'a name/size/type panel',
  'Close',
  // §2 Info tab
  'Storage Overview',
  'Folder Statistics',
  'Total Views',
  'Total Downloads',
  'Unique Visitors',
  'Expires',
  'Recent Activity',
  'Sign up to see detailed analytics',
  // §2 Settings tab
  'Authentication Required',
  'Please sign in to access folder settings.',
  'Settings Access Restricted',
  'Only the folder owner can access settings.',
  'Danger Zone',
  'Delete Folder',
  'the slug',
  'Cancel',
  'Yes, Delete Forever',
] as const;

const DATA = '**/rpc/get_folder_complete_data';
const LIST = '**/storage/v1/object/list/**';
const OBJECTS = '**/storage/v1/object/public/**';
const NOWHERE = 'AAAAAAAAAAAAAAAA';

let site: Site;
let browser: Browser;
let mika: Person;
let jonas: Person;
/** With one file. */
let sealed: SealedFolder;
/** Without files, and without a name. */
let nameless: CreatedFolder;
let expired: CreatedFolder;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  mika = await signIn(site, 'mika');
  jonas = await signIn(site, 'jonas');
  const short = await mika.rpc('create_folder_with_temp_key', { expires_in_hours: 1 / 3600 });
  expired = ((await short.json()) as { folder: CreatedFolder }).folder;
  sealed = await createSealedFolder(site, mika, 'Saturday raid');
  nameless = await createPlainFolder(mika, '');
  await putContainer(site, mika, { folder: sealed, name: 'thing', bytes: joined(await containerParts(sealed.keys)) });
});
const visitor = eachWith(() => newVisitor(browser));

type Routes = Readonly<Record<string, (route: Route) => Promise<void>>>;
const addressOf = ({ slug }: CreatedFolder, tab?: string) => `${site.url}/f/${slug}${tab ? `?tab=${tab}` : ''}`;

/** Opens an address, signed in or signed out, while some of the site’s answers are replaced. */
async function open(address: string, person: Person | null = null, routes: Routes = {}): Promise<Page> {
  const who = await visitor();
  who.allow(/Failed to load resource/);
  if (person) await takeSession(who, person, site.url);
  for (const [path, answer] of Object.entries(routes)) await who.page.route(path, answer);
  await who.page.goto(address);
  return who.page;
}

const waiting = (route: Route) => gate().opened.then(() => route.continue());
const broken = (route: Route) => route.fulfill({ status: 500, json: {} });

/** The sidebar's facts. */
const factsOf = (page: Page): Locator =>
  page.getByRole('complementary', { name: 'Folder details' }).filter({ visible: true });

/** Adds a regular file to the list of encrypted ones. */
async function withRegularFile(route: Route): Promise<void> {
  const response = await route.fetch();
  const entries = (await response.json()) as { id: string; name: string }[];
  const [first] = entries;
  const regular = { ...first, id: '00000000-0000-4000-8000-000000000001', name: 'plain.txt' };
  await route.fulfill({ json: [...entries, regular] });
}

async function lastSecond(): Promise<Locator> {
  const { folder } = (await (await mika.rpc('create_folder_with_temp_key', {})).json()) as {
    folder: CreatedFolder & { expires_at: string };
  };
  const who = await visitor();
  const { page } = who;
  await page.clock.install();
  await page.goto(addressOf(folder));
  const facts = factsOf(page);
  await facts.getByText(/^23h/).waitFor();
  await page.clock.pauseAt(Date.parse(folder.expires_at) - 1500);
  for (let steps = 0; steps < 20 && (await facts.getByText('0s', { exact: true }).count()) === 0; steps++)
    await page.clock.runFor(100);
  return facts;
}

async function pressed(page: Page, name: string): Promise<Page> {
  await page.getByRole('button', { name, exact: true }).click();
  return page;
}

async function viewer(): Promise<Locator> {
  const page = await open(sealed.link);
  await page.getByRole('gridcell').getByText('Cached').waitFor();
  await page.getByRole('button', { name: 'thing.bin', exact: true }).click();
  return page.getByRole('dialog');
}

async function askedToDelete(): Promise<Locator> {
  const page = await open(addressOf(nameless, 'settings'), mika);
  await pressed(page, 'Delete Folder');
  return page.getByRole('alertdialog');
}

const INSTEAD: readonly State[] = [
  { name: 'no slug', reach: () => open(`${site.url}/f`), texts: [['a fallback screen', 'No folder selected']] },
  {
    name: 'a folder while it loads',
    reach: () => open(sealed.link, null, { [DATA]: waiting }),
    texts: ['Loading folder...', 'Fetching consolidated data via RPC...'],
  },
  {
    name: 'a folder that could not be loaded',
    reach: () => open(addressOf(nameless), null, { [DATA]: broken, '**/rest/v1/folders/*': broken }),
    texts: ['Something went wrong', 'Unable to load folder data. Please try again.', 'Go Home'],
  },
  {
    name: 'an expired folder',
    reach: () => open(addressOf(expired)),
    texts: [
      'Folder Expired',
      ['This folder expired on {date}.', /^This folder expired on \w+ \d+, \d{4}, [\d:]+\s[AP]M\.$/],
      'Go Home',
    ],
  },
  {
    name: 'a missing folder',
    reach: async () => (await open(`${site.url}/${NOWHERE}`)).getByRole('main'),
    texts: [
      'Folder Not Found',
      [
        'the folder at /{slug} doesn’t exist or has been removed',
        `The folder at /${NOWHERE} doesn’t exist or has been removed.`,
      ],
      ['deleted by its owner', 'It was deleted by its owner'],
      ['expired', 'It has expired'],
      ['URL typed incorrectly', 'The URL was typed incorrectly'],
      ['no permission to access it', 'You have no permission to access it'],
      'Go Home',
      'Sign In',
      '← Home',
    ],
  },
];

const ROLES: readonly State[] = [
  {
    name: 'a visitor’s folder',
    reach: () => open(sealed.link),
    texts: [
      ['a sign-in banner', 'Signing up is free and lets you share up to 1GB of files.'],
      'Folder',
      'Info',
      'Settings',
      ['the folder name', 'Saturday raid'],
      'Public',
      'Copy Link',
    ],
  },
  {
    name: 'a viewer’s folder',
    reach: () => open(sealed.link, jonas),
    texts: ['Viewer', 'Share Folder', ['the folder name', 'Saturday raid']],
  },
  {
    name: 'an owner’s folder',
    reach: () => open(sealed.link, mika),
    texts: ['Owner', 'Upload File', 'Share', 'Delete'],
  },
  {
    name: 'an owner’s folder with its upload zone',
    reach: async () => pressed(await open(sealed.link, mika), 'Upload File'),
    texts: ['Hide Upload'],
  },
  {
    name: 'a link that has just been copied',
    reach: async () => pressed(await open(sealed.link), 'Copy Link'),
    texts: ['✓ Copied!'],
  },
  {
    name: 'the facts in the sidebar',
    reach: async () => factsOf(await open(sealed.link, null, { [LIST]: withRegularFile })),
    texts: [
      'Owner',
      ['Owner: global name', 'Mika'],
      'Created',
      ['Size in MB, 2 decimals', '0.00 MB'],
      ['{n} total', '2 total'],
      'Encrypted',
      // A regular file among encrypted ones is foreign: no key authenticates it (CONTAINER §6).
      ['Regular', 'Not from this folder'],
      'Expires in',
      ['a live countdown', /^23h \d\dm \d\ds$/],
    ],
  },
  {
    name: 'the facts of a folder that is read directly, because the procedure failed',
    reach: async () => factsOf(await open(addressOf(nameless), null, { [DATA]: broken })),
    texts: ['Unknown'],
  },
  { name: 'the last second of a folder', reach: lastSecond, texts: ['0s'] },
];

const FILES: readonly State[] = [
  {
    name: 'files while they load',
    reach: () => open(addressOf(nameless), null, { [LIST]: waiting }),
    texts: ['Loading files...'],
  },
  {
    name: 'an owner’s folder without files and without a name',
    reach: () => open(addressOf(nameless), mika),
    texts: ['No files yet', 'Upload your first file to get started', 'Hide Upload', ['slug if no name', /^\w{16}$/]],
  },
  {
    name: 'a visitor’s folder without files',
    reach: () => open(addressOf(nameless)),
    texts: ['No files shared yet', 'Check back later for shared files'],
  },
  {
    name: 'a card of a file that is open',
    reach: async () => (await open(sealed.link)).getByRole('gridcell'),
    texts: ['Cached', 'Download'],
  },
  {
    name: 'a card of a file that is not open yet',
    reach: async () => (await open(sealed.link, null, { [OBJECTS]: waiting })).getByRole('gridcell'),
    texts: ['API'],
  },
  {
    name: 'a card of a file without its key',
    reach: async () => (await open(addressOf(sealed))).getByRole('gridcell'),
    texts: ['No Key'],
  },
  {
    name: 'the viewer of a file that can’t be shown',
    reach: viewer,
    texts: [
      ['a name/size/type panel', 'thing.bin'],
      ['a name/size/type panel', '128 Bytes'],
      ['a name/size/type panel', 'application/octet-stream'],
      'Download',
      'Close',
    ],
  },
];

const TABS: readonly State[] = [
  {
    name: 'the Info tab of an owner',
    reach: () => open(addressOf(nameless, 'info'), mika),
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
    reach: () => open(addressOf(nameless, 'info')),
    texts: ['Sign up to see detailed analytics'],
  },
  {
    name: 'the Settings tab of a visitor',
    reach: () => open(addressOf(nameless, 'settings')),
    texts: ['Authentication Required', 'Please sign in to access folder settings.'],
  },
  {
    name: 'the Settings tab of a viewer',
    reach: () => open(addressOf(nameless, 'settings'), jonas),
    texts: ['Settings Access Restricted', 'Only the folder owner can access settings.'],
  },
  {
    name: 'the Settings tab of an owner',
    reach: () => open(addressOf(nameless, 'settings'), mika),
    texts: ['Danger Zone', 'Delete Folder'],
  },
  {
    name: 'the confirmation before a folder is deleted',
    reach: askedToDelete,
    texts: [['the slug', /^\/\w{16}$/], 'Cancel', 'Yes, Delete Forever'],
  },
];

testTexts({ specified: SPECIFIED, states: [...INSTEAD, ...ROLES, ...FILES, ...TABS] });
