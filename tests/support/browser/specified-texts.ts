import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import type { Visitor } from './browser.ts';

/** A text of the specification, and how it stands on the page where that is not word for word, with its figures filled in. */
export type Specified = string | readonly [specified: string, shown: string | RegExp];

/** A state of the app, and the texts that belong there. */
export interface State {
  readonly name: string;
  readonly texts: readonly Specified[];
  /** Brings about the state; gives the page, or the part of it, that has the texts. */
  readonly reach: () => Promise<Page | Locator>;
}

/** A text that nothing a person does brings about. */
export interface Unreachable {
  readonly text: string;
  readonly why: string;
  /** The test that holds the text to its letters, and the text there. */
  readonly assertedIn: string;
  readonly as: string;
}

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const specifiedOf = (text: Specified): string => (typeof text === 'string' ? text : text[0]);
const shownOf = (text: Specified): string | RegExp => (typeof text === 'string' ? text : text[1]);

/**
 * Runs in the page. A text is there when an element, a piece of text or a label is just that, seen or heard.
 * @returns those that are not there
 */
function missingBelow(top: Element, wanted: readonly { text: string; isPattern: boolean }[]): string[] {
  const plain = (text: string | null | undefined) => text?.replace(/\s+/g, ' ').trim() ?? '';
  const found = new Set<string>();
  for (const element of [top, ...top.querySelectorAll('*')]) {
    if (element.closest('script, style') || !element.checkVisibility({ visibilityProperty: true })) continue;
    found.add(plain(element.textContent));
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) found.add(plain(node.textContent));
    for (const name of ['aria-label', 'placeholder', 'title']) found.add(plain(element.getAttribute(name)));
  }
  const isThere = ({ text, isPattern }: { text: string; isPattern: boolean }) =>
    isPattern ? [...found].some((one) => new RegExp(text).test(one)) : found.has(text);
  return wanted.filter((one) => !isThere(one)).map(({ text }) => text);
}

/** Those of the texts that can neither be seen nor heard there. */
export function missingTexts(where: Page | Locator, texts: readonly Specified[]): Promise<string[]> {
  const top = 'goto' in where ? where.locator('body') : where;
  const wanted = texts.map(shownOf).map((text) => {
    const isPattern = text instanceof RegExp;
    return { text: isPattern ? text.source : text, isPattern };
  });
  return top.evaluate(missingBelow, wanted, { timeout: 5000 });
}

/** Waits until every text can be seen or heard there. */
async function sees(where: Page | Locator, texts: readonly Specified[]): Promise<void> {
  await expect.poll(() => missingTexts(where, texts), { timeout: 40_000, interval: 100 }).toEqual([]);
}

export interface Area {
  /** Every text of this area, in the specification's order. */
  readonly specified: readonly string[];
  readonly states: readonly State[];
  readonly unreachable?: readonly Unreachable[];
}

/** A test for each state, one for each text that has none, and one that no text of the area is left out. */
export function testTexts({ specified, states, unreachable = [] }: Area): void {
  test.each(states)('$name', async ({ reach, texts }) => sees(await reach(), texts));

  test.each(unreachable)('“$text” has no state: $why', async ({ assertedIn, as }) => {
    expect(await readFile(join(ROOT, assertedIn), 'utf8')).toContain(as);
  });

  test('every text of the specification has its state, or a reason why it has none', () => {
    const declared = [...states.flatMap(({ texts }) => texts.map(specifiedOf)), ...unreachable.map(({ text }) => text)];
    expect(specified.filter((text) => !declared.includes(text))).toEqual([]);
    expect(declared.filter((text) => !specified.includes(text))).toEqual([]);
  });
}

/** Visitors that one test needs: closed after it, and none may have met an error that the test does not allow. */
export function eachWith(newOne: () => Promise<Visitor>): () => Promise<Visitor> {
  const here: Visitor[] = [];
  afterEach(async () => {
    const left = here.splice(0);
    const problems = left.flatMap((visitor) => visitor.problems());
    await Promise.all(left.map((visitor) => visitor.close()));
    expect(problems).toEqual([]);
  });
  return async () => {
    const visitor = await newOne();
    here.push(visitor);
    return visitor;
  };
}

/** A gate in front of a route: requests wait until it is opened. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
}
