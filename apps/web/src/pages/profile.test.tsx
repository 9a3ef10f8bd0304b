// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { accountOf, hoursFromNow, listedFolder, MIKA, profileOf, refusal, sessionList } from '../../test/answers.ts';
import { type Asked, askedFor, openPage, press } from '../../test/page.tsx';
import { recallKey } from '../engine/keys/key-store.ts';

vi.mock('../engine/keys/key-store.ts', { spy: true });

/** The profile, by what the account has. That the server exports and deletes it is tests/e2e/profile.test.ts. */

const PROFILE = `GET ${PATHS.profileMe}`;

test('states what an account lacks', async () => {
  await openPage('/profile', accountOf({ ...MIKA, email: null }, { discord_username: 'otto.sandbox' }));
  await screen.findAllByText('None on Discord');
  expect(screen.getAllByText('@otto.sandbox')).not.toEqual([]);
  screen.getByText('No folders yet');
  screen.getByRole('link', { name: 'Create First Folder' });
});

test('shows an old name with its number', async () => {
  await openPage('/profile', accountOf(MIKA, { discord_username: 'lena', discord_discriminator: '1234' }));
  expect(await screen.findAllByText('lena#1234')).not.toEqual([]);
});

test('loads, fails with an error text, and loads again', async () => {
  const asked = Promise.withResolvers<void>();
  let answer = refusal(401, 'auth.required');
  const account = accountOf(MIKA);
  await openPage('/profile', { ...account, [PROFILE]: () => asked.promise.then(() => answer()) });
  await screen.findByText('Loading profile...');
  asked.resolve();
  await screen.findByRole('heading', { name: 'Error Loading Profile' });
  screen.getByText('Authentication required');
  answer = () => Response.json(profileOf(MIKA));
  await press('Try Again');
  for (const name of ['Account Details', 'Discord Profile']) await screen.findByRole('heading', { name });
});

test('copies no link of a private folder before the device’s keys are read', async () => {
  const keys = Promise.withResolvers<null>();
  vi.mocked(recallKey).mockReturnValue(keys.promise);
  const folder = listedFolder(MIKA, { link_mode: 'private' });
  await openPage('/profile', { ...accountOf(MIKA), [`GET ${PATHS.folders}?owner=me`]: [folder] });
  const region = within(await screen.findByRole('region', { name: /My Folders/ }));
  const copy = await region.findByRole<HTMLButtonElement>('button', { name: 'Copy link' });
  expect(copy.disabled).toBe(true);
  keys.reject(new Error('the storage can’t be read'));
  await waitFor(() => expect(copy.disabled).toBe(false));
});

test('shows a folder that ends on screen as expired', async () => {
  await openPage('/profile', { ...accountOf(MIKA), [`GET ${PATHS.folders}?owner=me`]: [listedFolder(MIKA)] });
  const region = within(await screen.findByRole('region', { name: /My Folders/ }));
  const row = within((await region.findByText('Saturday raid')).closest('li')!);
  row.getByText('Public');
  expect(row.getAllByRole('button')).not.toEqual([]);
  vi.setSystemTime(hoursFromNow(24));
  await row.findByText('Expired');
  expect(row.queryAllByRole('button')).toEqual([]);
});

test.each([-3, 3])('counts a folder’s time by the server’s clock on a device that is %i h off', async (hoursOff) => {
  const folder = listedFolder(MIKA);
  const server_time = new Date(Date.parse(folder.expires_at) - 30 * 60_000).toISOString();
  await openPage('/profile', {
    ...accountOf(MIKA),
    [`GET ${PATHS.folders}?owner=me`]: [folder],
    [`GET ${PATHS.serverTime}`]: { server_time },
  });
  vi.setSystemTime(Date.parse(server_time) + hoursOff * 3_600_000);
  const region = within(await screen.findByRole('region', { name: /My Folders/ }));
  await region.findByText('30 minutes left');
});

