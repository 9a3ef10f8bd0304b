import { PATHS } from '@satchel/contract/paths';
import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { newVisitor, signInAs } from '../support/browser/browser.ts';
import { card } from '../support/browser/folder-page.ts';
import { test } from '../support/browser/shared.ts';
import { createFolderAs, listFiles } from '../support/people/made-folders.ts';

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
  visitor.context.on('request', (request) => {
    if (request.url().endsWith(CHANGES_PATH)) streams += 1;
  });
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
  expect(streams).toBe(1);
  await mika.rpc('delete_folder_complete', { folder_id: folderId });
  await everywhere((page) => page.getByRole('heading', { name: 'Folder Not Found' }).waitFor());

  expect(visitor.problems().filter((problem) => !/404|410/.test(problem))).toEqual([]);
});
