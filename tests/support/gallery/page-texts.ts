import type { Page } from 'playwright-core';

/** Every translatable text of the page, visible or read out, each once. */
export function pageTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = new Set<string>([document.title]);
    const add = (text: string | null | undefined) => {
      const plain = text?.replace(/\s+/g, ' ').trim();
      if (plain) found.add(plain);
    };
    // Clipped text is still read out; undisplayed text is neither visible nor read out. Live regions keep earlier
    // announcements in the language of that time.
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
 * Switches the page's language like another tab, without a reload, so that dialogs stay open.
 * @param language tag of the language, such as `de`
 */
export async function switchLanguage(page: Page, language: string): Promise<void> {
  await page.evaluate(
    (newValue) => dispatchEvent(new StorageEvent('storage', { key: 'language', newValue })),
    language,
  );
  await page.waitForFunction((lang) => document.documentElement.lang === lang, language);
}
