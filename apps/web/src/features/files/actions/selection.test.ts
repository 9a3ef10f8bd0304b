import { describe, expect, test } from 'vitest';
import { among, everything, extended, NO_SELECTION, type Selection, toggled } from './selection.ts';

const ORDER = ['a', 'b', 'c', 'd', 'e'];
const idsOf = ({ ids }: Selection) => [...ids].sort().join('');

test('selecting a file twice deselects it', () => {
  const one = toggled(NO_SELECTION, 'b');
  expect(idsOf(one)).toBe('b');
  expect(idsOf(toggled(toggled(one, 'd'), 'b'))).toBe('d');
});

describe('a range', () => {
  test('spans from the last selected file to this one, forwards and backwards', () => {
    const one = toggled(NO_SELECTION, 'c');
    expect(idsOf(extended(one, ORDER, 'e'))).toBe('cde');
    expect(idsOf(extended(one, ORDER, 'a'))).toBe('abc');
  });

  test('grows and shrinks from its anchor, and keeps the earlier selection', () => {
    const two = toggled(toggled(NO_SELECTION, 'a'), 'c');
    const grown = extended(two, ORDER, 'e');
    expect(idsOf(grown)).toBe('acde');
    expect(idsOf(extended(grown, ORDER, 'd'))).toBe('acd');
  });

  test('begins where the focus was when nothing was selected', () => {
    expect(idsOf(extended(NO_SELECTION, ORDER, 'c', 'b'))).toBe('bc');
  });

  test('without a visible anchor selects that one file; hidden files select nothing', () => {
    const one = toggled(NO_SELECTION, 'gone');
    expect(idsOf(extended({ ...one, ids: new Set(), base: new Set() }, ORDER, 'd'))).toBe('d');
    expect(extended(one, ORDER, 'x')).toBe(one);
  });
});

test('all visible files can be selected, and hidden ones are deselected', () => {
  const all = everything(ORDER);
  expect(idsOf(all)).toBe('abcde');
  expect(among(all, ORDER)).toBe(all);
  expect(idsOf(among(all, ['b', 'd']))).toBe('bd');
  expect(among(NO_SELECTION, [])).toBe(NO_SELECTION);
});
