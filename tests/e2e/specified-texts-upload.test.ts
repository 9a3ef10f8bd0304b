import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { afterAll } from 'vitest';
import type { State } from '../../apps/web/test/found-texts.ts';
import { newVisitor, takeSession, type Visitor } from '../support/browser/browser.ts';
import { test } from '../support/browser/shared.ts';
import { eachWith, gate, testTexts, type Unreachable } from '../support/browser/specified-texts.ts';
import { createSealedFolder } from '../support/files/crafted-containers.ts';
import { createPlainFolder, type Person, signIn } from '../support/people/client.ts';
import type { Site } from '../support/site/site.ts';

/** Every text of §2 "Upload zone", of §5 and of §8 about uploads, in the state where it belongs. */

const SPECIFIED = [
  // §2 Upload zone, the owner’s
  'Drop files here or click to upload',
  'Support for multiple files up to 100MB each',
  'N files selected',
  'completed',
  'failed',
  'encrypting',
  'uploading',
  'pending',
  'Add More Files',
  'size in KB',
  'Unknown type',
  'Pause',
  'Resume',
  'Cancel',
  'Remove',
  'Upload N files',
  'Clear All',
  // §2 Upload zone, a visitor’s
  'Sign up to create your own folders',
  'Upload files, share folders, and manage your content',
  'Get Started Free',
  // §5
  'File size (XMB) exceeds maximum allowed size (YMB)',
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
const MIB = 1024 ** 2;

let dir: string;
let site: Site;
let browser: Browser;
let mika: Person;
/** Its upload is retried all the time: check the final text last. */
let patient: Visitor;

type Answer = (route: Route) => Promise<void>;
type Routes = Readonly<Record<string, Answer>>;

test.beforeAll(async ({ place }) => {
  dir = await mkdtemp(join(tmpdir(), 'satchel-upload-texts-'));
  ({ site, browser } = place);
  mika = await signIn(site, 'mika');
  patient = await newVisitor(browser);
  await started(patient, 'without-address.txt', { [CREATION]: (route) => route.fulfill({ status: 201 }) });
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});
const visitor = eachWith(() => newVisitor(browser));

async function file(name: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, `What is in ${name}.`);
  return path;
}

/** Opens the upload zone of an empty folder of Mika’s. */
async function zone(who: Visitor, makeFolder = sealedFolder): Promise<Page> {
  await takeSession(who, mika, site.url);
  await who.page.goto(await makeFolder());
  await who.page.getByText('Drop files here or click to upload').waitFor();
  return who.page;
}
const sealedFolder = async () => (await createSealedFolder(site, mika, 'Packed')).link;
const plainFolder = async () => `${site.url}/f/${(await createPlainFolder(mika)).slug}`;

async function chosen(names: readonly string[]): Promise<Page> {
  const page = await zone(await visitor());
  await page.getByLabel('Choose files').setInputFiles(await Promise.all(names.map(file)));
  return page;
}

/** Starts the upload of one file, while some of the site’s answers are replaced. */
async function started(who: Visitor, name: string, routes: Routes, makeFolder = sealedFolder): Promise<Locator> {
  const page = await zone(who, makeFolder);
  for (const [path, answer] of Object.entries(routes)) await page.route(path, answer);
  await page.getByLabel('Choose files').setInputFiles(await file(name));
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  return page.getByRole('region', { name: 'Upload', exact: true });
}

async function uploading(name: string, routes: Routes = {}, makeFolder = sealedFolder): Promise<Locator> {
  const who = await visitor();
  who.allow(/Failed to load resource/);
  return started(who, name, routes, makeFolder);
}

const waiting: Answer = (route) => gate().opened.then(() => route.continue());
const refused =
  (status: number, method = 'POST'): Answer =>
  (route) =>
    route.request().method() === method ? route.fulfill({ status, body: 'no' }) : route.fallback();

