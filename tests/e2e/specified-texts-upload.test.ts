import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import type { Locator, Page, Route, Worker } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import type { State } from '../../apps/web/test/found-texts.ts';
import { newVisitor, takeSession, test, type Visitor, withoutSocket } from '../support/browser.ts';
import { createPlainFolder, createSealedFolder, type Person, signIn } from '../support/people.ts';
import type { Site } from '../support/site.ts';
import { gate, testTexts, type Unreachable } from '../support/specified-texts.ts';

/**
 * Every text of §2 "Upload zone", of §5 and of §8 about uploads that have begun. What the zone says before is held in
 * apps/web/src/pages/folder/upload-texts.test.tsx.
 */

const SPECIFIED = [
  // §2 Upload zone, the owner’s
  'N files selected',
  'completed',
  'failed',
  'encrypting',
  'uploading',
  'Pause',
  'Resume',
  'Cancel',
  'Remove',
  // §5
  'File type "T" is not allowed. Allowed types: ...',
  // §8 Upload
  'Failed to create upload: {status} {statusText}',
  'Server did not return upload URL',
  'Chunk upload failed: {status} {statusText}',
  'Stream size mismatch',
  'uploadSize must be provided for ReadableStream uploads',
  'File header not generated',
  'User must be authenticated for file uploads',
  'Error: {message}',
] as const;

/** Addresses that create uploads, and that receive their bytes. */
const CREATION = '**/storage/v1/upload/resumable';
const UPLOADS = '**/storage/v1/upload/resumable/*';

let dir: string;
let site: Site;
let mika: Person;
/** Uploads into one folder after the other: the states of one page follow each other. */
let sender: Visitor;

test.beforeAll(async ({ place }) => {
  dir = await mkdtemp(join(tmpdir(), 'satchel-upload-texts-'));
  site = place.site;
  mika = await signIn(site, 'mika');
  sender = await newVisitor(place.browser);
  sender.allow(/Failed to load resource/);
});
afterAll(async () => {
  expect(sender.problems()).toEqual([]);
  await rm(dir, { recursive: true, force: true });
});

/** Too large to go with its creation. */
const LARGE = 'untaken.txt';

async function file(name: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, `What is in ${name}.`.padEnd(name === LARGE ? 2 * 1024 ** 2 : 0));
  return path;
}

/** Opens the upload zone of an empty folder of Mika’s. */
async function zone(who: Visitor, address: string, person = mika): Promise<void> {
  await takeSession(who, person, site.url);
  await who.page.unrouteAll();
  await who.page.goto(address);
  await who.page.getByText('Drop files here or click to upload').waitFor();
}
const sealedFolder = async () => (await createSealedFolder(site, mika, 'Packed')).link;
const plainFolder = async () => `${site.url}/f/${(await createPlainFolder(mika)).slug}`;
const panelOf = ({ page }: Visitor): Locator => page.getByRole('region', { name: 'Upload', exact: true });

async function upload(who: Visitor, names: readonly string[]): Promise<Locator> {
  await who.page.getByLabel('Choose files').setInputFiles(await Promise.all(names.map(file)));
  await who.page.getByRole('button', { name: /^Upload \d files?$/ }).click();
  return panelOf(who);
}

const creation = gate();
async function encrypting(): Promise<Locator> {
  await zone(sender, await sealedFolder());
  await sender.page.route(CREATION, (route) => creation.opened.then(() => route.continue()));
  return upload(sender, ['encrypting.txt']);
}

async function done(): Promise<Locator> {
  creation.open();
  return panelOf(sender);
}

async function running(): Promise<Locator> {
  await zone(sender, await plainFolder());
  await sender.page.route(CREATION, (route) => gate().opened.then(() => route.continue()));
  return upload(sender, ['on-its-way.txt']);
}

async function paused(): Promise<Locator> {
  await panelOf(sender).getByRole('button', { name: 'Pause' }).click();
  return panelOf(sender);
}

const objectOf = (route: Route): string => {
  const metadata = route.request().headers()['upload-metadata'] ?? '';
  return Buffer.from(/objectName ([^,]+)/.exec(metadata)?.[1] ?? '', 'base64').toString();
};

/** Of three files, the server refuses to create one, to take one’s bytes, and to know the bearer of one. */
async function refused(): Promise<Locator> {
  elsewhere = await signIn(site, 'mika');
  // Its bytes then go by requests.
  await withoutSocket(sender.context);
  await zone(sender, await plainFolder(), elsewhere);
  await sender.page.route(CREATION, (route) => {
    const object = objectOf(route);
    if (object.includes('unmade')) return route.fulfill({ status: 400, body: 'no' });
    if (object.includes('unknown')) return route.fulfill({ status: 401, body: 'no' });
    return route.fallback();
  });
  await sender.page.route(UPLOADS, (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 403, body: 'no' }) : route.fallback(),
  );
  return upload(sender, ['unmade.txt', LARGE, 'unknown.txt']);
}

