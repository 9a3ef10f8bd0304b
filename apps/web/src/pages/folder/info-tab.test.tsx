// @vitest-environment happy-dom
import type { FolderAnalytics } from '@satchel/contract/api';
import type { User } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { accountOf, folderData, hoursFromNow, JONAS, MIKA, NO_VISITS } from '../../../test/answers.ts';
import { type Answer, askedFor, openPage, press } from '../../../test/page.tsx';

/** The Info tab with a folder's figures. That visits and downloads are counted is tests/e2e/activity.test.ts. */

const FIGURES = `POST ${PATHS.rpc}/get_folder_analytics`;
const raid = folderData(MIKA);

const visited = (isYou = false): FolderAnalytics => ({
  total_views: 2,
  total_downloads: 3,
  unique_visitors: 2,
  activity: [
    { hour: hoursFromNow(-1), views: 2, downloads: 0 },
    { hour: hoursFromNow(0), views: 0, downloads: 3 },
  ],
  recent: [
    {
      profile_id: JONAS.id,
      name: 'Jonas',
      username: 'jonas.sandbox',
      avatar_url: null,
      is_you: isYou,
      last_viewed_at: hoursFromNow(0),
      downloads: 1,
    },
  ],
});

const open = (who: User, figures: Answer) =>
  openPage(`/f/${raid.folder_slug}?tab=info`, {
    ...accountOf(who),
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: raid,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.list}/`]: [],
    [FIGURES]: figures,
  });

/** Views, downloads and visitors. */
async function shows(...figures: string[]) {
  const region = await screen.findByRole('region', { name: 'Folder Statistics' });
  const texts = () => Array.from(region.querySelectorAll('dd'), ({ textContent }) => textContent).slice(0, 3);
  await waitFor(() => expect(texts()).toEqual(figures));
}
const recent = async () => within(await screen.findByRole('region', { name: 'Recent Activity' }));

test('a folder without visits says so', async () => {
  await open(MIKA, NO_VISITS);
  await screen.findByText('No visits yet');
  await shows('0', '0', '0');
});

test('the figures are asked for again every ten seconds, while the tab is open', async () => {
  vi.useFakeTimers({
    toFake: ['Date', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'],
    shouldAdvanceTime: true,
  });
  let figures = NO_VISITS;
  await open(MIKA, () => Response.json(figures));
  await shows('0', '0', '0');
  figures = visited();
  const asked = askedFor(FIGURES).length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(askedFor(FIGURES).length).toBeGreaterThan(asked);
  await shows('2', '3', '2');
});

test('the owner sees who came, and reads the chart by arrow keys, or as a table', async () => {
  await open(MIKA, visited());
  const [row, ...others] = (await recent()).getAllByRole('listitem');
  expect(row?.textContent).toMatch(/Jonas.*jonas\.sandbox.*1 download/);
  expect(others).toEqual([]);
  const chart = screen.getByRole('slider', { name: /Activity over time/ });
  const read = ['Home', 'ArrowRight'].map((key) => {
    fireEvent.keyDown(chart, { key });
    return chart.getAttribute('aria-valuetext');
  });
  expect(read).toEqual([
    expect.stringMatching(/2 views, 0 downloads$/),
    expect.stringMatching(/0 views, 3 downloads$/),
  ]);
  await press('Show table');
  const table = await screen.findByRole('region', { name: 'Activity table' });
  const cells = Array.from(table.querySelectorAll('td'), ({ textContent }) => Number(textContent));
  expect(cells.reduce((sum, figure) => sum + figure, 0)).toBe(5);
  await press('Show chart');
  await screen.findByRole('slider', { name: /Activity over time/ });
});

test('a viewer sees the totals and themselves', async () => {
  await open(JONAS, visited(true));
  await shows('2', '3', '2');
  (await recent()).getByText('You');
});

test('figures that fail to load say so, and load again on request', async () => {
  let isUp = false;
  await open(JONAS, () => (isUp ? Response.json(visited(true)) : new Response('{}', { status: 500 })));
  await screen.findByText('The folder’s activity could not be loaded.');
  isUp = true;
  await press('Try Again');
  (await recent()).getByText('You');
  expect(askedFor(FIGURES).length).toBeGreaterThan(1);
});
