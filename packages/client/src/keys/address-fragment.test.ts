import { formatKey } from '@satchel/container/key';
import { expect, test } from 'vitest';
import { addressFragment } from './address-fragment.ts';
import { secretFragment } from './folder-link.ts';

const key = new Uint8Array(64).fill(7);
const earlier = new Uint8Array(64).fill(6);
const secret = new Uint8Array(32).fill(9);
const another = new Uint8Array(32).fill(8);
const kept = { ring: { keys: [earlier, key], hidesNames: true }, secret };

test('an address needs no key that this device remembers, as a secret or as it is', () => {
  for (const hash of [
    secretFragment(secret),
    secretFragment(secret).slice(1),
    `#${formatKey(key)}`,
    `#${formatKey(earlier)}.${formatKey(key)}`,
    '',
  ]) {
    expect(addressFragment({ kept, secret, hash })).toBe('');
  }
});

test('it keeps what this device does not remember: another link’s secret, another key, a damaged one, a place', () => {
  const strangers = [secretFragment(another), `#${'ab'.repeat(64)}`, '#k=damaged', '#faq'];
  for (const hash of strangers) expect(addressFragment({ kept, secret, hash })).toBe(hash.slice(1));
  const hash = secretFragment(secret);
  expect(addressFragment({ kept: null, secret, hash })).toBe(hash.slice(1));
});

test('of a key that nothing but this page holds it gets the secret, for a reload', () => {
  const text = secretFragment(secret).slice(1);
  for (const hash of ['', text, `#${text}`]) expect(addressFragment({ kept: null, secret, hash })).toBe(text);
  expect(addressFragment({ kept: null, secret: null, hash: '' })).toBe('');
});
