import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';

/** The specification's texts in the states where they belong, as the page words them. */

/** A state of the app, and its texts. */
export interface State {
  readonly name: string;
  readonly texts: readonly (string | RegExp)[];
  /** Reaches the state; returns the page, or the part of it that has the texts. */
  readonly reach: () => Promise<Element>;
}

/**
 * A text is there if an element, a text node or a label equals it, visible or read out.
 * @returns the missing texts
 */
export function missingBelow(top: Element, wanted: readonly (string | RegExp)[]): (string | RegExp)[] {
  const plain = (text: string | null | undefined) => text?.replace(/\s+/g, ' ').trim() ?? '';
  const found = new Set<string>();
  for (const element of [top, ...top.querySelectorAll('*')]) {
    if (element.closest('script, style, [hidden]') || !element.checkVisibility({ visibilityProperty: true })) continue;
    found.add(plain(element.textContent));
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) found.add(plain(node.textContent));
    for (const name of ['aria-label', 'placeholder', 'title']) found.add(plain(element.getAttribute(name)));
  }
  return wanted.filter(
    (text) => !(typeof text === 'string' ? found.has(text) : [...found].some((one) => text.test(one))),
  );
}

export function testTexts(states: readonly State[]): void {
  test.each(states)('$name', async ({ reach, texts }) => {
    const where = await reach();
    await waitFor(() => expect(missingBelow(where, texts)).toEqual([]));
  });
}
