// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import {
  accountOf,
  fileEntry,
  folderData,
  JONAS,
  MIKA,
  refusal,
  sealedFolder,
  sessionOf,
} from '../../../test/answers.ts';
import { type Answers, openPage, press } from '../../../test/page.tsx';

/** What the folder's page does until it has loaded, as long as it is open, and for whom. Its texts are specified-texts.test.tsx. */

const DATA = `POST ${PATHS.rpc}/get_folder_complete_data`;
const LIST = `POST ${PATHS.list}/`;
const raid = folderData(MIKA, { folder_size_bytes: 128 });

const open = (answers: Answers = {}) =>
  openPage(`/f/${raid.folder_slug}`, {
    [DATA]: raid,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [LIST]: [fileEntry('ferry.txt')],
    [`GET ${PATHS.uploads}`]: [],
    ...answers,
  });
const hasButton = (name: string) => screen.queryByRole('button', { name }) !== null;

test('a folder that failed to load is loaded by another try', async () => {
  let isUp = false;
  const answer = () => (isUp ? Response.json(raid) : new Response('{}', { status: 500 }));
  await open({ [DATA]: answer, [`GET ${PATHS.folders}/`]: 500 });
  await screen.findByRole('heading', { name: 'Something went wrong' });
  isUp = true;
  await press('Try Again');
  await screen.findByRole('heading', { name: 'Saturday raid' });
});

test('that the network is lost is said and shown, and that it is back', async () => {
  await open();
  await screen.findByRole('heading', { name: 'Saturday raid' });
  const { politeAnnouncement } = await import('../../lib/base/announce.ts');
  const goes = async (isOnline: boolean, words: string) => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline);
    window.dispatchEvent(new Event(isOnline ? 'online' : 'offline'));
    await waitFor(() => expect(politeAnnouncement.get()?.text).toBe(words));
  };
  await goes(false, 'You are offline. Uploads are paused.');
  within(screen.getByRole('complementary', { name: 'Connection' })).getByText(/^You’re offline\./);
  await goes(true, 'Back online. Uploads continue.');
  await waitFor(() => expect(screen.queryByRole('complementary', { name: 'Connection' })).toBeNull());
});

test('a session that loads late flashes no wrong role', async () => {
  const session = Promise.withResolvers<void>();
  const roles = new Set<string>();
  const look = new MutationObserver(() => {
    for (const badge of document.querySelectorAll('main h1 + div > span')) roles.add(badge.textContent ?? '');
  });
  look.observe(document, { childList: true, subtree: true, characterData: true });
  const data = Promise.withResolvers<void>();
  await open({
    ...accountOf(MIKA),
    [`GET ${PATHS.session}`]: () => session.promise.then(() => Response.json(sessionOf(MIKA))),
    [DATA]: () => {
      data.resolve();
      return Response.json(raid);
    },
  });
  await data.promise;
  await screen.findByText('Loading folder...');
  expect([hasButton('Copy Link'), screen.queryByText(/^Signing up is free/)]).toEqual([false, null]);
  session.resolve();
  await screen.findByRole('button', { name: 'Upload File' });
  look.disconnect();
  expect([...roles]).toEqual(['Owner']);
});

test.each([
  ['an owner', accountOf(MIKA), ['Upload File', 'Share', 'Delete'], ['Copy Link', 'Share Folder']],
  ['a viewer', accountOf(JONAS), ['Share Folder'], ['Upload File', 'Delete', 'Copy Link']],
  ['a visitor', {}, ['Copy Link'], ['Upload File', 'Delete', 'Share Folder']],
] as const)('%s has the actions of that role, and no others', async (who, account, own, others) => {
  await open(account);
  for (const name of own) await screen.findByRole('button', { name });
  expect(others.filter(hasButton)).toEqual([]);
  expect(screen.queryAllByText(/^Signing up is free/)).toHaveLength(who === 'a visitor' ? 1 : 0);
});

