import { expect, test } from 'vitest';
import { passphraseStrength } from './passphrase-strength.ts';

test.each([
  ['', 'weak'],
  ['raid', 'weak'],
  ['password1', 'weak'],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['abcdefghijklmnopqrstuvwxyz', 'weak'],
  ['1234567890123', 'weak'],
  ['abababababababababab', 'weak'],
  ['blue heron walks', 'fair'],
  ['7#kQ!w9$z', 'fair'],
  ['correct horse battery staple', 'strong'],
  ['vier grüne Wolken über Bamberg', 'strong'],
])('%j is %s', (passphrase, strength) => {
  expect(passphraseStrength(passphrase)).toBe(strength);
});

test('a longer passphrase is never easier to guess', () => {
  const text = 'moss lantern orbit quill';
  const order = ['weak', 'fair', 'strong'];
  const levels = Array.from(text, (_, at) => order.indexOf(passphraseStrength(text.slice(0, at + 1))));
  expect(levels).toEqual(levels.toSorted());
});