/** The session with which files are refused. */
let elsewhere: Person;
/** Her session ends elsewhere, and the page's next request shows it. */
async function signedOutElsewhere(): Promise<Page> {
  await sender.page.getByLabel('Choose files').setInputFiles(await file('signed-out.txt'));
  await elsewhere.call('POST', '/auth/v1/logout', {});
  await sender.page.getByRole('button', { name: 'Upload 1 file' }).click();
  return sender.page;
}

/** In this worker the pauses before retries, 38 s in sum, pass at once. No other timer of a small file is as long. */
const hasten = (worker: Worker): Promise<void> =>
  worker.evaluate((pausesMs) => {
    const wait = globalThis.setTimeout;
    const hasty = (task: () => void, delayMs = 0) => wait(task, pausesMs.includes(delayMs) ? 0 : delayMs);
    Object.assign(globalThis, { setTimeout: hasty });
  }, RETRY_DELAYS_MS);

/** The server creates an upload each time it is asked, and never says where. */
async function withoutAddress(): Promise<Locator> {
  await zone(sender, await sealedFolder());
  let tries = 0;
  await sender.page.route(CREATION, (route) => {
    tries += 1;
    return route.fulfill({ status: 201 });
  });
  const hastened = sender.page.waitForEvent('worker').then(hasten);
  const panel = await upload(sender, ['without-address.txt']);
  await hastened;
  await panel.getByText('1 failed').waitFor();
  expect(tries).toBe(1 + RETRY_DELAYS_MS.length);
  return panel;
}

const STATES: readonly State<Page | Locator>[] = [
  {
    name: 'an upload that is encrypted',
    reach: encrypting,
    texts: [['N files selected', '1 file selected'], ['encrypting', '1 encrypting'], 'Pause', 'Cancel'],
  },
  { name: 'an upload that is done', reach: done, texts: [['completed', '1 completed']] },
  { name: 'a running upload', reach: running, texts: [['uploading', '1 uploading'], 'Pause', 'Cancel'] },
  { name: 'an upload that pauses', reach: paused, texts: ['Resume', 'Cancel'] },
  {
    name: 'an upload that the server refuses to create',
    reach: refused,
    texts: [
      ['failed', '3 failed'],
      ['Failed to create upload: {status} {statusText}', 'Error: Failed to create upload: 400 Bad Request'],
      ['Error: {message}', 'Error: Failed to create upload: 400 Bad Request'],
      'Remove',
    ],
  },
  {
    name: 'an upload whose bytes the server refuses',
    reach: async () => panelOf(sender),
    texts: [['Chunk upload failed: {status} {statusText}', 'Error: Chunk upload failed: 403 Forbidden']],
  },
  {
    name: 'an upload whose bearer the storage refuses, also a new one',
    reach: async () => panelOf(sender),
    texts: [['User must be authenticated for file uploads', 'Error: User must be authenticated for file uploads']],
  },
  {
    name: 'the folder of an owner who was signed out elsewhere while files were uploading',
    reach: signedOutElsewhere,
    texts: ['User must be authenticated for file uploads'],
  },
  {
    name: 'an upload that the server created without a Location, after every retry',
    reach: withoutAddress,
    texts: [['Server did not return upload URL', 'Error: Server did not return upload URL']],
  },
];

const CATALOGUE = 'packages/contract/src/errors.test.ts';
const UNREACHABLE: readonly Unreachable[] = [
  {
    text: 'File type "T" is not allowed. Allowed types: ...',
    why: '§5 restricts no type',
    assertedIn: CATALOGUE,
    as: '\'File type "text/x" is not allowed. Allowed types: image/png, image/webp\'',
  },
  {
    text: 'Stream size mismatch',
    why: 'browsers don’t read a file that has changed, and then that is what is said',
    assertedIn: 'packages/container/test/refusals.test.ts',
    as: "'Stream size mismatch'",
  },
  {
    text: 'uploadSize must be provided for ReadableStream uploads',
    why: 'files are uploaded, whose sizes are known, and never streams',
    assertedIn: CATALOGUE,
    as: "'uploadSize must be provided for ReadableStream uploads'",
  },
  {
    text: 'File header not generated',
    why: 'an upload begins with its header, made or read back',
    assertedIn: CATALOGUE,
    as: "'File header not generated'",
  },
];

testTexts({ specified: SPECIFIED, states: STATES, unreachable: UNREACHABLE });
