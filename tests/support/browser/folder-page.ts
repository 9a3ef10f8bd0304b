import type { Page } from 'playwright-core';

/** What people do with the page of a folder. */

/** Goes to an address as a new visit, also when only its fragment or search differ. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(url);
}

/** A file's card. */
export const card = (page: Page, fileName: string) =>
  page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: fileName });
