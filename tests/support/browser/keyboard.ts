import type { Page } from 'playwright-core';

/** Name and role of the focused element. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement | null;
    if (!element || element === document.body) return '';
    const labelled = element
      .getAttribute('aria-labelledby')
      ?.split(/\s+/)
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' ');
    const labels = (element as HTMLInputElement).labels;
    const name = labelled || element.getAttribute('aria-label') || labels?.[0]?.textContent || element.innerText || '';
    return name.replace(/\s+/g, ' ').trim();
  });
}

/** Presses Tab until an element of that name has the focus. */
export async function tabTo(page: Page, name: string | RegExp, { key = 'Tab', presses = 60 } = {}): Promise<void> {
  const seen: string[] = [];
  const matches = (text: string) => (typeof name === 'string' ? text === name : name.test(text));
  for (let press = 0; press < presses; press++) {
    const current = await focused(page);
    if (matches(current)) return;
    seen.push(current);
    await page.keyboard.press(key);
  }
  throw new Error(`${name} was not reached by ${key}; the focus went: ${seen.join(' → ')}`);
}