test('shows banner, avatar, names and badges as Discord gave them', async () => {
  const banner = '/people/mika/banner.png?size=1024';
  await openPage('/profile', {
    ...accountOf(MIKA, {
      discord_public_flags: (1 << 2) | (1 << 6) | (1 << 9) | (1 << 17) | (1 << 22),
      banner_url: banner,
      avatar_url: '/people/mika/avatar.gif?size=256',
      accent_color: 0x8f5bd6,
    }),
  });
  const badges = within(await screen.findByRole('region', { name: 'Badges' })).getAllByRole('listitem');
  expect(badges.map(({ textContent }) => textContent)).toEqual([
    'HypeSquad Events',
    'House Bravery',
    'Early Supporter',
    'Early Bot Developer',
    'Active Developer',
  ]);
  await screen.findByText('#8f5bd6');
  expect(screen.getAllByText('@mika.sandbox')).not.toEqual([]);
  const pictures = Array.from(document.querySelectorAll('main img'), (image) => image.getAttribute('src'));
  expect(pictures).toEqual([banner, expect.stringContaining('/people/mika/avatar.')]);
});

const SESSIONS = `GET ${PATHS.sessions}`;
const END = `DELETE ${PATHS.sessions}/`;
const END_OTHERS = `POST ${PATHS.logout}?scope=others`;

test('lists the sessions, ends one, and all others after a question', async () => {
  let sessions = sessionList(2);
  const others = sessions.filter((session) => !session.is_this_one);
  const end = ({ path }: Asked) => {
    sessions = sessions.filter(({ id }) => !path.endsWith(id));
    return new Response(null, { status: 204 });
  };
  const endOthers = () => {
    sessions = sessions.filter((session) => session.is_this_one);
    return new Response(null, { status: 204 });
  };
  await openPage('/profile', {
    ...accountOf(MIKA),
    [SESSIONS]: () => Response.json(sessions),
    [END]: end,
    [END_OTHERS]: endOthers,
  });
  const list = within(await screen.findByRole('region', { name: 'Where you’re signed in' }));
  const hasRows = (count: number) => waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(count));
  await list.findByText('This device');
  await hasRows(3);
  fireEvent.click(list.getAllByRole('button', { name: 'Sign out' })[0]!);
  await hasRows(2);
  expect(askedFor(END).map(({ path }) => path)).toEqual([`${PATHS.sessions}/${others[0]?.id}`]);
  await press('Sign out everywhere else', 'button', list);
  expect(askedFor(END_OTHERS)).toEqual([]);
  await press('Yes, Sign Out');
  await hasRows(1);
  expect(list.queryByRole('button', { name: 'Sign out everywhere else' })).toBeNull();
});

test('deletes a folder after a confirmation', async () => {
  const [kept, unwanted] = [listedFolder(MIKA), listedFolder(MIKA, { name: 'Not wanted', slug: 'Cx7kQ2mN9pR4sT6v' })];
  const DELETE = `POST ${PATHS.rpc}/delete_folder_complete`;
  await openPage('/profile', {
    ...accountOf(MIKA),
    [`GET ${PATHS.folders}?owner=me`]: () => Response.json(askedFor(DELETE).length > 0 ? [kept] : [kept, unwanted]),
    [DELETE]: 204,
  });
  const region = within(await screen.findByRole('region', { name: 'My Folders (2)' }));
  const row = within((await region.findByText('Not wanted')).closest('li')!);
  await press('Delete', 'button', row);
  await press('Cancel');
  expect(askedFor(DELETE)).toEqual([]);
  await press('Delete', 'button', row);
  await press('Yes, Delete Forever');
  await waitFor(() => expect(screen.queryByText('Not wanted')).toBeNull());
  expect(askedFor(DELETE).map(({ body }) => body)).toEqual([expect.objectContaining({ folder_id: unwanted.id })]);
  await screen.findByRole('heading', { name: 'My Folders (1)' });
});

test('erases nothing without the word', async () => {
  await openPage('/profile', accountOf(MIKA));
  await press('Erase my data');
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Erase everything?' }));
  await dialog.findByText('every folder key on this device');
  const yes = dialog.getByRole<HTMLButtonElement>('button', { name: 'Yes, Erase Everything' });
  expect(yes.disabled).toBe(true);
  fireEvent.change(dialog.getByLabelText('Type ERASE to confirm'), { target: { value: 'ERAS' } });
  fireEvent.click(yes);
  fireEvent.keyDown(document.activeElement!, { key: 'Escape' });
  expect(askedFor(`DELETE ${PATHS.profileMe}`)).toEqual([]);
});
