import { SHARE_TARGET_PATH } from '@satchel/contract/paths';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { newVisitor, signInAs } from '../support/browser.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { test } from '../support/shared.ts';

/** Files that another app shares with the installed site (public/manifest.webmanifest). */

/** What Android does: a navigation that posts a form, which no page of the site may do. */
async function share(page: Page, siteUrl: string, name: string): Promise<void> {
  await page.goto('about:blank');
  await page.evaluate(
    ([address, fileName]) => {
      const form = document.createElement('form');
      Object.assign(form, { action: address, method: 'post', enctype: 'multipart/form-data' });
      const input = document.createElement('input');
      Object.assign(input, { type: 'file', name: 'files', multiple: true });
      const files = new DataTransfer();
      files.items.add(new File(['shared by another app'.repeat(100_000)], fileName, { type: 'text/plain' }));
      input.files = files.files;
      form.append(input);
      document.body.append(form);
      form.submit();
    },
    [`${siteUrl}${SHARE_TARGET_PATH}`, name] as const,
  );
  await page.waitForURL(/\/upload\?shared=/);
}

test('a share is refused unread until the service worker is there, which then hands it to the page for a new folder', async ({
  place: { site, browser },
}) => {
  const { page, problems, close } = await newVisitor(browser);
  await signInAs(page, site.url, 'jonas');
  await share(page, site.url, 'first.txt');
  await page.getByRole('status').filter({ hasText: 'The device is ready now: share the files once more' }).waitFor();
  expect(new URL(page.url()).search).toBe('?shared=unread');
  expect(await axeViolations(page)).toEqual([]);

  await share(page, site.url, 'second.txt');
  await page.getByRole('list', { name: 'Files to upload' }).getByText('second.txt').waitFor();
  await page.getByText('1 file selected').waitFor();
  // The share is handed out once.
  await page.reload();
  await page.getByText('The files that you shared are no longer here.').waitFor();
  expect(problems()).toEqual([]);
  await close();
});
