// @vitest-environment happy-dom
import { SiteStatus } from '@satchel/contract/abuse';
import { PATHS } from '@satchel/contract/paths';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { MIKA, profileOf, refusal, sessionOf } from '../../test/answers.ts';
import { askedFor, openPage, press } from '../../test/page.tsx';

/** The operator's figures of the site, and the pause of new accounts. */

const GIB = 1024 ** 3;
const SITE = `${PATHS.operator}/site`;
const STATUS = SiteStatus.parse({
  profiles: 1234,
  folders: 56,
  files: 789,
  booked_bytes: 3 * GIB,
  storage_bytes: 8 * GIB,
  open_uploads: 2,
  disk: { free_bytes: 20 * GIB, size_bytes: 100 * GIB, kept_free_bytes: GIB / 4 },
  queued_blobs: 0,
  sweep_lag_seconds: 0,
  allowed_guilds: 0,
  allowed_accounts: 0,
  is_closed: false,
});

const openSite = (answers: Parameters<typeof openPage>[1]) =>
  openPage('/operator?tab=site', {
    [`GET ${PATHS.session}`]: sessionOf(MIKA),
    [`GET ${PATHS.profileMe}`]: profileOf(MIKA, { is_operator: true, program: '1.0.0 (commit 2f7ab4829abc, changed)' }),
    [`GET ${PATHS.operator}/reports`]: { reports: [], has_more: false },
    ...answers,
  });

test('the foot of the page names the program and its commit', async () => {
  await openSite({ [`GET ${SITE}`]: STATUS });
  await screen.findByText('Satchel 1.0.0 (commit 2f7ab4829abc, changed)');
});

test('says what the site holds, and its limits', async () => {
  await openSite({ [`GET ${SITE}`]: STATUS });
  await screen.findByText('3.00 GB of 8.00 GB');
  screen.getByText('20.00 GB of 100.00 GB; uploads stop at 256.00 MB');
  screen.getByText('1,234');
  screen.getByText('Anyone with a Discord account.');
  expect(screen.queryByText(/no upload begins/)).toBeNull();
});

test.each([
  [{ booked_bytes: 8 * GIB }, 'The storage of the site is used up: no upload begins until folders expire.'],
  [
    { disk: { free_bytes: 1, size_bytes: GIB, kept_free_bytes: GIB / 4 } },
    'The disk is nearly full: no upload begins until space is free again.',
  ],
])('says why no upload begins (%#)', async (changes, text) => {
  await openSite({ [`GET ${SITE}`]: { ...STATUS, ...changes } });
  const notice = await screen.findByText(text);
  expect(notice.getAttribute('role')).toBe('alert');
});

test.each([
  [{ allowed_guilds: 2 }, 'By the settings: members of certain Discord servers (2).'],
  [{ allowed_accounts: 1 }, 'By the settings: certain accounts (1).'],
  [
    { allowed_guilds: 2, allowed_accounts: 1 },
    'By the settings: members of certain Discord servers (2), and certain accounts (1).',
  ],
])('names only what the settings name of who may sign in (%#)', async (changes, text) => {
  await openSite({ [`GET ${SITE}`]: { ...STATUS, ...changes } });
  await screen.findByText(text);
});

test('pauses new accounts after a question', async () => {
  let isClosed = false;
  await openSite({
    [`GET ${SITE}`]: () => Response.json({ ...STATUS, is_closed: isClosed }),
    [`PUT ${SITE}/closed`]: () => {
      isClosed = true;
      return new Response(null, { status: 204 });
    },
  });
  await press('Pause new accounts');
  await screen.findByText('Pause new accounts?');
  expect(askedFor(`PUT ${SITE}/closed`)).toEqual([]);
  await press('Yes, pause');
  await screen.findByText('New accounts are paused: only people who have one sign in.');
  expect(askedFor(`PUT ${SITE}/closed`).map(({ body }) => body)).toEqual([{ is_closed: true }]);
});

test('can be read again after a failure', async () => {
  let isBack = false;
  await openSite({
    [`GET ${SITE}`]: () => (isBack ? Response.json(STATUS) : refusal(503, 'request.unavailable')()),
  });
  await screen.findByText('Try again in a moment');
  isBack = true;
  await press('Try Again');
  await screen.findByText('3.00 GB of 8.00 GB');
});
