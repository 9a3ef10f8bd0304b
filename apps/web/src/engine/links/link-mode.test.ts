import { decodeBase64Url, encodeBase64Url } from '@satchel/container/base64url';
import { formatKey, hashProof, newFolderKey, proveSecret } from '@satchel/container/key';
import { type Keyring, openKeyring } from '@satchel/container/keyring';
import type { GenerateKeyInput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { beforeEach, describe, expect, test } from 'vitest';
import type { rpc } from '../../lib/api/api.ts';
import { ignoresNewsOf } from '../folders/own-changes.ts';
import { createKeyStore } from '../keys/key-store.ts';
import { deriveOnce } from '../testing/derive-once.ts';
import { parseFragment } from './folder-link.ts';
import { createLinkMode } from './link-mode.ts';

const OWNER = '0d2f5f1c-4a0d-4d0e-8f0e-6a3a0b6d7c55';
const FOLDER = {
  folder_id: '3f0c1a0e-7a0e-4bb5-9b44-3f9f2b8f1d11',
  folder_slug: 'aZ09aZ09aZ09aZ09',
  folder_owner_profile_id: OWNER,
  folder_expires_at: '2999-03-02T12:00:00Z',
};
const RING: Keyring = { keys: [newFolderKey()], hidesNames: false };
const [key = new Uint8Array()] = RING.keys;
const NAME = { folderId: FOLDER.folder_id, slug: FOLDER.folder_slug };
const recall = async () => (await keys.recallFolder(OWNER, NAME)).known;

let sent: { name: string; input: GenerateKeyInput }[];
let refusal: AppError | null;
let keys: ReturnType<typeof createKeyStore>;
let links: ReturnType<typeof createLinkMode>;

beforeEach(() => {
  sent = [];
  refusal = null;
  keys = createKeyStore({
    openDatabase: () => Promise.reject(new Error('none')),
    nowMs: Date.now,
    serverTimeMs: Date.now,
  });
  const fakeRpc = async (name: string, input: GenerateKeyInput) => {
    expect(ignoresNewsOf(FOLDER.folder_id)).toBe(true);
    if (refusal) throw refusal;
    sent.push({ name, input });
    const now = new Date().toISOString();
    return { api_token: `token-${sent.length}`, expires_at: FOLDER.folder_expires_at, created_at: now };
  };
  links = createLinkMode({ rpc: fakeRpc as unknown as typeof rpc, keys, derivePassphraseKey: deriveOnce });
});

const secretIn = (fragment: string) => {
  const parsed = parseFragment(fragment);
  if (parsed.kind !== 'secret') throw new Error(`the fragment is ${parsed.kind}`);
  return parsed.secret;
};
const fieldsSent = () => sent.at(-1)?.input as { sealed_key: string; key_share: string; proof_hash?: string };
const open = (fragment: string, passphraseKey?: Uint8Array<ArrayBuffer>) =>
  openKeyring({
    sealedKey: fieldsSent().sealed_key,
    share: decodeBase64Url(fieldsSent().key_share),
    secret: secretIn(fragment),
    ...(passphraseKey ? { passphraseKey } : {}),
  });

describe('a new private link', () => {
  test('opens the keys of before and a new one by a secret that only the person has', async () => {
    const link = await links.makePrivateLink(FOLDER, RING);
    const ring = await open(link.fragment);
    expect(ring).toEqual({ ...RING, keys: [key, expect.any(Uint8Array)] });
    expect(ring.keys[1]).not.toEqual(key);
    expect(link).toMatchObject({ linkMode: 'private', hasPassphrase: false, info: { api_token: 'token-1' } });
    expect(JSON.stringify(sent)).not.toContain(encodeBase64Url(secretIn(link.fragment)));
    expect(JSON.stringify(sent)).not.toContain(formatKey(key));
  });

  test('has another secret and share each time, and this device remembers the last', async () => {
    const first = await links.makePrivateLink(FOLDER, RING);
    const { key_share } = fieldsSent();
    const second = await links.makePrivateLink(FOLDER, RING);
    expect(second.fragment).not.toBe(first.fragment);
    expect(fieldsSent().key_share).not.toBe(key_share);
    await expect(open(first.fragment)).rejects.toMatchObject({ code: 'key.unsealable' });
    expect(await recall()).toMatchObject({
      ring: await open(second.fragment),
      mode: 'private',
      secret: secretIn(second.fragment),
      api_token: 'token-2',
      is_servers: false,
      pending: null,
    });
  });

  test('with a passphrase opens by both, and the server knows a proof by its hash only', async () => {
    const passphrase = 'blue heron walks';
    const link = await links.makePrivateLink(FOLDER, RING, { passphrase });
    await expect(open(link.fragment)).rejects.toMatchObject({ code: 'key.unsealable' });
    const secret = secretIn(link.fragment);
    const passphraseKey = await deriveOnce({ passphrase, secret });
    expect((await open(link.fragment, passphraseKey)).keys[0]).toEqual(key);
    expect(fieldsSent().proof_hash).toBe(await hashProof(await proveSecret({ secret, passphraseKey })));
    expect(link.hasPassphrase).toBe(true);
    expect(JSON.stringify(sent)).not.toContain(passphrase);
  });

  test('that was given up is not sent', async () => {
    const controller = new AbortController();
    controller.abort();
    const { signal } = controller;
    await expect(links.makePrivateLink(FOLDER, RING, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(sent).toEqual([]);
  });
});

test.each([
  ['a new private link', () => links.makePrivateLink(FOLDER, RING)],
  ['a Discord link', () => links.openToDiscord(FOLDER, RING)],
  ['a revoked link', () => links.revokeLink(FOLDER)],
])('the page has no news of the folder before the answer to %s, and then has', async (_link, change) => {
  await change();
  expect([sent.length, ignoresNewsOf(FOLDER.folder_id)]).toEqual([1, false]);
  refusal = new AppError('folder.not_found');
  await expect(change()).rejects.toBe(refusal);
  expect(ignoresNewsOf(FOLDER.folder_id)).toBe(false);
});

test('a Discord link leaves the key with the server, and this device keeps no secret of the dead link', async () => {
  await links.makePrivateLink(FOLDER, RING);
  const link = await links.openToDiscord(FOLDER, RING);
  expect(link).toMatchObject({ linkMode: 'discord', fragment: '', info: { api_token: 'token-2' } });
  expect(sent.at(-1)?.input).toEqual({ folder_id: FOLDER.folder_id, encrypted_key: formatKey(key) });
  expect(await recall()).toMatchObject({ ring: RING, mode: 'discord', secret: null, is_servers: false });
});

test('a revoked link leaves this device the key, to read with', async () => {
  await links.makePrivateLink(FOLDER, RING);
  expect(await links.revokeLink(FOLDER)).toEqual({
    linkMode: 'revoked',
    fragment: '',
    hasPassphrase: false,
    info: null,
  });
  expect(sent.at(-1)).toEqual({ name: 'revoke_temp_encryption_key', input: { folder_id: FOLDER.folder_id } });
  expect(await recall()).toMatchObject({ mode: 'private', secret: null });
  expect((await recall())?.ring.keys).toHaveLength(2);
});

test('what the server refuses changes nothing on this device', async () => {
  const { fragment } = await links.makePrivateLink(FOLDER, RING);
  refusal = new AppError('folder.revoked');
  for (const act of [
    () => links.openToDiscord(FOLDER, RING),
    () => links.makePrivateLink(FOLDER, RING),
    () => links.revokeLink(FOLDER),
  ]) {
    await expect(act()).rejects.toBe(refusal);
  }
  expect((await recall())?.secret).toEqual(secretIn(fragment));
});

test('a Discord link leaves all keys with the server, the newest first, and adds none', async () => {
  const ring = { ...RING, keys: Array.from({ length: 16 }, newFolderKey) };
  await links.openToDiscord(FOLDER, ring);
  const [encrypted_key, ...earlier_keys] = ring.keys.map(formatKey).toReversed();
  expect(sent.at(-1)?.input).toEqual({ folder_id: FOLDER.folder_id, encrypted_key, earlier_keys });
  expect((await recall())?.ring).toEqual(ring);
});

test('the link of sixteen keys can’t be replaced any more, and nothing is sent', async () => {
  const ring = { ...RING, keys: Array.from({ length: 16 }, newFolderKey) };
  await expect(links.makePrivateLink(FOLDER, ring)).rejects.toMatchObject({ code: 'key.ring_full' });
  expect(sent).toEqual([]);
});

test('a new link whose answer is lost stays on this device, beside the one of before', async () => {
  const { fragment } = await links.makePrivateLink(FOLDER, RING);
  const before = await recall();
  refusal = new AppError('unexpected');
  await expect(links.makePrivateLink(FOLDER, before!.ring)).rejects.toBe(refusal);
  const after = await recall();
  expect(after).toMatchObject({ secret: secretIn(fragment), ring: before!.ring, api_token: 'token-1' });
  expect(after?.pending?.ring.keys).toEqual([...before!.ring.keys, expect.any(Uint8Array)]);
  expect(after?.pending?.secret).not.toEqual(after?.secret);
});
