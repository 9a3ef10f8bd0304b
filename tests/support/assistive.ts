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

/** Announcements of a page to screen readers: its live regions, in the order of their changes. */
export interface Hearing {
  /** Announcements since the last call, each as `polite: …` or `assertive: …`. */
  heard(): Promise<string[]>;
  /** The same, added up over the calls of the function that it returns: for a poll until all have come. */
  gathering(): () => Promise<string[]>;
}

/** Runs in every page, before its own scripts. */
function listen(): void {
  const said: string[] = [];
  const last = new WeakMap<Element, string>();
  Object.assign(globalThis, { heard: said });
  const hear = ({ target }: MutationRecord) => {
    const element = target instanceof Element ? target : target.parentElement;
    const region = element?.closest('[aria-live]');
    const text = region?.textContent?.trim() ?? '';
    if (!region || last.get(region) === text) return;
    last.set(region, text);
    if (text) said.push(`${region.getAttribute('aria-live')}: ${text}`);
  };
  new MutationObserver((records) => records.forEach(hear)).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
  });
}

/** Starts to listen to a page that is not open yet. */
export async function listenTo(page: Page): Promise<Hearing> {
  await page.addInitScript(listen);
  const heard = () => page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard.splice(0));
  return {
    heard,
    gathering() {
      const all: string[] = [];
      return async () => {
        all.push(...(await heard()));
        return [...all];
      };
    },
  };
}