test('the facts count down by the second, and end in Folder Expired', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(raid.folder_expires_at) - 2500 });
  const { folder_expires_at: end } = raid;
  await open({ [DATA]: { ...raid, server_time: new Date().toISOString() } });
  const facts = within((await screen.findAllByRole('complementary', { name: 'Folder details' })).at(-1)!);
  await facts.findByText('2s');
  vi.setSystemTime(Date.parse(end) - 1500);
  await facts.findByText('1s');
  vi.setSystemTime(Date.parse(end) + 100);
  await screen.findByRole('heading', { name: 'Folder Expired' });
});

const CHANGES = 'POST /rest/v1/changes';
/** Ends the folder once its page follows it, and tells of that. */
function ending() {
  let isThere = true;
  const changes = () => {
    isThere = false;
    return new Response(`data: ${JSON.stringify({ slug: raid.folder_slug, version: null, age_ms: 0 })}\n\n`);
  };
  const data = (folder: unknown) => () => (isThere ? Response.json(folder) : refusal(404, 'folder.not_found')());
  return { changes, data };
}

test.each([
  ['a visitor', {}, {}, 'Mika deleted this folder', 'Its files and its key are gone for good.'],
  ['its owner', accountOf(MIKA), {}, 'You deleted this folder', 'Its files and its key are gone for good.'],
  [
    'a guest',
    accountOf(JONAS),
    { folder_access: 'restricted' } as const,
    'This folder is closed to you now',
    'Mika has shut you out, or deleted the folder. If you still need its files, ask Mika.',
  ],
])(
  'a folder that is deleted while %s has it open says what happened, and when',
  async (_who, account, facts, title, text) => {
    const { changes, data } = ending();
    await open({ ...account, [DATA]: data({ ...raid, ...facts }), [CHANGES]: changes });
    await screen.findByRole('heading', { name: title });
    screen.getByText(text);
    screen.getByText('It happened just now, while you had the folder open.');
    await waitFor(() => expect(screen.getByRole('alert').textContent).toBe(title));
    vi.setSystemTime(Date.now() + 70_000);
    await screen.findByText('It happened 1 minute ago, while you had the folder open.');
  },
);

test('a folder that is deleted while its viewer is open closes the viewer, and says so', async () => {
  const { changes, data } = ending();
  const { address, answers } = await sealedFolder([['plan.txt']]);
  await openPage(address, { ...answers, [DATA]: data(answers[DATA]), [CHANGES]: changes });
  await press('plan.txt');
  await screen.findByRole('dialog');
  await screen.findByRole('heading', { name: 'Mika deleted this folder' });
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(document.activeElement?.id).toBe('main');
});

test('where there is no room beside the files, the facts are folded into one row, which says how many files there are', async () => {
  await open();
  await screen.findAllByText('1 total');
  const rows = screen.getAllByText('1 total').map((text) => text.closest('summary'));
  const summary = rows.find((row) => row !== null)!;
  const details = summary.parentElement as HTMLDetailsElement;
  expect(details.open).toBe(false);
  expect(within(details).getByText('Owner').closest('summary')).toBeNull();
});

test('the title of the page is the folder’s name; where it has none, its first file and how many others, or else its day', async () => {
  await open();
  await waitFor(() => expect(document.title).toBe('Saturday raid · Satchel'));
  const unnamed = { [DATA]: { ...raid, folder_name: null } };
  await open(unnamed);
  await screen.findByRole('heading', { name: 'ferry.txt' });
  await waitFor(() => expect(document.title).toBe('ferry.txt · Satchel'));
  await open({ ...unnamed, [LIST]: ['ferry.txt', 'map.png', 'notes.md'].map((name) => fileEntry(name)) });
  await screen.findByRole('heading', { name: 'ferry.txt and 2 more files' });
  await open({ ...unnamed, [LIST]: [] });
  await screen.findByRole('heading', { name: /^Folder of .*\d/ });
});
