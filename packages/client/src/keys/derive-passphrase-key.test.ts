import { expect, test } from 'vitest';
import { derivePassphraseKey } from './derive-passphrase-key.ts';

const secret = Uint8Array.from({ length: 32 }, (_, at) => at);
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

// From OpenSSL: Argon2id of 'grüne Wolke', 64 MiB, 3 passes, 1 lane, salt of SHA-256("satchel passphrase" | S).
const known = 'f323ed296225dee3b41f36521fae3e8bce955a9bacb078acc71fc87985fadd39';

test('a passphrase gives the key that another Argon2id gives, however its letters are composed', async () => {
  for (const form of ['NFC', 'NFD']) {
    expect(hexOf(await derivePassphraseKey({ passphrase: 'grüne Wolke'.normalize(form), secret }))).toBe(known);
  }
});

test('the same passphrase gives another key for another link', async () => {
  const other = await derivePassphraseKey({ passphrase: 'grüne Wolke', secret: secret.toReversed() });
  expect(hexOf(other)).not.toBe(known);
});
