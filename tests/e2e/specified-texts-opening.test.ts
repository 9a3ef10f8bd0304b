import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { newVisitor, takeSession, type Visitor } from '../support/browser/browser.ts';
import { test } from '../support/browser/shared.ts';
import { eachWith, type State, testTexts, type Unreachable } from '../support/browser/specified-texts.ts';
import {
  type ContainerParts,
  containerParts,
  createSealedFolder,
  editedHeader,
  joined,
  putContainer,
  type SealedFolder,
} from '../support/files/crafted-containers.ts';
import { type CreatedFolder, createPlainFolder, type Person, signIn } from '../support/people/client.ts';
import type { Site } from '../support/site/site.ts';

/** Every text of §8 "Folder and key" and "Download and decrypt", and of §5 about opening, in the state where it belongs. */

const SPECIFIED = [
  // §5
  'Invalid key format. Expected 128 hex characters, got N',
  // §8 Folder and key
  'the bot service’s error text',
  'Key not found',
  'the network error message',
  'Folder not found',
  'Failed to load folder: {message or Unknown error}',
  'Something went wrong',
  'Failed to load files',
  'Error: {message}',
  // §8 Download and decrypt
  'Failed to download file ...: {message or Unknown error}',
  'Failed to download file ...: Unknown error',
  'Download failed: ...',
  'Decryption failed',
  'Download failed',
  'Failed to download file from Supabase: {message}',
  'Failed to import encryption keys: {reason}',
  'Unsupported file format: version/algorithm',
  'Chunk index mismatch',
  'Chunk index mismatch: expected X, got Y',
  'File corrupted: incomplete chunk header',
  'File corrupted: incomplete encrypted chunk',
  'File corrupted: no HMAC data',
  'File is corrupted or truncated',
  'HMAC verification failed for chunk N',
  'Decryption failed at chunk N',
  'Incomplete decryption: processed X/Y chunks',
  'Final size mismatch',
  'Decrypted file is empty',
] as const;

interface Damage {
  readonly name: string;
  readonly text: readonly [specified: string, shown: string];
  readonly make: (parts: ContainerParts) => Buffer;
}

const whole = ({ prefix, chunks }: ContainerParts, changed: readonly Buffer[] = chunks) =>
  joined({ prefix, chunks: changed });
/** The container with one chunk changed. */
const withChunk = (parts: ContainerParts, index: number, change: (chunk: Buffer) => Buffer) =>
  whole(parts, parts.chunks.toSpliced(index, 1, change(Buffer.from(parts.chunks[index]!))));
const flipped = (chunk: Buffer) => {
  chunk.writeUInt8(chunk.readUInt8(25) ^ 1, 25);
  return chunk;
};
const elsewhere = (chunk: Buffer) => {
  chunk.writeBigUInt64LE(7n, 12);
  return chunk;
};
const HEADER_AND_CIPHERTEXT_BYTES = 20 + 32;

/** Defects of a stored file, and the text on its card. */
const DAMAGES: readonly Damage[] = [
  {
    name: 'of-version-3',
    text: ['Unsupported file format: version/algorithm', 'Unsupported file format: 3/AES-CTR+HMAC-SHA256'],
    make: (parts) => whole({ ...parts, prefix: editedHeader(parts.prefix, '"version":2', '"version":3') }),
  },
  {
    name: 'of-another-algorithm',
    text: ['Unsupported file format: version/algorithm', 'Unsupported file format: 2/AES-GCM+HMAC-SHA256'],
    make: (parts) => whole({ ...parts, prefix: editedHeader(parts.prefix, 'AES-CTR+', 'AES-GCM+') }),
  },
  {
    name: 'with-swapped-chunks',
    text: ['Chunk index mismatch: expected X, got Y', 'Chunk index mismatch: expected 1, got 2'],
    make: (parts) =>
      whole(
        parts,
        [0, 2, 1, 3].map((index) => parts.chunks[index]!),
      ),
  },
  {
    name: 'cut-in-a-chunk-header',
    text: ['File corrupted: incomplete chunk header', 'File corrupted: incomplete chunk header'],
    make: (parts) => withChunk(parts, 3, (chunk) => chunk.subarray(0, 19)),
  },
  {
    name: 'cut-in-the-ciphertext',
    text: ['File corrupted: incomplete encrypted chunk', 'File corrupted: incomplete encrypted chunk'],
    make: (parts) => withChunk(parts, 3, (chunk) => chunk.subarray(0, HEADER_AND_CIPHERTEXT_BYTES - 1)),
  },
  {
    name: 'cut-in-the-tag',
    text: ['File corrupted: no HMAC data', 'File corrupted: no HMAC data'],
    make: (parts) => withChunk(parts, 3, (chunk) => chunk.subarray(0, -1)),
  },
  {
    name: 'cut-in-the-header',
    text: ['File is corrupted or truncated', 'File is corrupted or truncated'],
    make: ({ prefix }) => prefix.subarray(0, 40),
  },
  {
    name: 'with-a-flipped-bit',
    text: ['HMAC verification failed for chunk N', 'HMAC verification failed for chunk 2'],
    make: (parts) => withChunk(parts, 2, flipped),
  },
  {
    name: 'with-another-counter',
    text: ['Decryption failed at chunk N', 'Decryption failed at chunk 1'],
    make: (parts) => withChunk(parts, 1, elsewhere),
  },
  {
    name: 'cut-between-chunks',
    text: ['Incomplete decryption: processed X/Y chunks', 'Incomplete decryption: processed 3/4 chunks'],
    make: (parts) => whole(parts, parts.chunks.slice(0, 3)),
  },
  {
    name: 'with-more-behind-it',
    text: ['Final size mismatch', 'Final size mismatch'],
    make: (parts) => Buffer.concat([whole(parts), Buffer.from('x')]),
  },
  {
    name: 'of-no-bytes',
    text: ['Decrypted file is empty', 'Decrypted file is empty'],
    make: ({ prefix }) => editedHeader(prefix, '"originalSize":128', '"originalSize":0'),
  },
];

