import type { Page } from 'playwright-core';

/** Every text that a person can see or hear on the page as it stands and that is somebody's to translate, each once. */
export function pageTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = new Set<string>([document.title]);
    const add = (text: string | null | undefined) => {
      const plain = text?.replace(/\s+/g, ' ').trim();
      if (plain) found.add(plain);
    };
    // What is clipped away is still read out; what is not displayed is neither seen nor heard. What the live regions have
    // said is over, and stays in the language in which it was said.
    const isThere = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (
        parent &&
        !parent.closest('script, style, noscript, [translate="no"], [aria-live].sr-only') &&
        isThere(parent)
      )
        add(node.textContent);
    }
    for (const name of ['aria-label', 'aria-description', 'aria-valuetext', 'placeholder', 'title', 'alt']) {
      for (const element of document.querySelectorAll(`[${name}]`)) {
        if (isThere(element)) add(element.getAttribute(name));
      }
    }
    return [...found];
  });
}

/**
 * Switches the page's language as another tab would, without a reload, so that what is open stays open.
 * @param language tag of the language, such as `de`
 */
export async function switchLanguage(page: Page, language: string): Promise<void> {
  await page.evaluate(
    (newValue) => dispatchEvent(new StorageEvent('storage', { key: 'language', newValue })),
    language,
  );
  await page.waitForFunction((lang) => document.documentElement.lang === lang, language);
}
