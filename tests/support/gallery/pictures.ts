import type { Page } from 'playwright-core';

/** Pictures of whole pages, and whether they or what they say are too wide. */

const ENDLESS_PX = 20_000;

/** Two frames: the first handles the new size or language, the second shows it. */
export const settle = (page: Pick<Page, 'evaluate'>): Promise<void> =>
  page.evaluate(async () => {
    await document.fonts.ready;
    for (const _ of [1, 2]) await new Promise((resolve) => requestAnimationFrame(resolve));
  });

export const tooWide = async (page: Pick<Page, 'evaluate'>): Promise<string[]> => {
  const px = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  return px > 0 ? [`${px} px too wide`] : [];
};

/**
 * Texts of controls and headings that their boxes cut, a line each. Links and names of people may be cut, and what cards say: they are
 * elsewhere in full. A screen reader's texts are clipped on purpose.
 */
export const cutTexts = (page: Pick<Page, 'evaluate'>): Promise<string[]> =>
  page.evaluate(() => {
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
    await page.setViewportSize({ ...size, height: Math.max(size.height, await setLeastHeight(page, '0')) });
    await settle(page);
  }
  // A state that fills its window grows with it, and is as high as it is seen in the window that a person has.
  const isWhole = await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight);
  if (!isWhole) await page.setViewportSize(size);
  await page.screenshot({ path, fullPage: !isWhole, animations: 'disabled' });
  await setLeastHeight(page, '');
  if (isWhole) await page.setViewportSize(size);
  await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), atPx);
}
