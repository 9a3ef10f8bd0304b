import type { Page } from 'playwright-core';

/** Does something with the page in the colours that Windows' high contrast forces on it. */
export async function inForcedColours<Done>(page: Page, act: (page: Page) => Promise<Done>): Promise<Done> {
  await page.emulateMedia({ forcedColors: 'active' });
  try {
    return await act(page);
  } finally {
    await page.emulateMedia({ forcedColors: 'none' });
  }
}

/**
 * Texts that forced colours make unreadable or ugly, a line each: behind text the browser draws a box in the page's colour, which on
 * another ground covers that ground; where the browser leaves the colours alone, text may have the colour of its ground.
 */
export const coveredTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.background = 'Canvas';
    const canvas = getComputedStyle(probe).backgroundColor;
    probe.remove();
    const isClear = (colour: string) => /, 0\)$/.test(colour);
    const opaque = (colour: string) => colour.match(/\d+/g)?.slice(0, 3).join();
    function groundOf(element: Element | null): string {
      for (let at = element; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        if (!isClear(backgroundColor)) return backgroundColor;
      }
      return canvas;
    }
    const hasText = ({ childNodes }: Element) =>
      [...childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\S/.test(node.nodeValue ?? ''));
    return [...document.querySelectorAll<HTMLElement>('body *')].flatMap((element) => {
      if (!hasText(element) || !element.checkVisibility({ visibilityProperty: true }) || element.offsetWidth <= 1)
        return [];
      const { color, forcedColorAdjust } = getComputedStyle(element) as CSSStyleDeclaration & {
        forcedColorAdjust: string;
      };
      const ground = groundOf(element);
      const isLeftAlone = forcedColorAdjust === 'none';
      const isCovered = (opaque(ground) === opaque(isLeftAlone ? color : canvas)) === isLeftAlone;
      return isCovered ? [`covered: ${element.textContent?.trim().slice(0, 40)} (${color} on ${ground})`] : [];
    });
  });
