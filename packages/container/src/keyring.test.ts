import { describe, expect, test } from 'vitest';
import { newFolderKey, newKeyShare, newLinkSecret } from './key.ts';
import {
  addFolderKey,
  importKeyring,
  type Keyring,
  newKeyring,
  openKeyring,
  sealingKeyOf,
  sealKeyring,
} from './keyring.ts';

const secrets = { secret: newLinkSecret(), share: newKeyShare() };
const reopened = async (ring: Keyring) =>
  openKeyring({ sealedKey: await sealKeyring({ ring, ...secrets }), ...secrets });
const ringOf = (count: number): Keyring => ({
  keys: Array.from({ length: count }, newFolderKey),
  hidesNames: count % 2 === 0,
});

describe('a keyring', () => {
  test.each([1, 2, 3, 6, 16])('of %i keys opens to the same keys and flags', async (count) => {
    const ring = ringOf(count);
    expect(await reopened(ring)).toEqual(ring);
  });

  test('takes 127 characters with one key and 1,407 with sixteen, and others every time', async () => {
    const ring = newKeyring({ hidesNames: true });
    const [one, again] = [await sealKeyring({ ring, ...secrets }), await sealKeyring({ ring, ...secrets })];
    expect(one).toMatch(/^[A-Za-z0-9_-]{127}$/);
    expect(again).not.toBe(one);
    expect((await sealKeyring({ ring: ringOf(16), ...secrets })).length).toBe(1407);
  });

  test('gets a fresh key that seals from then on, and keeps its flags', () => {
    const ring = newKeyring({ hidesNames: false });
    const next = addFolderKey(ring);
    expect(next).toMatchObject({ hidesNames: false });
    expect(next.keys[0]).toBe(ring.keys[0]);
    expect(sealingKeyOf(next)).toBe(next.keys[1]);
    expect(sealingKeyOf(next)).not.toEqual(sealingKeyOf(ring));
  });

  test('has at most sixteen keys', async () => {
    expect(() => addFolderKey(ringOf(16))).toThrow(expect.objectContaining({ code: 'key.ring_full' }));
    await expect(sealKeyring({ ring: ringOf(17), ...secrets })).rejects.toMatchObject({ code: 'key.ring_full' });
  });

  test('is imported with the newest key first', async () => {
    const ring = ringOf(3);
    const { keys } = await importKeyring(ring);
    const data = new Uint8Array(1);
    const tags = await Promise.all(keys.map(({ mac }) => crypto.subtle.sign('HMAC', mac, data)));
    const newest = (await importKeyring({ ...ring, keys: ring.keys.slice(-1) })).keys[0]!;
    expect(new Uint8Array(tags[0]!)).toEqual(new Uint8Array(await crypto.subtle.sign('HMAC', newest.mac, data)));
    expect(keys.length).toBe(3);
  });

  test('is not sealed with secrets of the wrong length, nor with a key of another length, nor empty', async () => {
    const ring = newKeyring({ hidesNames: true });
    for (const wrong of [
      { secret: new Uint8Array(0) },
      { share: newFolderKey() },
      { passphraseKey: new Uint8Array(0) },
    ]) {
      await expect(sealKeyring({ ring, ...secrets, ...wrong })).rejects.toThrow(RangeError);
    }
    const short = { ...ring, keys: [newFolderKey().subarray(1)] };
    await expect(sealKeyring({ ring: short, ...secrets })).rejects.toThrow(/got 126/);
    await expect(sealKeyring({ ring: { ...ring, keys: [] }, ...secrets })).rejects.toThrow(RangeError);
  });
});
