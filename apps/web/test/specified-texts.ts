import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { missingBelow, type State, specifiedOf, wantedOf } from './found-texts.ts';

/** One test a state, and one that checks that no text of the area is missing. */
export function testTexts(specified: readonly string[], states: readonly State<Element>[]): void {
  test.each(states)('$name', async ({ reach, texts }) => {
    const where = await reach();
    await waitFor(() => expect(missingBelow(where, wantedOf(texts))).toEqual([]));
  });

  test('every text of the specification has its state', () => {
    const declared = states.flatMap(({ texts }) => texts.map(specifiedOf));
    expect(specified.filter((text) => !declared.includes(text))).toEqual([]);
    expect(declared.filter((text) => !specified.includes(text))).toEqual([]);
  });
}
