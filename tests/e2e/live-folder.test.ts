import { PATHS } from '@satchel/contract/paths';
import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';
import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { card, newVisitor, signInAs } from '../support/browser.ts';
import { ASKS_AGAIN, createFolderAs, listFiles } from '../support/people.ts';
import { test } from '../support/shared.ts';

/** An open page shows what changes in its folder, by one connection for all tabs of a browser (docs/decisions/027). */

const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('The ferry leaves at nine.') });

test('files that arrive and go, settings and the deletion show in every open tab, which share one connection', async ({
  place: { site, browser },
}) => {
  const mika = await signInAs((await newVisitor(browser)).page, site.url, 'mika');
  const made = await createFolderAs(mika, site, { name: 'Saturday raid', files: [file('first.txt')] });
  const { id: folderId, bucket_storage_path: prefix } = made.folder;

  const visitor = await newVisitor(browser);
  let streams = 0;
  let atOnce = 0;
  let mostAtOnce = 0;
  const isStream = (request: Request) => request.url().endsWith(CHANGES_PATH);
  const onEnd = (request: Request) => {
    if (isStream(request)) atOnce -= 1;
  };
  visitor.context.on('request', (request) => {
    if (!isStream(request)) return;
    streams += 1;
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
  });
  visitor.context.on('requestfinished', onEnd);
  visitor.context.on('requestfailed', onEnd);
  const following = visitor.context.waitForEvent('response', (response) => response.url().endsWith(CHANGES_PATH));
  const second = await visitor.context.newPage();
  const tabs = [visitor.page, second];
  for (const page of tabs) {
    await page.goto(made.link());
    await card(page, 'first.txt').waitFor();
  }
  await following;
  const everywhere = (see: (page: Page) => Promise<unknown>) => Promise.all(tabs.map(see));

  await made.add(file('second.txt'));
  await everywhere((page) => card(page, 'second.txt').waitFor());
  await mika.rpc('update_folder_settings', { folder_id: folderId, new_name: 'Sunday raid' });
  await everywhere((page) => page.getByRole('heading', { name: 'Sunday raid' }).waitFor());
  const [first] = (await listFiles(mika, prefix)).toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  const bearer = { authorization: `Bearer ${mika.token}` };
  await mika.call('DELETE', `${PATHS.object}/unlocked-folders`, { prefixes: [`${prefix}/${first?.name}`] }, bearer);
  await everywhere((page) => card(page, 'first.txt').waitFor({ state: 'detached' }));
  expect(mostAtOnce).toBe(1);
  // A node that is killed costs its clients a reconnect.
  if (!ASKS_AGAIN) expect(streams).toBe(1);
  await mika.rpc('delete_folder_complete', { folder_id: folderId });
  await everywhere((page) => page.getByRole('heading', { name: 'Mika deleted this folder' }).waitFor());

  expect(visitor.problems().filter((problem) => !/404|410/.test(problem))).toEqual([]);
});
