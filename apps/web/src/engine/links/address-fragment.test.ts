import 'fake-indexeddb/auto';
import { formatKey } from '@satchel/container/key';
import { expect, test } from 'vitest';
import { rememberKey } from '../keys/key-store.ts';
import { addressFragment } from './address-fragment.ts';
import { secretFragment } from './folder-link.ts';

const USER = 'mika';
const key = new Uint8Array(64).fill(7);
const earlier = new Uint8Array(64).fill(6);
const secret = new Uint8Array(32).fill(9);
const another = new Uint8Array(32).fill(8);

async function remembered(folderId: string) {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const pin = { ring: { keys: [earlier, key], hidesNames: true }, mode: 'private' as const };
  const known = { slug: folderId, secret, ...pin, kept: [], pending: null, is_servers: false, api_token: 'token' };
  expect(await rememberKey({ userId: USER, folderId, ...known, expires_at })).toBe(true);
  return { userId: USER, folderId, secret };
}

test('an address needs no key that this device remembers, as a secret or as it is', async () => {
  const folder = await remembered('kept');
  for (const hash of [
    secretFragment(secret),
    secretFragment(secret).slice(1),
    `#${formatKey(key)}`,
    `#${formatKey(earlier)}.${formatKey(key)}`,
    '',
  ]) {
    expect(await addressFragment({ ...folder, hash })).toBe('');
  }
});

test('it keeps what this device does not remember: another link’s secret, another key, a damaged one, a place', async () => {
  const folder = await remembered('kept');
  const strangers = [secretFragment(another), `#${'ab'.repeat(64)}`, '#k=damaged', '#faq'];
  for (const hash of strangers) expect(await addressFragment({ ...folder, hash })).toBe(hash.slice(1));
  const hash = secretFragment(secret);
  expect(await addressFragment({ ...folder, userId: 'jonas', hash })).toBe(hash.slice(1));
  expect(await addressFragment({ ...folder, folderId: 'other', hash })).toBe(hash.slice(1));
});

test('of a key that nothing but this page holds it gets the secret, for a reload', async () => {
  const unkept = { userId: USER, folderId: 'nowhere' };
  const text = secretFragment(secret).slice(1);
  for (const hash of ['', text, `#${text}`]) expect(await addressFragment({ ...unkept, secret, hash })).toBe(text);
  expect(await addressFragment({ ...unkept, secret: null, hash: '' })).toBe('');
});
