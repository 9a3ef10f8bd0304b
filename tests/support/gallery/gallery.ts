import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { axeViolations } from './axe.ts';
import { pageTexts, switchLanguage } from './page-texts.ts';
import { smallTargets } from './touch-targets.ts';

/** Screenshots of the real app in its looks, and the faults of each. */

const ALL_LOOKS = [
  { name: 'desktop.dark', theme: 'dark', width: 1440 },
  { name: 'mobile.light', theme: 'light', width: 390 },
  { name: 'desktop.light', theme: 'light', width: 1440 },
  { name: 'mobile.dark', theme: 'dark', width: 390 },
] as const;
/**
 * `npm run gallery` takes all four and keeps their pictures. Among other tests each state has one look, the next state
 * the next look, and the pictures are not reviewed.
 */
export const IS_WHOLE = process.env.GALLERY_LOOKS === 'all';
const looksFor = (count: number) => (IS_WHOLE ? ALL_LOOKS : [ALL_LOOKS[count % ALL_LOOKS.length]!]);
const HEIGHT = 900;
const ENDLESS_PX = 20_000;

/** Pages that are phones now: fingers instead of a mouse, and a phone's window. */
const phones = new WeakSet<Page>();
/** What made them so. It stays: with the end of a DevTools session Chromium takes every page of the process for online again. */
const sessions = new WeakMap<Page, CDPSession>();

/** A window of this size on the same device. */
async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  if (!phones.has(page)) return;
  const metrics = { ...size, deviceScaleFactor: 1, mobile: true };
  await sessions.get(page)?.send('Emulation.setDeviceMetricsOverride', metrics);
}

/** Switches an open page between phone and desktop: Playwright sets that for a whole context only. */
async function becomePhone(page: Page, isPhone: boolean): Promise<void> {
  if (phones.has(page) === isPhone) return;
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  if (!sessions.has(page)) {
    sessions.set(page, session);
    // It ends with its visitor; the next visitor may get the same page.
    session.once('close', () => {
      sessions.delete(page);
      phones.delete(page);
    });
  }
  if (isPhone) phones.add(page);
  else phones.delete(page);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone });
  if (!isPhone) await session.send('Emulation.clearDeviceMetricsOverride');
}

/** At once: else every element fades to its other colour, frame by frame. */
const setTheme = (page: Page, theme: 'dark' | 'light'): Promise<void> =>
  page.evaluate((next) => {
    const still = new CSSStyleSheet();
    still.replaceSync('*, ::before, ::after { transition: none !important }');
    document.adoptedStyleSheets.push(still);
    document.documentElement.dataset.theme = next;
    // What is asked of the layout has the new styles first.
    document.body.getBoundingClientRect();
    document.adoptedStyleSheets.pop();
  }, theme);

/** Two frames: the first handles the new size or language, the second shows it. */
export const settle = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await document.fonts.ready;
    for (const _ of [1, 2]) await new Promise((resolve) => requestAnimationFrame(resolve));
  });

export const tooWide = async (page: Page): Promise<string[]> => {
  const px = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  return px > 0 ? [`${px} px too wide`] : [];
};

/** Takes the least height that comes from the window from the page, or gives it back; returns how high the page is then. */
const setLeastHeight = (page: Page, least: '0' | ''): Promise<number> =>
  page.evaluate((height) => {
    const main = document.querySelector('main');
    if (main) main.style.minHeight = height;
    return document.documentElement.scrollHeight;
  }, least);

/**
 * Takes a picture of the whole page, in a window that is as high: while Chromium captures more than the window, files that are not in
 * view are not there, the page's bar may lie anywhere, and a phone has a mouse. Overlays are as high as the window, so of a covered
 * page the picture is what is in view.
 */
