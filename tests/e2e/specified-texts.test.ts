import { AppError, type ErrorCode } from '@satchel/contract/errors';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { newVisitor, signInAs, type Visitor } from '../support/browser/browser.ts';
import { visit } from '../support/browser/folder-page.ts';
import { test } from '../support/browser/shared.ts';
import { eachWith, gate, missingTexts, type State, testTexts } from '../support/browser/specified-texts.ts';
import { callAs } from '../support/browser/world.ts';
import type { Site } from '../support/site/site.ts';

/** Every text that §2 and §8 quote or name outside of folders, found in the state where it belongs. */

const SPECIFIED = [
  // §2 Top bar
  'Sign Out',
  'the global name',
  'Sign In',
  // §2 Landing
  'Add to Discord',
  'How It Works',
  'add the bot',
  'choose DM or server',
  'type /upload',
  'log in via OAuth2 in the browser',
  'upload and share',
  'Available Commands',
  '/upload',
  '/list',
  '/share',
  '/delete',
  'Why Choose',
  'Privacy',
  // §2 /auth
  'Continue with Discord',
  'Connecting...',
  'Back to Home',
  'Already Signed In',
  'a welcome with the e-mail or full name',
  'Go to Home',
  // §2 /auth/callback
  'Processing Sign In...',
  'visible debug log lines',
  'Authentication Error',
  'Try Again',
  'Go Home',
  // §2 /profile
  'Loading profile...',
  'Authentication Required',
  'Error Loading Profile',
  'Account Details',
  'Discord Profile',
  'My Folders ({count})',
  'No folders yet',
  'Create First Folder',
  'Expired',
  // §8 Auth and profile
  'the provider’s error message',
  'An unexpected error occurred',
  'Authentication failed: {message}',
  'Unexpected error: {message}',
  'a session check message',
  'Authentication required',
  'Failed to load profile data',
] as const;

const SESSION = '**/auth/v1/session';
const PROFILE = '**/rest/v1/profiles/me';

let site: Site;
let browser: Browser;
/** Signed in, without folders until one is created. */
let jonas: Visitor;

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  jonas = await newVisitor(browser);
  jonas.allow(/Failed to load resource/);
  await signInAs(jonas.page, site.url, 'jonas');
  await jonas.page.goto(site.url);
});
afterAll(async () => {
  expect(jonas.problems()).toEqual([]);
});
const stranger = eachWith(() => newVisitor(browser));

const visitPath = async (page: Page, path: string): Promise<Page> => {
  await visit(page, `${site.url}${path}`);
  return page;
};

/** A page beside Jonas’s, with his session. */
async function asJonas(path: string, prepare: (page: Page) => Promise<unknown> = async () => undefined): Promise<Page> {
  const { page } = jonas;
  await page.unrouteAll();
  await prepare(page);
  return visitPath(page, path);
}

async function asStranger(path: string, prepare: (page: Page) => Promise<unknown> = async () => undefined) {
  const visitor = await stranger();
  visitor.allow(/Failed to load resource/);
  await prepare(visitor.page);
  return visitPath(visitor.page, path);
}

/** The server refuses, with or without a text of its own. */
const refusing = (code?: ErrorCode) => (route: Route) =>
  route.fulfill({ status: 500, json: code ? new AppError(code).toWire() : {} });

const waiting = async (route: Route) => gate().opened.then(() => route.continue());

/** Presses the button of a visible sign-in page. */
async function continueWith(answer: (route: Route) => Promise<void>): Promise<Page> {
  const page = await asStranger('/auth');
  const start = page.getByRole('button', { name: 'Continue with Discord' });
  await start.waitFor();
  await page.waitForLoadState('networkidle');
  await page.route(SESSION, answer);
  await start.click();
  return page;
}

