// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import type { WebSettings } from '@satchel/contract/wire/web-settings';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { accountOf, hoursFromNow, JONAS, listedFolder, refusal } from '../../test/answers.ts';
import { type Answer, type Answers, openPage, respond, unreachable, waiting } from '../../test/page.tsx';
import { missingBelow, type State, testTexts } from '../../test/specified-texts.ts';

/** Every specified text outside of folders, found in the state where it belongs. */

const SESSION = `GET ${PATHS.session}`;
const PROFILE = `GET ${PATHS.profileMe}`;

const asJonas = (path: string, answers: Answers = {}) => openPage(path, { ...accountOf(JONAS), ...answers });

/** Presses the button of a visible sign-in page. */
async function continueWith(answer: Answer): Promise<Element> {
  let isFirst = true;
  const page = await openPage('/auth', {
    [SESSION]: (request) => {
      if (!isFirst) return respond(answer, request);
      isFirst = false;
      return Response.json({ session: null });
    },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Continue with Discord' }));
  return page;
}

const profileRefused = (answer: Answer) => () => asJonas('/profile', { [PROFILE]: answer });

async function endedFolder(): Promise<Element> {
  const page = await asJonas('/profile', { [`GET ${PATHS.folders}?owner=me`]: [listedFolder(JONAS)] });
  await screen.findByText('Saturday raid');
  vi.setSystemTime(hoursFromNow(24));
  return page;
}

const STATES: readonly State[] = [
  {
    name: 'the landing page of a visitor',
    reach: () => openPage('/'),
    texts: [
      'Sign In',
      'Add to Discord',
      'How It Works',
      'Add the bot',
      'Choose DM or server',
      'Type /upload',
      'OAuth2 in your browser. No new password.',
      'Upload and share',
      'Available Commands',
      '/upload',
      '/list',
      '/share',
      '/delete',
      'Why Choose Satchel',
      'Privacy, in plain words',
    ],
  },
  {
    name: 'the top bar of a signed-in person',
    reach: async () => {
      await asJonas('/');
      return screen.getByRole('banner');
    },
    texts: ['Sign Out', 'Jonas'],
  },
  { name: 'the sign-in page', reach: () => openPage('/auth'), texts: ['Continue with Discord', 'Back to Home'] },
  { name: 'the sign-in page, on its way to Discord', reach: () => continueWith(waiting), texts: ['Connecting...'] },
  {
    name: 'the sign-in page, when the server can’t be reached',
    reach: () => continueWith(unreachable),
    texts: ['An unexpected error occurred'],
  },
  {
    name: 'the sign-in page, when the server refuses with a reason',
    reach: () => continueWith(refusal(503, 'request.unavailable')),
    texts: ['Try again in a moment'],
  },
  {
    name: 'the sign-in page of a signed-in person',
    reach: () => asJonas('/auth'),
    texts: ['Already Signed In', /^Welcome, Jonas/, 'Go to Home', 'Sign Out'],
  },
  {
    name: 'the callback, at work',
    reach: () => openPage('/auth/callback', { [SESSION]: waiting }),
    texts: ['Processing Sign In...', 'Checking the session'],
  },
  {
    name: 'the callback, without a session',
    reach: () => openPage('/auth/callback'),
    texts: ['No session found, going to the sign-in'],
  },
  {
    name: 'the callback, after Cancel at Discord',
    reach: () => openPage('/auth/callback#error=access_denied'),
    texts: ['Authentication Error', 'Authentication failed: you cancelled in Discord', 'Try Again', 'Go Home'],
  },
  {
    name: 'the callback, when the session can’t be checked',
    reach: () => openPage('/auth/callback', { [SESSION]: unreachable }),
    texts: ['Authentication Error', /^Unexpected error: \S+/, 'Try Again', 'Go Home'],
  },
  {
    name: 'the profile while it loads',
    reach: () => asJonas('/profile', { [PROFILE]: waiting }),
    texts: ['Loading profile...'],
  },
  {
    name: 'the profile of a signed-out visitor',
    reach: async () => {
      await openPage('/profile');
      return screen.getByRole('main');
    },
    texts: ['Authentication Required', 'Sign In'],
  },
  {
    name: 'the profile that the server can’t give',
    reach: profileRefused(500),
    texts: ['Error Loading Profile', 'Failed to load profile data'],
  },
  {
    name: 'the profile, when the server says that something unexpected happened',
    reach: profileRefused(refusal(500, 'unexpected')),
    texts: ['Error Loading Profile', 'An unexpected error occurred'],
  },
  {
    name: 'the profile, when the server no longer knows the session',
    reach: profileRefused(refusal(401, 'auth.required')),
    texts: ['Error Loading Profile', 'Authentication required'],
  },
  {
    name: 'the profile of a person without folders',
    reach: () => asJonas('/profile'),
    texts: ['Account Details', 'Discord Profile', 'My Folders (0)', 'No folders yet', 'Create First Folder'],
  },
  {
    name: 'the profile, when a folder ends on screen',
    reach: endedFolder,
    texts: ['My Folders (1)', 'Expired'],
  },
];

test('the search finds no missing or undisplayed text', () => {
  document.body.innerHTML =
    '<main><p>No files <b>yet</b></p><p hidden>Hidden</p><button title="Pause"></button></main>';
  const missing = (texts: readonly (string | RegExp)[]) => missingBelow(document.body, texts);
  expect(missing(['No files yet', 'Pause', /^No \w+ yet$/])).toEqual([]);
  const wrong = ['No files', 'Hidden', 'No files Yet', /^\d+ files$/] as const;
  // “No files” is its own text node there.
  expect(missing(wrong)).toEqual(wrong.slice(1));
  document.body.replaceChildren();
});

testTexts(STATES);

test.each<[WebSettings['admits'], string | null, string]>([
  ['anyone', null, 'We can’t read your messages, friends or servers.'],
  [
    'members',
    'This site is for members of certain Discord servers. Discord tells us which servers you are in.',
    'We can’t read your messages or friends.',
  ],
  ['accounts', 'Only certain Discord accounts can sign in here.', 'We can’t read your messages, friends or servers.'],
])('the sign-in page of a site for %s says who is let in, and what it can’t read', async (admits, who, unread) => {
  await openPage('/auth', {}, { admits });
  await screen.findByText(unread);
  expect(screen.queryByText(/certain Discord (servers|accounts)/)?.textContent ?? null).toBe(who);
});
