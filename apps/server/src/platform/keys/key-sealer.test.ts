import { createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeySealer } from './key-sealer.ts';

const SECRET = Buffer.from('the sealing secret of this test, long enough');
const KEY = 'ab'.repeat(64);
const TARGET = {
  folder_id: '8d3c1f9e-5b7a-4a39-9a35-1a2b3c4d5e6f',
  slug: 'AbCdEfGhIjKlMnOp',
  expires_at: new Date('2026-11-22T19:30:00.123Z'),
};
const sealer = createKeySealer(SECRET);

test('a key opens for its own target', async () => {
  const sealed = await sealer.seal(KEY, TARGET);
  expect(sealer.open(sealed, TARGET)).toBe(KEY);
  expect(createKeySealer(SECRET).open(sealed, { ...TARGET })).toBe(KEY);
});

test('a key and fifteen earlier ones of its folder open unchanged; more keys, or a partial one, do not', async () => {
  const keys = Array.from({ length: 16 }, () => randomBytes(64).toString('hex')).join('');
  expect(sealer.open(await sealer.seal(keys, TARGET), TARGET)).toBe(keys);
  expect(sealer.open(await sealer.seal(keys + KEY, TARGET), TARGET)).toBeNull();
  expect(sealer.open(await sealer.seal(`${KEY}ab`, TARGET), TARGET)).toBeNull();
});

test('the sealed form contains no part of the key and differs every time', async () => {
  const sealed = await sealer.seal(KEY, TARGET);
  expect(await sealer.seal(KEY, TARGET)).not.toBe(sealed);
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  // Eight bytes: random ones repeat two of the key's once in some hundred runs, eight never.
  expect(bytes.toString('hex')).not.toContain('ab'.repeat(8));
});

test.each([
  { folder_id: '00000000-0000-4000-8000-000000000000' },
  { slug: 'AbCdEfGhIjKlMnOq' },
  { expires_at: new Date(TARGET.expires_at.getTime() + 1) },
])('a key sealed for another folder, slug or expiry does not open: %j', async (other) => {
  expect(sealer.open(await sealer.seal(KEY, TARGET), { ...TARGET, ...other })).toBeNull();
});

test('another secret opens nothing', async () => {
  const other = createKeySealer(Buffer.from('another sealing secret, as long as it must be'));
  expect(other.open(await sealer.seal(KEY, TARGET), TARGET)).toBeNull();
});

test('a changed, cut or foreign text does not open', async () => {
  const sealed = await sealer.seal(KEY, TARGET);
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'z' : 'A') + sealed.slice(at + 1);
    expect(sealer.open(changed, TARGET) ?? 'closed', `at ${at}`).toBe('closed');
  }
  for (const bad of [
    '',
    'v1.',
    'v1.AAAA',
    sealed.slice(3),
    sealed.slice(0, -4),
    `v2${sealed.slice(2)}`,
    `${sealed}AAAA`,
  ]) {
    expect(sealer.open(bad, TARGET)).toBeNull();
  }
});

test('a key sealed again for another expiry opens for that expiry only', async () => {
  const later = new Date(TARGET.expires_at.getTime() + 1);
  const resealed = await sealer.reseal(await sealer.seal(KEY, TARGET), TARGET, later);
  expect(sealer.open(resealed!, { ...TARGET, expires_at: later })).toBe(KEY);
  expect(sealer.open(resealed!, TARGET)).toBeNull();
  expect(await sealer.reseal(resealed!, TARGET, later)).toBeNull();
});

test('the format is AES-256-GCM, with the canonical array as additional data', async () => {
  const bytes = Buffer.from((await sealer.seal(KEY, TARGET)).slice('v1.'.length), 'base64url');
  const sealingKey = Buffer.from(hkdfSync('sha256', SECRET, '', 'satchel key sealing v1', 32));
  const decipher = createDecipheriv('aes-256-gcm', sealingKey, bytes.subarray(0, 12));
  decipher.setAAD(Buffer.from(`["${TARGET.folder_id}","${TARGET.slug}","2026-11-22T19:30:00.123Z",1]`));
  decipher.setAuthTag(bytes.subarray(-16));
  expect(Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('hex')).toBe(KEY);
});

test('bytes that are no key of 64 bytes do not open', async () => {
  expect(sealer.open(await sealer.seal(randomBytes(63).toString('hex'), TARGET), TARGET)).toBeNull();
});