export async function takePicture(page: Page, path: string): Promise<void> {
  const size = page.viewportSize()!;
  const isCovered = (await page.locator('[role=dialog], [role=alertdialog]').count()) > 0;
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  // Nor can a picture show thousands of files.
  if (isCovered || height > ENDLESS_PX) {
    await page.screenshot({ path, animations: 'disabled' });
    return;
  }
  const atPx = await page.evaluate(() => scrollY);
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  // What comes into view may make the page higher once more.
  for (const _ of [1, 2]) {
    await resize(page, { ...size, height: Math.max(size.height, await setLeastHeight(page, '0')) });
    await settle(page);
  }
  // A state that fills its window grows with it, and is as high as it is seen in the window that a person has.
  const isWhole = await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight);
  if (!isWhole) await resize(page, size);
  await page.screenshot({ path, fullPage: !isWhole, animations: 'disabled' });
  await setLeastHeight(page, '');
  if (isWhole) await resize(page, size);
  await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), atPx);
}

/** Texts that are equal in English and German although translated, or that need no translation. */
const SAME =
  /^(Satchel|Discord|Info|Server|Link|Name|Passphrase|API|Esc|Download|Downloads|Uploads|Videos|Text|Video|Audio|PDF|Deutsch|English|Français|Español|Status|\/\w+|[a-z]+\/[\w.+-]+|([\d.,:%\s×·–-]|Bytes|KB|MB|GB|d|h|m|s|B)+)$/u;

/**
 * Finds untranslated texts: they stay the same in another language, and are not data.
 * @param data texts of the test itself: names of folders, files and people, links; parts of them count, too
 * @returns searches a page; in `npm test` it skips a state if it found all texts of that state translated before
 */
function untranslatedTexts(data: readonly string[]): (page: Page) => Promise<string[]> {
  const translated = new Set<string>();
  const isData = (text: string) => data.some((known) => known.includes(text.replace(/ · Satchel$/, '')));
  const isText = (text: string) => /\p{L}{2}/u.test(text) && !SAME.test(text) && !isData(text);
  return async (page) => {
    const english = (await pageTexts(page)).filter(isText);
    if (!IS_WHOLE && english.every((text) => translated.has(text))) return [];
    await switchLanguage(page, 'de');
    await settle(page);
    const german = new Set(await pageTexts(page));
    await switchLanguage(page, 'en');
    for (const text of english) if (!german.has(text)) translated.add(text);
    return english.filter((text) => german.has(text)).map((text) => `untranslated: ${text}`);
  };
}

export interface Gallery {
  /** Takes the pictures of the page in its present state, and returns its faults. */
  look(page: Page, name: string): Promise<string[]>;
}

/**
 * @param dir for the pictures; emptied first
 * @param data texts of the test itself, the same in every language
 */
export async function openGallery(dir: string, data: readonly string[]): Promise<Gallery> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const untranslated = untranslatedTexts(data);
  let count = 0;

  async function lookAs(page: Page, name: string, look: (typeof ALL_LOOKS)[number]): Promise<string[]> {
    const isPhone = look.width < 640;
    await becomePhone(page, isPhone);
    await resize(page, { width: look.width, height: HEIGHT });
    await setTheme(page, look.theme);
    await settle(page);
    const faults = [
      ...(await axeViolations(page)),
      ...(await tooWide(page)),
      ...(isPhone ? await smallTargets(page) : []),
    ];
    if (IS_WHOLE) await takePicture(page, join(dir, `${name}.${look.name}.png`));
    return faults.map((fault) => `${name} (${look.name}): ${fault}`);
  }

  return {
    async look(page, name) {
      const size = page.viewportSize()!;
      const faults: string[] = [];
      for (const look of looksFor(count++)) faults.push(...(await lookAs(page, name, look)));
      // The device is given back: the tour's next steps need it. The next state sets its own theme.
      await becomePhone(page, false);
      if (page.viewportSize()!.width !== size.width) {
        await page.setViewportSize(size);
        await settle(page);
      }
      return [...faults, ...(await untranslated(page)).map((fault) => `${name}: ${fault}`)];
    },
  };
}
