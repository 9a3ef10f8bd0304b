import type { Page } from 'playwright-core';

/**
 * Texts of controls and headings that their boxes cut, a line each. Names of people and files may be cut: they are elsewhere
 * in full. A screen reader's texts are clipped on purpose.
 */
export function clippedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const TEXTS = 'button, a[href], label, legend, h1, h2, h3, dt, th, summary, [role=tab], button span, p';
    const isData = (element: Element) =>
      element.closest('[translate="no"], [data-file], [role=img], .sr-only') !== null;
    const cut = [...document.querySelectorAll<HTMLElement>(TEXTS)].filter((element) => {
      const { display, overflowX } = getComputedStyle(element);
      if (display === 'inline' || isData(element) || !element.checkVisibility({ visibilityProperty: true }))
        return false;
      if (element.clientWidth <= 1 || !element.innerText.trim()) return false;
      const isCutBelow = overflowX !== 'visible' && element.scrollHeight > element.clientHeight + 2;
      return element.scrollWidth > element.clientWidth + 1 || isCutBelow;
    });
    return [
      ...new Set(cut.map((element) => `cut: ${element.tagName.toLowerCase()} “${element.innerText.slice(0, 60)}”`)),
    ];
  });
}
