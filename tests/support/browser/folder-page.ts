import type { Page } from 'playwright-core';

/** People's actions on a folder's page. */

const withoutFragment = (url: string): string => url.replace(/#.*/, '');

/**
 * Goes to an address as a new visit, also when only its fragment differs: then it leaves the page first, for one of the
 * site that is next to nothing. A blank page would need a process of its own, and the next page another.
 */
export async function visit(page: Page, url: string): Promise<void> {
  if (withoutFragment(page.url()) === withoutFragment(url)) await page.goto(new URL('/healthz', url).href);
  await page.goto(url);
}

/** A file's card. */
export const card = (page: Page, fileName: string) =>
  page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: fileName });
