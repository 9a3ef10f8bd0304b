import { decodeBase64Url, encodeBase64Url } from '@satchel/container/base64url';
import { formatKey, hashProof, newFolderKey, openFolderKey, proveSecret } from '@satchel/container/key';
import type { GenerateKeyInput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { beforeEach, describe, expect, test } from 'vitest';
import { derivePassphraseKey } from '../workers/passphrase/derive-passphrase-key.ts';
import type { rpc } from './api.ts';
import { parseFragment } from './folder-link.ts';
import { createKeyStore } from './key-store.ts';
import { createLinkMode } from './link-mode.ts';

const OWNER = '0d2f5f1c-4a0d-4d0e-8f0e-6a3a0b6d7c55';
const FOLDER = {
  folder_id: '3f0c1a0e-7a0e-4bb5-9b44-3f9f2b8f1d11',
  folder_slug: 'aZ09aZ09aZ09aZ09',
  folder_owner_profile_id: OWNER,
  folder_expires_at: '2999-03-02T12:00:00Z',
};
const key = newFolderKey();

let sent: { name: string; input: GenerateKeyInput }[];
let refusal: AppError | null;
let keys: ReturnType<typeof createKeyStore>;
let links: ReturnType<typeof createLinkMode>;

beforeEach(() => {
  sent = [];
  refusal = null;
  keys = createKeyStore({ openDatabase: () => Promise.reject(new Error('none')), nowMs: Date.now });
  const fakeRpc = async (name: string, input: GenerateKeyInput) => {
    if (refusal) throw refusal;
    sent.push({ name, input });
    const now = new Date().toISOString();
    return { api_token: `token-${sent.length}`, expires_at: FOLDER.folder_expires_at, created_at: now };
  };
  links = createLinkMode({ rpc: fakeRpc as unknown as typeof rpc, keys, derivePassphraseKey });
});

const secretIn = (fragment: string) => {
  const parsed = parseFragment(fragment);
  if (parsed.kind !== 'secret') throw new Error(`the fragment is ${parsed.kind}`);
  return parsed.secret;
};
const fieldsSent = () => sent.at(-1)?.input as { sealed_key: string; key_share: string; proof_hash?: string };
const open = (fragment: string, passphraseKey?: Uint8Array<ArrayBuffer>) =>
  openFolderKey({
    sealedKey: fieldsSent().sealed_key,
    share: decodeBase64Url(fieldsSent().key_share),
    secret: secretIn(fragment),
    ...(passphraseKey ? { passphraseKey } : {}),
  });

describe('a new private link', () => {
  test('opens the same folder key by a secret that only the person has', async () => {
    const link = await links.makePrivateLink(FOLDER, key);
    expect(await open(link.fragment)).toEqual(key);
    expect(link).toMatchObject({ linkMode: 'private', hasPassphrase: false, info: { api_token: 'token-1' } });
    expect(JSON.stringify(sent)).not.toContain(encodeBase64Url(secretIn(link.fragment)));
    expect(JSON.stringify(sent)).not.toContain(formatKey(key));
  });

  test('has another secret and share each time, and this device remembers the last', async () => {
    const first = await links.makePrivateLink(FOLDER, key);
    const { key_share } = fieldsSent();
    const second = await links.makePrivateLink(FOLDER, key);
    expect(second.fragment).not.toBe(first.fragment);
    expect(fieldsSent().key_share).not.toBe(key_share);
    await expect(open(first.fragment)).rejects.toMatchObject({ code: 'key.unsealable' });
    expect(await keys.recallKey(OWNER, FOLDER.folder_id)).toMatchObject({
      key,
      secret: secretIn(second.fragment),
      api_token: 'token-2',
      is_servers: false,
    });
  });

  test('with a passphrase opens by both, and the server knows a proof by its hash only', async () => {
    const passphrase = 'blue heron walks';
    const link = await links.makePrivateLink(FOLDER, key, { passphrase });
    await expect(open(link.fragment)).rejects.toMatchObject({ code: 'key.unsealable' });
    const secret = secretIn(link.fragment);
    const passphraseKey = await derivePassphraseKey({ passphrase, secret });
    expect(await open(link.fragment, passphraseKey)).toEqual(key);
    expect(fieldsSent().proof_hash).toBe(await hashProof(await proveSecret({ secret, passphraseKey })));
    expect(link.hasPassphrase).toBe(true);
    expect(JSON.stringify(sent)).not.toContain(passphrase);
  });

  test('that was given up is not sent', async () => {
    const controller = new AbortController();
    controller.abort();
    const { signal } = controller;
    await expect(links.makePrivateLink(FOLDER, key, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(sent).toEqual([]);
  });
});

test('a Discord link leaves the key with the server, and this device keeps no secret of the dead link', async () => {
  await links.makePrivateLink(FOLDER, key);
  const link = await links.openToDiscord(FOLDER, key);
  expect(link).toMatchObject({ linkMode: 'discord', fragment: '', info: { api_token: 'token-2' } });
  expect(sent.at(-1)?.input).toEqual({ folder_id: FOLDER.folder_id, encrypted_key: formatKey(key) });
  expect(await keys.recallKey(OWNER, FOLDER.folder_id)).toMatchObject({ key, secret: null, is_servers: false });
});

test('a revoked link leaves this device the key, to read with', async () => {
  await links.makePrivateLink(FOLDER, key);
  expect(await links.revokeLink(FOLDER)).toEqual({
    linkMode: 'revoked',
    fragment: '',
    hasPassphrase: false,
    info: null,
  });
  expect(sent.at(-1)).toEqual({ name: 'revoke_temp_encryption_key', input: { folder_id: FOLDER.folder_id } });
  expect(await keys.recallKey(OWNER, FOLDER.folder_id)).toMatchObject({ key, secret: null });
});

test('what the server refuses changes nothing on this device', async () => {
  const { fragment } = await links.makePrivateLink(FOLDER, key);
  refusal = new AppError('folder.revoked');
  for (const act of [
    () => links.openToDiscord(FOLDER, key),
    () => links.makePrivateLink(FOLDER, key),
    () => links.revokeLink(FOLDER),
  ]) {
    await expect(act()).rejects.toBe(refusal);
  }
  expect((await keys.recallKey(OWNER, FOLDER.folder_id))?.secret).toEqual(secretIn(fragment));
});
