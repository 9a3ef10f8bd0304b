// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { accountOf, hoursFromNow, listedFolder, MIKA, profileOf, refusal } from '../../test/answers.ts';
import { openPage, press } from '../../test/page.tsx';

/** The profile, by what the account has; that it is Discord’s and the server’s is tests/e2e/profile.test.ts. */

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