const OBJECTS = '**/storage/v1/object/public/**';
const KEYS = '**/bot/**';
const DATA = '**/rpc/get_folder_complete_data';
const LIST = '**/storage/v1/object/list/**';

let site: Site;
let browser: Browser;
let mika: Person;
let damaged: SealedFolder;
/** With two intact files. */
let sound: SealedFolder;
let plain: CreatedFolder;
/** Opens the folder with damaged files. */
let friend: Visitor;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  mika = await signIn(site, 'mika');
  damaged = await createSealedFolder(site, mika, 'Washed ashore');
  sound = await createSealedFolder(site, mika, 'Kept dry');
  plain = await createPlainFolder(mika, 'Open letters');
  for (const { name, make } of DAMAGES) {
    const bytes = make(await containerParts(damaged.keys));
    await putContainer(site, mika, { folder: damaged, name, bytes });
  }
  for (const name of ['first', 'second'])
    await putContainer(site, mika, { folder: sound, name, bytes: whole(await containerParts(sound.keys)) });
  friend = await newVisitor(browser, { height: 2400 });
  await friend.page.goto(damaged.link);
});
afterAll(async () => {
  expect(friend.problems()).toEqual([]);
});
const stranger = eachWith(() => newVisitor(browser));

const cell = (page: Page, name: string) => page.getByRole('gridcell').filter({ hasText: `${name}.txt` });
const addressOf = ({ slug }: CreatedFolder) => `${site.url}/f/${slug}`;

/** Opens an address while some of the site’s answers are replaced. */
async function opening(
  address: string,
  routes: Readonly<Record<string, (route: Route) => Promise<void>>> = {},
  prepare: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<Page> {
  const visitor = await stranger();
  visitor.allow(/Failed to load resource/);
  for (const [path, answer] of Object.entries(routes)) await visitor.page.route(path, answer);
  await prepare(visitor.page);
  await visitor.page.goto(address);
  return visitor.page;
}

const broken = (route: Route) => route.fulfill({ status: 500, json: {} });
const unreachable = (route: Route) => route.abort();

/** As at an address without TLS, where browsers have no `crypto.subtle`. */
const withoutSubtle = (page: Page) =>
  page.addInitScript(() => Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined }));

/** Another person deletes the folder while it is open. */
async function deletedWhileOpen(): Promise<Page> {
  const { page } = friend;
  const folder = await createSealedFolder(site, mika, 'Not for long');
  await takeSession(friend, mika, site.url);
  friend.allow(/Failed to load resource/);
  await page.goto(folder.link);
  await page
    .getByRole('button', { name: 'Upload File' })
    .or(page.getByRole('button', { name: 'Hide Upload' }))
    .waitFor();
  await mika.rpc('delete_folder_complete', { folder_id: folder.id });
  await page.getByRole('tab', { name: 'Info' }).click();
  return page;
}

/** The zip code can’t be loaded: a new release replaced it. */
async function packWithoutCode(): Promise<Page> {
  const page = await opening(sound.link, { '**/zip-run*': unreachable });
  await page.getByRole('button', { name: 'Download all' }).click();
  return page;
}