/** Her session ends elsewhere, and the page's next request shows it. */
async function signedOutElsewhere(): Promise<Page> {
  const who = await visitor();
  who.allow(/Failed to load resource/);
  const elsewhere = await signIn(site, 'mika');
  await takeSession(who, elsewhere, site.url);
  await who.page.goto(await plainFolder());
  await who.page.getByLabel('Choose files').setInputFiles(await file('signed-out.txt'));
  await elsewhere.call('POST', '/auth/v1/logout', {});
  await who.page.getByRole('button', { name: 'Upload 1 file' }).click();
  return who.page;
}

async function paused(): Promise<Locator> {
  const panel = await uploading('paused.txt', { [UPLOADS]: waiting }, plainFolder);
  await panel.getByRole('button', { name: 'Pause' }).click();
  return panel;
}

async function tooLarge(): Promise<Page> {
  const large = await file('large.iso');
  // A sparse file: it takes no disk space.
  await truncate(large, 101 * MIB);
  const page = await zone(await visitor());
  await page.getByLabel('Choose files').setInputFiles(large);
  return page;
}

const STATES: readonly State<Page | Locator>[] = [
  {
    name: 'the empty zone of an owner',
    reach: async () => zone(await visitor()),
    texts: ['Drop files here or click to upload', 'Support for multiple files up to 100MB each'],
  },
  {
    name: 'a visitor’s prompt instead of the zone',
    reach: async () => {
      const { page } = await visitor();
      await page.goto(await plainFolder());
      return page;
    },
    texts: [
      'Sign up to create your own folders',
      'Upload files, share folders, and manage your content',
      'Get Started Free',
    ],
  },
  {
    name: 'chosen files',
    reach: () => chosen(['one.txt', 'two.txt', 'no-extension']),
    texts: [
      ['N files selected', '3 files selected'],
      ['pending', '3 pending'],
      'Add More Files',
      ['size in KB', '0.02 KB'],
      'Unknown type',
      'Remove',
      ['Upload N files', 'Upload 3 files'],
      'Clear All',
    ],
  },
  {
    name: 'a file that is too large',
    reach: tooLarge,
    texts: [
      [
        'File size (XMB) exceeds maximum allowed size (YMB)',
        'large.iso: File size (101MB) exceeds maximum allowed size (100MB)',
      ],
    ],
  },
  {
    name: 'an upload that is encrypted',
    reach: () => uploading('encrypting.txt', { [CREATION]: waiting }),
    texts: [['encrypting', '1 encrypting'], 'Pause', 'Cancel'],
  },
  {
    name: 'a running upload',
    reach: () => uploading('on-its-way.txt', { [UPLOADS]: waiting }, plainFolder),
    texts: [['uploading', '1 uploading'], 'Pause', 'Cancel'],
  },
  { name: 'an upload that pauses', reach: paused, texts: ['Resume', 'Cancel'] },
  { name: 'an upload that is done', reach: () => uploading('done.txt'), texts: [['completed', '1 completed']] },
  {
    name: 'an upload that the server refuses to create',
    reach: () => uploading('unmade.txt', { [CREATION]: refused(400) }),
    texts: [
      ['failed', '1 failed'],
      ['Failed to create upload: {status} {statusText}', 'Error: Failed to create upload: 400 Bad Request'],
      ['Error: {message}', 'Error: Failed to create upload: 400 Bad Request'],
      'Remove',
    ],
  },
  {
    name: 'an upload whose bytes the server refuses',
    reach: () => uploading('untaken.txt', { [UPLOADS]: refused(403, 'PATCH') }),
    texts: [['Chunk upload failed: {status} {statusText}', 'Error: Chunk upload failed: 403 Forbidden']],
  },
  {
    name: 'an upload whose bearer the storage refuses, also a new one',
    reach: () => uploading('unknown.txt', { [CREATION]: refused(401) }),
    texts: [['User must be authenticated for file uploads', 'Error: User must be authenticated for file uploads']],
  },
  {
    name: 'the folder of an owner who was signed out elsewhere while files were uploading',
    reach: signedOutElsewhere,
    texts: ['User must be authenticated for file uploads'],
  },
  {
    name: 'an upload that the server created without a Location, after every retry',
    reach: async () => patient.page,
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
