import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { newVisitor, type Visitor } from '../support/browser.ts';
import { axeViolations } from '../support/gallery/axe.ts';
import { switchLanguage } from '../support/gallery/page-texts.ts';
import { settle, takePicture, tooWide } from '../support/gallery/pictures.ts';
import { smallTargets } from '../support/gallery/touch-targets.ts';

/** A person's way through the site on one device, with pictures of each step and the faults that they have. */

const PICTURES = process.env.STORIES_DIR ?? join(import.meta.dirname, '../../test-results/stories');
/**
 * `npm run stories` walks both devices, looks at each step in every theme and language, and keeps the pictures. Other runs
 * walk the phone and look at one theme and language, in turn: tests/journeys walk a desk.
 */
const IS_WHOLE = process.env.STORIES_LOOKS === 'all';
const THEMES = ['dark', 'light'] as const;
const LANGUAGES = ['de', 'fr', 'es'] as const;
const inTurn = <Look>(looks: readonly Look[], count: number): readonly Look[] =>
  IS_WHOLE ? looks : [looks[count % looks.length]!];

export const DEVICES = {
  desk: { width: 1440, height: 900, isPhone: false },
  phone: { width: 390, height: 844, isPhone: true },
} as const;
export type Device = keyof typeof DEVICES;
export const WALKED: readonly Device[] = IS_WHOLE ? ['desk', 'phone'] : ['phone'];

export interface Story {
  readonly visitor: Visitor;
  readonly page: Page;
  readonly isPhone: boolean;
  /** By finger on a phone. */
  press(target: Locator): Promise<void>;
  /** Looks for faults of the page as it is: dark or light, and on a phone in a further language. */
  look(step: string): Promise<void>;
  faults(): readonly string[];
}

/**
 * Texts of controls and headings that their boxes cut, a line each. Links and names of people may be cut, and what cards say: they are
 * elsewhere in full. A screen reader's texts are clipped on purpose.
 */
function clippedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const TEXTS = 'button, a[href], label, legend, h1, h2, h3, dt, th, summary, [role=tab], button span, p';
    const isData = (element: Element) =>
      element.closest('[translate="no"], [role=gridcell], [role=img], .sr-only') !== null;
    const cut = [...document.querySelectorAll<HTMLElement>(TEXTS)].filter((element) => {
      const { display, overflowX } = getComputedStyle(element);
      if (display === 'inline' || isData(element) || !element.checkVisibility({ visibilityProperty: true }))
        return false;
      if (element.clientWidth <= 1 || !element.innerText.trim() || element.innerText.startsWith('http')) return false;
      const isCutBelow = overflowX !== 'visible' && element.scrollHeight > element.clientHeight + 2;
      return element.scrollWidth > element.clientWidth + 1 || isCutBelow;
    });
    return [
      ...new Set(cut.map((element) => `cut: ${element.tagName.toLowerCase()} “${element.innerText.slice(0, 60)}”`)),
    ];
  });
}

/** @param name of the person's pictures */
export async function beginStory(browser: Browser, device: Device, name: string): Promise<Story> {
  const { isPhone } = DEVICES[device];
  const visitor = await newVisitor(browser, DEVICES[device]);
  const { page } = visitor;
  await mkdir(PICTURES, { recursive: true });
  const faults: string[] = [];
  let count = 0;

  async function pictureOf(step: string, look: string): Promise<void> {
    if (IS_WHOLE) await takePicture(page, join(PICTURES, `${name}.${step}.${device}.${look}.png`));
  }
  const found = (step: string, look: string, more: readonly string[]) =>
    faults.push(...more.map((fault) => `${step} (${device}.${look}): ${fault}`));

  return {
    visitor,
    page,
    isPhone,
    press: (target) => (isPhone ? target.tap() : target.click()),
    faults: () => [...faults, ...visitor.problems()],
    async look(given) {
      count += 1;
      const step = `${String(count).padStart(2, '0')}-${given}`;
      const before = await page.evaluate(() => document.documentElement.dataset.theme);
      for (const theme of inTurn(THEMES, count)) {
        await page.evaluate((value) => {
          document.documentElement.dataset.theme = value;
        }, theme);
        await settle(page);
        found(step, theme, [...(await axeViolations(page)), ...(await tooWide(page)), ...(await clippedTexts(page))]);
        if (isPhone) found(step, theme, await smallTargets(page));
        await pictureOf(step, theme);
      }
      await page.evaluate((value) => {
        document.documentElement.dataset.theme = value ?? '';
      }, before);
      if (!isPhone) return;
      for (const language of inTurn(LANGUAGES, count)) {
        await switchLanguage(page, language);
        await settle(page);
        found(step, language, [...(await tooWide(page)), ...(await clippedTexts(page)), ...(await smallTargets(page))]);
        await pictureOf(step, language);
      }
      await switchLanguage(page, 'en');
      await settle(page);
    },
  };
}
