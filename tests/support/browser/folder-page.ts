import type { Page, Response } from 'playwright-core';
import { isLost } from '../people/lost-answers.ts';

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

const STILLS_STORED_MS = 90_000;

/**
 * Begins to count the stills that a page stores after its uploads: until they are there, a visitor's page opens the files
 * themselves, which a test could not foresee.
 * @returns what to wait for once the files are uploaded; it rejects where they don't come
 */
export function stillsStored(page: Page, count: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let stored = 0;
  const tooLate = () => reject(new Error(`the page has stored ${stored} stills of ${count}`));
  const timer = setTimeout(tooLate, STILLS_STORED_MS);
  const hear = async (response: Response) => {
    if (response.request().method() !== 'PUT' || !response.url().includes('/storage/v1/still/')) return;
    // The page sends lost stills again.
    if (isLost(response.status())) return;
    try {
      stored += ((await response.json()) as { stored: string[] }).stored.length;
      if (stored >= count) resolve();
    } catch (error) {
      reject(error);
    }
  };
  page.on('response', hear);
  if (count === 0) resolve();
  const end = () => {
    clearTimeout(timer);
    page.off('response', hear);
  };
  promise.then(end, end);
  return promise;
}

/** A file's card. */
export const card = (page: Page, fileName: string) =>
  page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').filter({ hasText: fileName });