async function refuseAtDiscord(): Promise<Page> {
  const page = await asStranger('/auth');
  await page.getByRole('button', { name: 'Continue with Discord' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  return page;
}

const profileRefused = (code?: ErrorCode) => () => asJonas('/profile', (page) => page.route(PROFILE, refusing(code)));

async function expiredFolder(): Promise<Page> {
  await callAs(jonas.page, 'create_folder_with_temp_key', { folder_name: 'Short-lived', expires_in_hours: 3 / 3600 });
  const page = await asJonas('/profile');
  await page.getByText('Short-lived').waitFor();
  return page;
}

const STATES: readonly State[] = [
  {
    name: 'the landing page of a visitor',
    reach: () => asStranger('/'),
    texts: [
      'Sign In',
      'Add to Discord',
      'How It Works',
      ['add the bot', 'Add the bot'],
      ['choose DM or server', 'Choose DM or server'],
      ['type /upload', 'Type /upload'],
      ['log in via OAuth2 in the browser', 'OAuth2 in your browser. No new password.'],
      ['upload and share', 'Upload and share'],
      'Available Commands',
      '/upload',
      '/list',
      '/share',
      '/delete',
      ['Why Choose', 'Why Choose Satchel'],
      ['Privacy', 'Privacy, in plain words'],
    ],
  },
  {
    name: 'the top bar of a signed-in person',
    reach: async () => (await asJonas('/')).getByRole('banner'),
    texts: ['Sign Out', ['the global name', 'Jonas']],
  },
  { name: 'the sign-in page', reach: () => asStranger('/auth'), texts: ['Continue with Discord', 'Back to Home'] },
  { name: 'the sign-in page, on its way to Discord', reach: () => continueWith(waiting), texts: ['Connecting...'] },
  {
    name: 'the sign-in page, when the server can’t be reached',
    reach: () => continueWith((route) => route.abort()),
    texts: ['An unexpected error occurred'],
  },
  {
    name: 'the sign-in page, when the server refuses with a reason',
    reach: () => continueWith(refusing('request.unavailable')),
    texts: [['the provider’s error message', 'Try again in a moment']],
  },
  {
    name: 'the sign-in page of a signed-in person',
    reach: () => asJonas('/auth'),
    texts: [
      'Already Signed In',
      ['a welcome with the e-mail or full name', /^Welcome, Jonas/],
      'Go to Home',
      'Sign Out',
    ],
  },
  {
    name: 'the callback, at work',
    reach: () => asStranger('/auth/callback', (page) => page.route(SESSION, waiting)),
    texts: ['Processing Sign In...', ['visible debug log lines', 'Checking the session']],
  },
  {
    name: 'the callback, without a session',
    reach: () => asStranger('/auth/callback'),
    texts: [['a session check message', 'No session found, going to the sign-in']],
  },
  {
    name: 'the callback, after Cancel at Discord',
    reach: refuseAtDiscord,
    texts: [
      'Authentication Error',
      ['Authentication failed: {message}', /^Authentication failed: \S+/],
      'Try Again',
      'Go Home',
    ],
  },
  {
    name: 'the callback, when the session can’t be checked',
    reach: () => asStranger('/auth/callback', (page) => page.route(SESSION, (route) => route.abort())),
    texts: ['Authentication Error', ['Unexpected error: {message}', /^Unexpected error: \S+/], 'Try Again', 'Go Home'],
  },
  {
    name: 'the profile while it loads',
    reach: () => asJonas('/profile', (page) => page.route(PROFILE, waiting)),
    texts: ['Loading profile...'],
  },
  {
    name: 'the profile of a signed-out visitor',
    reach: async () => (await asStranger('/profile')).getByRole('main'),
    texts: ['Authentication Required', 'Sign In'],
  },
  {
    name: 'the profile that the server can’t give',
    reach: profileRefused(),
    texts: ['Error Loading Profile', 'Failed to load profile data'],
  },
  {
    name: 'the profile, when the server says that something unexpected happened',
    reach: profileRefused('unexpected'),
    texts: ['Error Loading Profile', 'An unexpected error occurred'],
  },
  {
    name: 'the profile, when the server no longer knows the session',
    reach: profileRefused('auth.required'),
    texts: ['Error Loading Profile', 'Authentication required'],
  },
  {
    name: 'the profile of a person without folders',
    reach: () => asJonas('/profile'),
    texts: [
      'Account Details',
      'Discord Profile',
      ['My Folders ({count})', 'My Folders (0)'],
      'No folders yet',
      'Create First Folder',
    ],
  },
  {
    name: 'the profile, when a folder ends on screen',
    reach: expiredFolder,
    texts: [['My Folders ({count})', 'My Folders (1)'], 'Expired'],
  },
];

test('the search finds no missing or undisplayed text', async () => {
  const { page } = await stranger();
  await page.setContent('<main><p>No files <b>yet</b></p><p hidden>Hidden</p><button title="Pause"></button></main>');
  expect(await missingTexts(page, ['No files yet', 'Pause', ['{n} files', /^No \w+ yet$/]])).toEqual([]);
  const wrong = ['No files', 'Hidden', 'No files Yet', ['{n} files', /^\d+ files$/]] as const;
  // “No files” is a text node of its own there.
  expect(await missingTexts(page, wrong)).toEqual(['Hidden', 'No files Yet', '^\\d+ files$']);
});

testTexts({ specified: SPECIFIED, states: STATES });
