import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatKey,
  hashProof,
  importKeys,
  newFolderKey,
  newKeyShare,
  newLinkSecret,
  parseKey,
  proveSecret,
} from './key.ts';

describe('the folder key', () => {
  test('is written as 128 hex characters and read back, in either case', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (key) => {
        const hex = formatKey(key);
        expect(hex).toBe(Buffer.from(key).toString('hex'));
        expect([...parseKey(hex)]).toEqual([...key]);
        expect([...parseKey(hex.toUpperCase())]).toEqual([...key]);
      }),
    );
  });

  test('becomes keys that can’t be exported, and that can be posted to a worker', async () => {
    const keys = await importKeys(newFolderKey());
    for (const key of Object.values(keys)) {
      expect(key.extractable).toBe(false);
      await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow();
    }
    const clone = structuredClone(keys);
    const data = new Uint8Array(100);
    const [tag, cloneTag] = await Promise.all([keys, clone].map(({ mac }) => crypto.subtle.sign('HMAC', mac, data)));
    expect(Buffer.compare(new Uint8Array(tag!), new Uint8Array(cloneTag!))).toBe(0);
  });

  test('has the right length, and is never the same twice', () => {
    expect([newFolderKey().length, newLinkSecret().length, newKeyShare().length]).toEqual([64, 32, 32]);
    expect(formatKey(newFolderKey())).not.toBe(formatKey(newFolderKey()));
  });
});

describe('the proof of a passphrase', () => {
  const secret = newLinkSecret();
  const passphraseKey = newKeyShare();

  test('is the same for the same link and passphrase, and for no others', async () => {
    const proof = await proveSecret({ secret, passphraseKey });
    expect(proof).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await proveSecret({ secret, passphraseKey })).toBe(proof);
    expect(await proveSecret({ secret: newLinkSecret(), passphraseKey })).not.toBe(proof);
    expect(await proveSecret({ secret, passphraseKey: newKeyShare() })).not.toBe(proof);
    expect(await hashProof(proof)).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await hashProof(proof)).not.toBe(proof);
  });

  test('is refused for secrets of the wrong length', async () => {
    await expect(proveSecret({ secret, passphraseKey: new Uint8Array(0) })).rejects.toThrow(RangeError);
    await expect(proveSecret({ secret: newFolderKey(), passphraseKey })).rejects.toThrow(RangeError);
  });
});
