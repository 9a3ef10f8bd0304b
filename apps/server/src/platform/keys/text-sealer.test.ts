import { expect, test } from 'vitest';
import { createTextSealer } from './text-sealer.ts';

const secret = Buffer.from('a secret of this test, long enough');
const sealer = createTextSealer(secret, 'a test');

test('opens what it sealed, and seals the same text differently each time', () => {
  const sealed = sealer.seal('Grüße, 🎒', 'one');
  expect(sealer.open(sealed, 'one')).toBe('Grüße, 🎒');
  expect(sealer.seal('Grüße, 🎒', 'one')).not.toBe(sealed);
  expect(sealer.open(sealer.seal('', 'one'), 'one')).toBe('');
});

test('does not open a text of another context, purpose or secret, or a changed one', () => {
  const sealed = sealer.seal('text', 'one');
  expect(sealer.open(sealed, 'two')).toBeNull();
  expect(createTextSealer(secret, 'another purpose').open(sealed, 'one')).toBeNull();
  expect(createTextSealer(Buffer.from('another secret of this test'), 'a test').open(sealed, 'one')).toBeNull();
  const bytes = Buffer.from(sealed, 'base64url');
  for (const at of [0, 13, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    expect(sealer.open(changed.toString('base64url'), 'one')).toBeNull();
  }
  expect(sealer.open('', 'one')).toBeNull();
});
