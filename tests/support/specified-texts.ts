import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { missingBelow, type Specified, type State, specifiedOf, wantedOf } from '../../apps/web/test/found-texts.ts';

type Where = Page | Locator;

/** A text that no action of a person causes. */
export interface Unreachable {
  readonly text: string;
  readonly why: string;
  /** The test that pins the text, and the text there. */
  readonly assertedIn: string;
  readonly as: string;
}

const ROOT = join(import.meta.dirname, '../..');
/** The texts that are neither visible nor read out there. */
export function missingTexts(where: Where, texts: readonly Specified[]): Promise<string[]> {
  const top = 'goto' in where ? where.locator('body') : where;
  return top.evaluate(missingBelow, wantedOf(texts));
}

/** Waits until every text is visible or read out there. */
async function sees(where: Where, texts: readonly Specified[]): Promise<void> {
  await expect.poll(() => missingTexts(where, texts), { interval: 100 }).toEqual([]);
}

export interface Area {
  /** Every text of this area, in the specification's order. */
  readonly specified: readonly string[];
  readonly states: readonly State<Where>[];
  readonly unreachable?: readonly Unreachable[];
}

/** One test a state, one for each text without a state, and one that checks that no text of the area is missing. */
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

/** Holds requests to a route until the gate is opened. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
}
