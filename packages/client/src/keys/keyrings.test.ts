import { importKeyring, newKeyring } from '@satchel/container/keyring';
import { expect, test } from 'vitest';
import { includesRing, isSameRing, joinRings, withHeldKeys } from './keyrings.ts';

const one = newKeyring({ hidesNames: true });
const two = { ...one, keys: [...one.keys, ...newKeyring({ hidesNames: true }).keys] };
const other = newKeyring({ hidesNames: true });

test('a later ring has the keys of an earlier one, and not the other way round', () => {
  expect([includesRing(two, one), includesRing(one, two), includesRing(other, one)]).toEqual([true, false, false]);
  expect(includesRing({ ...two, keys: two.keys.toReversed() }, two)).toBe(true);
});

test('rings are the same with the same keys in the same order, and the same flags', () => {
  expect(isSameRing(two, structuredClone(two))).toBe(true);
  for (const ring of [null, one, { ...two, keys: two.keys.toReversed() }, { ...two, hidesNames: false }]) {
    expect(isSameRing(ring, two)).toBe(false);
  }
});

test('the server’s ring adds later keys to the device’s own, and changes none of it', () => {
  expect(joinRings(one, two)).toEqual(two);
  expect(joinRings(two, one)).toEqual(two);
  expect(joinRings(one, null)).toEqual(one);
  expect(joinRings(one, { ...other, hidesNames: false })).toEqual({ ...one, keys: [...one.keys, ...other.keys] });
});

test('a ring that got another key keeps the imported keys that it had, newest first', async () => {
  const [first, both] = await Promise.all([importKeyring(one), importKeyring(two)]);
  const grown = withHeldKeys(both, two, { ring: one, imported: first });
  expect(grown.keys).toHaveLength(2);
  expect(grown.keys[0]).toBe(both.keys[0]);
  expect(grown.keys[1]).toBe(first.keys[0]);
  expect(withHeldKeys(first, one, { ring: two, imported: grown }).keys[0]).toBe(first.keys[0]);
  const others = await importKeyring(other);
  expect(withHeldKeys(others, other, { ring: two, imported: grown }).keys[0]).toBe(others.keys[0]);
});