/** The browser asks its user whether to save the file, and gets no answer: the click has no effect. */
async function unansweredDownload() {
  let isFirst = true;
  const failFirst = (route: Route) => {
    const answer = isFirst ? broken(route) : route.fallback();
    isFirst = false;
    return answer;
  };
  const page = await opening(sound.link, { [OBJECTS]: failFirst }, async (before) => {
    await before.clock.install();
    await before.addInitScript(() => {
      HTMLAnchorElement.prototype.click = () => {
        document.documentElement.dataset.clicked = '';
      };
    });
  });
  const failed = page.getByRole('gridcell').filter({ hasText: 'Failed to download file' });
  const name = await failed.getByRole('button').first().getAttribute('aria-label');
  const card = page.getByRole('gridcell').filter({ hasText: name ?? '' });
  await card.getByRole('button').first().focus();
  await page.keyboard.press('d');
  await page.locator('html[data-clicked]').waitFor();
  await page.clock.fastForward(61_000);
  return card;
}

const STATES: readonly State[] = [
  ...DAMAGES.map(({ name, text }) => ({
    name: `a card of a file ${name.replaceAll('-', ' ')}`,
    reach: async () => cell(friend.page, name),
    texts: [text],
  })),
  {
    name: 'a card whose file the server can’t send',
    reach: async () => cell(await opening(sound.link, { [OBJECTS]: broken }), 'first'),
    texts: [
      [
        'Failed to download file ...: {message or Unknown error}',
        'Failed to download file first.txt: 500 Internal Server Error',
      ],
    ],
  },
  {
    name: 'a card whose file can’t be opened, because its worker does not start',
    reach: async () => cell(await opening(sound.link, { '**/open-worker*': unreachable }), 'first'),
    texts: ['Decryption failed'],
  },
  { name: 'a card whose download never begins', reach: unansweredDownload, texts: ['Download failed'] },
  {
    name: 'a zip that can’t be packed',
    reach: packWithoutCode,
    texts: [['Download failed: ...', /^Download failed: \S+/]],
  },
  {
    name: 'a folder whose key service sends its own error text',
    reach: () =>
      opening(sound.link, {
        [KEYS]: (route) => route.fulfill({ status: 503, json: { success: false, error: 'The key keeper is asleep' } }),
      }),
    texts: [['the bot service’s error text', 'The key keeper is asleep']],
  },
  {
    name: 'a folder whose key service can’t be reached',
    reach: () => opening(sound.link, { [KEYS]: unreachable }),
    texts: [['the network error message', 'Failed to fetch']],
  },
  {
    name: 'a folder that is read directly, because the procedure failed',
    reach: () => opening(sound.link, { [DATA]: broken }),
    texts: ['Key not found'],
  },
  {
    name: 'a folder whose address holds a key that is too short',
    reach: () => opening(`${addressOf(sound)}#${'ab'.repeat(60)}`),
    texts: [
      [
        'Invalid key format. Expected 128 hex characters, got N',
        'Invalid key format. Expected 128 hex characters, got 120',
      ],
    ],
  },
  {
    name: 'a folder in a browser that can’t import its key',
    reach: () => opening(`${addressOf(sound)}#${sound.keyText}`, {}, withoutSubtle),
    texts: [['Failed to import encryption keys: {reason}', /^Failed to import encryption keys: \S+/]],
  },
  {
    name: 'a folder that can be read neither way',
    reach: () => opening(addressOf(plain), { [DATA]: broken, '**/rest/v1/folders/*': broken }),
    texts: ['Something went wrong'],
  },
  {
    name: 'a folder whose files can’t be listed',
    reach: () => opening(addressOf(plain), { [LIST]: broken }),
    texts: [
      ['Failed to load files', 'Error: Failed to load files'],
      ['Error: {message}', 'Error: Failed to load files'],
    ],
  },
  {
    name: 'a folder that was deleted while its owner has it open',
    reach: deletedWhileOpen,
    texts: ['Folder not found'],
  },
];

const CATALOGUE = 'packages/contract/src/errors.test.ts';
const UNREACHABLE: readonly Unreachable[] = [
  {
    text: 'Failed to load folder: {message or Unknown error}',
    why: '§8 has it shown as “Something went wrong”, which is found above',
    assertedIn: CATALOGUE,
    as: "'Failed to load folder: Unknown error'",
  },
  {
    text: 'Failed to download file ...: Unknown error',
    why: 'fetch always says what was wrong, and the server sends a status',
    assertedIn: CATALOGUE,
    as: "'Failed to download file a.txt: Unknown error'",
  },
  {
    text: 'Failed to download file from Supabase: {message}',
    why: 'it names the storage of another implementation, and this one has its own',
    assertedIn: CATALOGUE,
    as: "'Failed to download file from Supabase: no answer'",
  },
  {
    text: 'Chunk index mismatch',
    why: 'the reader always knows both numbers, and says the longer one, which is found above',
    assertedIn: CATALOGUE,
    as: "'Chunk index mismatch'",
  },
];

testTexts({ specified: SPECIFIED, states: STATES, unreachable: UNREACHABLE });
