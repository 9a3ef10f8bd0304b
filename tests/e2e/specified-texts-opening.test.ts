import { randomBytes } from 'node:crypto';
import { encodeHeader } from '@satchel/container/format';
import type { FolderKeys } from '@satchel/container/key';
import { createSealer } from '@satchel/container/seal';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import type { State } from '../../apps/web/test/found-texts.ts';
import { newVisitor, test, type Visitor, visit } from '../support/browser.ts';
import { createSealedFolder, type Person, putContainer, type SealedFolder, signIn } from '../support/people.ts';
import type { Site } from '../support/site.ts';
import { gate, testTexts, type Unreachable } from '../support/specified-texts.ts';

/** Encrypted folders with damaged files, sealed under the folder's own key: no honest browser uploads these. */

const CHUNK_BYTES = 32;
const CHUNKS = 4;

interface ContainerParts {
  readonly prefix: Buffer;
  readonly chunks: readonly Buffer[];
}

/** The parts of a valid container of `thing.bin`: header, then four chunks of 32 bytes. */
async function containerParts(keys: FolderKeys): Promise<ContainerParts> {
  const decoded = encodeHeader({
    baseCounter: new Uint8Array(randomBytes(8)),
    chunkSize: CHUNK_BYTES,
    totalChunks: CHUNKS,
    originalSize: CHUNK_BYTES * CHUNKS,
    originalName: 'thing.bin',
    originalType: 'application/octet-stream',
    mac: 'file',
    sealed: null,
  });
  const sealer = await createSealer(keys, decoded);
  const chunks: Buffer[] = [];
  for (let index = 0; index < CHUNKS; index++) {
    const { bytes } = await sealer.sealChunk(index, new Uint8Array(randomBytes(CHUNK_BYTES)));
    chunks.push(Buffer.from(bytes));
  }
  return { prefix: Buffer.from(decoded.prefix), chunks };
}

/** Joins the parts into a container. */
const joined = ({ prefix, chunks }: ContainerParts): Buffer => Buffer.concat([prefix, ...chunks]);

/** Changes a header's contents, not its length. */
function editedHeader(prefix: Buffer, from: string, to: string): Buffer {
  const text = prefix.toString('latin1');
  if (!text.includes(from) || to.length > from.length) throw new Error(`can’t make ${from} into ${to}`);
  return Buffer.from(text.replace(from, to.padEnd(from.length)), 'latin1');
}

/**
 * Every text of §8 "Download and decrypt", and of §2 about opened files, in the state where it belongs. What the page says
 * of the server's answers alone is held in apps/web/src/pages/folder/opening-texts.test.tsx and specified-texts.test.tsx.
 */

const SPECIFIED = [
  // §2 Folder header and sidebar, Folder tab
  'Encrypted',
  'Regular',
  'Cached',
  'API',
  'Download',
  'a name/size/type panel',
  'Close',
  // §8 Folder and key
  'Failed to load folder: {message or Unknown error}',
  // §8 Download and decrypt
  'Failed to download file ...: {message or Unknown error}',
  'Failed to download file ...: Unknown error',
  'Download failed: ...',
  'Decryption failed',
  'Download failed',
  'Failed to download file from Supabase: {message}',
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
const LIST = '**/storage/v1/object/list/**';

let site: Site;
let browser: Browser;
let mika: Person;
let damaged: SealedFolder;
/** With two intact files. */
let sound: SealedFolder;
/** Opens the folder with damaged files. */
let friend: Visitor;
/** Opens the sound folder. */
let guest: Visitor;
/** Opens the sound folder too, where one request for a file fails, then a download, then a zip; these follow each other. */
let unlucky: Visitor;
/** Has the bytes of the sound folder's files wait. */
const bytes = gate();

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  mika = await signIn(site, 'mika');
  damaged = await createSealedFolder(site, mika, 'Washed ashore');
  sound = await createSealedFolder(site, mika, 'Kept dry');
  for (const { name, make } of DAMAGES) {
    const bytes = make(await containerParts(damaged.keys));
    await putContainer(site, mika, { folder: damaged, name, bytes });
  }
  for (const name of ['first', 'second'])
    await putContainer(site, mika, { folder: sound, name, bytes: whole(await containerParts(sound.keys)) });
  friend = await newVisitor(browser, { height: 2400 });
  await friend.page.goto(damaged.link);
  guest = await newVisitor(browser);
  await guest.page.route(OBJECTS, (route) => bytes.opened.then(() => route.continue()));
  await guest.page.route(LIST, withRegularFile);
  await guest.page.goto(sound.link);
  unlucky = await newVisitor(browser);
  unlucky.allow(/Failed to load resource/);
});
afterAll(async () => {
  expect([friend, guest, unlucky].flatMap((visitor) => visitor.problems())).toEqual([]);
});

