import { join } from 'node:path';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import type { Tab } from '../engines/tab.ts';
import { settle } from './pictures.ts';

/** How states are looked at: each in one look, the next state in the next; with GALLERY_LOOKS=all in all four, with pictures. */

export const LOOKS = [
  { name: 'desktop.dark', theme: 'dark', device: 'desktop' },
  { name: 'mobile.light', theme: 'light', device: 'phone' },
  { name: 'desktop.light', theme: 'light', device: 'desktop' },
  { name: 'mobile.dark', theme: 'dark', device: 'phone' },
] as const;
export type Look = (typeof LOOKS)[number];
export const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 900 } };

export const IS_WHOLE = process.env.GALLERY_LOOKS === 'all';
/** Of the state at a place. */
export const looksOf = (place: number): readonly Look[] => (IS_WHOLE ? LOOKS : [LOOKS[place % LOOKS.length]!]);

const PICTURES = process.env.GALLERY_DIR ?? join(import.meta.dirname, '../../../test-results/gallery');
export const pictureOf = (engine: string, state: string, look: string): string =>
  join(PICTURES, engine === 'chromium' ? '' : engine, `${state}.${look}.png`);

/** Opens the page of a state; what it waits for in vain is said. @param problems what the browser has said of the page */
export async function showState(
  page: Pick<Tab, 'goto' | 'evaluate'>,
  address: string,
  problems: () => readonly string[],
): Promise<void> {
  await page.goto(address);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(async () => {
    const awaited = await page.evaluate(() => globalThis.galleryAwaits());
    const said = await page.evaluate(() => document.body.innerText);
    late.reject(new Error([`${awaited} did not come. The page says:`, said, ...problems()].join('\n')));
  }, WAIT_MS);
  try {
    await Promise.race([page.evaluate(() => globalThis.galleryShown), late.promise]);
  } finally {
    clearTimeout(timer);
  }
  await settle(page);
}