const cell = (page: Page, name: string) => page.getByRole('gridcell').filter({ hasText: `${name}.txt` });

/** Adds a regular file to the list of encrypted ones. */
async function withRegularFile(route: Route): Promise<void> {
  const response = await route.fetch();
  const entries = (await response.json()) as { id: string; name: string }[];
  const regular = { ...entries[0], id: '00000000-0000-4000-8000-000000000001', name: 'plain.txt' };
  await route.fulfill({ json: [...entries, regular] });
}

async function openedCard(): Promise<Locator> {
  bytes.open();
  return guest.page.getByRole('gridcell').first();
}

async function viewer(): Promise<Locator> {
  bytes.open();
  await guest.page.getByRole('button', { name: 'thing.bin', exact: true }).first().click();
  return guest.page.getByRole('dialog');
}

const failedCard = () => unlucky.page.getByRole('gridcell').filter({ hasText: 'Failed to download file' });

async function cardWithoutBytes(): Promise<Locator> {
  const { page } = unlucky;
  let isFirst = true;
  await page.route(OBJECTS, (route) => {
    const answer = isFirst ? route.fulfill({ status: 500, json: {} }) : route.fallback();
    isFirst = false;
    return answer;
  });
  await page.clock.install();
  // The browser asks its user whether to save the file, and gets no answer: the click has no effect.
  await page.addInitScript(() => {
    HTMLAnchorElement.prototype.click = () => {
      document.documentElement.dataset.clicked = '';
    };
  });
  await page.goto(sound.link);
  return failedCard();
}

async function unansweredDownload(): Promise<Locator> {
  const { page } = unlucky;
  const name = await failedCard().getByRole('button').first().getAttribute('aria-label');
  const card = page.getByRole('gridcell').filter({ hasText: name ?? '' });
  await card.getByRole('button').first().focus();
  await page.keyboard.press('d');
  await page.locator('html[data-clicked]').waitFor();
  await page.clock.fastForward(61_000);
  return card;
}

/** The zip code can’t be loaded: a new release replaced it. */
async function packWithoutCode(): Promise<Page> {
  const { page } = unlucky;
  await page.route('**/zip-run*', (route) => route.abort());
  await page.getByRole('button', { name: 'Download all' }).click();
  return page;
}

async function withoutWorker(): Promise<Locator> {
  const { page } = unlucky;
  await page.route('**/open-worker*', (route) => route.abort());
  await visit(page, sound.link);
  return cell(page, 'first');
}

const STATES: readonly State<Page | Locator>[] = [
  ...DAMAGES.map(({ name, text }) => ({
    name: `a card of a file ${name.replaceAll('-', ' ')}`,
    reach: async () => cell(friend.page, name),
    texts: [text],
  })),
  {
    name: 'a card of a file that is not open yet',
    reach: async () => guest.page.getByRole('gridcell').first(),
    texts: ['API'],
  },
  { name: 'a card of a file that is open', reach: openedCard, texts: ['Cached', 'Download'] },
  {
    name: 'the facts of a folder with a file that is not from it',
    reach: async () => guest.page.getByRole('complementary', { name: 'Folder details' }).filter({ visible: true }),
    // A regular file among encrypted ones is foreign: no key authenticates it (CONTAINER §6).
    texts: ['Encrypted', ['Regular', 'Not from this folder']],
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
  {
    name: 'a card whose file the server can’t send',
    reach: cardWithoutBytes,
    texts: [
      [
        'Failed to download file ...: {message or Unknown error}',
        /^Failed to download file (first|second)\.txt: 500 Internal Server Error$/,
      ],
    ],
  },
  { name: 'a card whose download never begins', reach: unansweredDownload, texts: ['Download failed'] },
  {
    name: 'a zip that can’t be packed',
    reach: packWithoutCode,
    texts: [['Download failed: ...', /^Download failed: \S+/]],
  },
  {
    name: 'a card whose file can’t be opened, because its worker does not start',
    reach: withoutWorker,
    texts: ['Decryption failed'],
  },
];

const CATALOGUE = 'packages/contract/src/errors.test.ts';
const UNREACHABLE: readonly Unreachable[] = [
  {
    text: 'Failed to load folder: {message or Unknown error}',
    why: '§8 has it shown as “Something went wrong”, which is found in apps/web/src/pages/folder/opening-texts.test.tsx',
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
