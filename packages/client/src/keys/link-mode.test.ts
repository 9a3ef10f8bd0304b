import { decodeBase64Url, encodeBase64Url } from '@satchel/container/base64url';
import { formatKey, hashProof, newFolderKey, proveSecret } from '@satchel/container/key';
import { importKeyring, type Keyring, openKeyring } from '@satchel/container/keyring';
import { sealLabel } from '@satchel/container/label';
import { proveFile } from '@satchel/container/proof';
import type { GenerateKeyInput, StageLabelsInput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../api.ts';
import { deriveOnce } from '../testing/derive-once.ts';
import { parseFragment } from './folder-link.ts';
import { createKeyStore } from './key-store.ts';
import { createLinkMode } from './link-mode.ts';

const OWNER = '0d2f5f1c-4a0d-4d0e-8f0e-6a3a0b6d7c55';
const FOLDER = {
  folder_id: '3f0c1a0e-7a0e-4bb5-9b44-3f9f2b8f1d11',
  folder_slug: 'aZ09aZ09aZ09aZ09',
  folder_owner_profile_id: OWNER,
  folder_expires_at: '2999-03-02T12:00:00Z',
  temp_key_api_token: 'token-0' as string | null,
};
const RING: Keyring = { keys: [newFolderKey()], hidesNames: false };
const [key = new Uint8Array()] = RING.keys;
const NAME = { folderId: FOLDER.folder_id, slug: FOLDER.folder_slug };
const recall = async () => (await keys.recallFolder(OWNER, NAME)).known;

let sent: { name: string; input: GenerateKeyInput }[];
let refusal: AppError | null;
/** The server's files, by stored name: their labels, and what was brought for them. */
let labels: Map<string, string>;
let staged: Map<string, StageLabelsInput['labels']>;
/** Called with each stage that is to be made current. */
let beforeCommit: (stage_id: string) => void;
let forgetsStages: boolean;
const PAGE = 3;
let keys: ReturnType<typeof createKeyStore>;
let links: ReturnType<typeof createLinkMode>;
/** The folders whose news are not heard. */
let ignored: Set<string>;

beforeEach(() => {
  sent = [];
  ignored = new Set();
  refusal = null;
  labels = new Map();
  staged = new Map();
  beforeCommit = () => {};
  forgetsStages = false;
  keys = createKeyStore({
    openRows: async () => null,
    nowMs: Date.now,
    serverTimeMs: Date.now,
  });
  const missingIn = (stage_id: string) =>
    [...labels]
      .filter(([name, sealed]) => !staged.get(stage_id)?.some((one) => one.name === name && one.earlier === sealed))
      .map(([name, sealed]) => ({ name, sealed }));
  const fakeRpc = async (name: string, input: GenerateKeyInput) => {
    expect(ignored.has(FOLDER.folder_id)).toBe(true);
    if (name === 'stage_folder_labels') {
      const { stage_id, labels: brought } = input as unknown as StageLabelsInput;
      if (!forgetsStages) staged.set(stage_id, [...(staged.get(stage_id) ?? []), ...brought]);
      return { missing: missingIn(stage_id).slice(0, PAGE) };
    }
    if (input.relabel) beforeCommit(input.relabel.stage_id);
    if (refusal) throw refusal;
    if (input.relabel && missingIn(input.relabel.stage_id).length > 0) throw new AppError('key.labels_changed');
    for (const { name, sealed } of staged.get(input.relabel?.stage_id ?? '') ?? [])
      if (sealed) labels.set(name, sealed);
    sent.push({ name, input });
    const now = new Date().toISOString();
    return { api_token: `token-${sent.length}`, expires_at: FOLDER.folder_expires_at, created_at: now };
  };
  links = createLinkMode({
    rpc: fakeRpc as unknown as Api['rpc'],
    keys,
    derivePassphraseKey: deriveOnce,
    alone: (_folderId, _waits, act) => act(),
    ignoreNewsOf: (folderId) => {
      ignored.add(folderId);
      return () => void ignored.delete(folderId);
    },
  });
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
  test('opens the earlier keys and a new one by a secret that only the person has', async () => {
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

describe('the labels of the files', () => {
  const header = 'h'.repeat(43);
  const labelIn = async (ring: Keyring, storedName: string) => {
    const [newest] = (await importKeyring(ring)).keys;
    return sealLabel(newest!, { name: `${storedName} in clear`, type: '', sizeBytes: 1, header }, storedName);
  };
  const addFiles = async (ring: Keyring, ...names: string[]) => {
    for (const name of names) labels.set(name, await labelIn(ring, name));
  };
  /** Names of the files that this ring proves, with the place of the key that each container is under. */
  const provenBy = async (ring: Keyring) => {
    const imported = await importKeyring(ring);
    const proofs = [...labels].map(async ([storedName, sealed]) => {
      const { keys, label } = await proveFile(imported, { storedName, sealed });
      expect(label.name).toBe(`${storedName} in clear`);
      return [storedName, imported.keys.toReversed().indexOf(keys)] as const;
    });
    const settled = await Promise.allSettled(proofs);
    return Object.fromEntries(settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
  };
  const names = ['a.enc', 'b.enc', 'c.enc', 'd.enc'];

  test('come under the new key in the same act, however many there are, and none opens with the old ones', async () => {
    await addFiles(RING, ...names);
    await links.makePrivateLink(FOLDER, RING);
    const { ring } = (await recall())!;
    expect(await provenBy(ring)).toEqual({ 'a.enc': 0, 'b.enc': 0, 'c.enc': 0, 'd.enc': 0 });
    expect(await provenBy(RING)).toEqual({});
    expect(sent.at(-1)?.input.relabel?.replaces).toBe('token-0');
  });

  test('name the key of their container through several new links', async () => {
    await addFiles(RING, 'a.enc');
    await links.makePrivateLink(FOLDER, RING);
    const second = (await recall())!.ring;
    await addFiles(second, 'b.enc');
    await links.makePrivateLink({ ...FOLDER, temp_key_api_token: 'token-1' }, second);
    const third = (await recall())!.ring;
    await addFiles(third, 'c.enc');
    expect(await provenBy(third)).toEqual({ 'a.enc': 0, 'b.enc': 1, 'c.enc': 2 });
  });

  test('of a file that only an older key proves, as one that was shut out adds it, don’t become the folder’s', async () => {
    await addFiles(RING, 'a.enc');
    await links.makePrivateLink(FOLDER, RING);
    const second = (await recall())!.ring;
    // With the server's help, by a person who has the old link.
    await addFiles(RING, 'intruder.enc');
    expect(await provenBy(second)).toEqual({ 'a.enc': 0 });
    await links.makePrivateLink({ ...FOLDER, temp_key_api_token: 'token-1' }, second);
    expect(await provenBy((await recall())!.ring)).toEqual({ 'a.enc': 0 });
    expect(await provenBy(RING)).toEqual({ 'intruder.enc': 0 });
  });

  test('that came while the others were brought are brought, too', async () => {
    await addFiles(RING, 'a.enc');
    const late = await labelIn(RING, 'b.enc');
    beforeCommit = () => {
      labels.set('b.enc', late);
      beforeCommit = () => {};
    };
    await links.makePrivateLink(FOLDER, RING);
    expect(await provenBy((await recall())!.ring)).toEqual({ 'a.enc': 0, 'b.enc': 0 });
  });

  test('are not brought for ever to a server that asks for the same again and again', async () => {
    await addFiles(RING, 'a.enc');
    forgetsStages = true;
    await expect(links.makePrivateLink(FOLDER, RING)).rejects.toMatchObject({ code: 'key.labels_changed' });
    expect(sent).toEqual([]);
  });

  test('that never stand still are given up for, and the old link stays', async () => {
    await addFiles(RING, 'a.enc');
    const late = await labelIn(RING, 'b.enc');
    beforeCommit = () => labels.set(`${labels.size}.enc`, late);
    await expect(links.makePrivateLink(FOLDER, RING)).rejects.toMatchObject({ code: 'key.labels_changed' });
    expect(sent).toEqual([]);
  });
});

describe('a change of the link that was interrupted', () => {
  const known = { mode: 'private', kept: [], is_servers: false, secret: null, pending: null } as const;
  const interrupted = async (error: AppError, options = {}) => {
    await keys.rememberKey({
      userId: OWNER,
      folderId: FOLDER.folder_id,
      slug: FOLDER.folder_slug,
      ring: RING,
      api_token: 'token-0',
      expires_at: FOLDER.folder_expires_at,
      ...known,
    });
    refusal = error;
    await expect(links.makePrivateLink(FOLDER, RING, options)).rejects.toBe(error);
    refusal = null;
  };
  const LOST = new AppError('unexpected', {}, { cause: new TypeError('Failed to fetch') });

  test.each([{}, { passphrase: 'blue heron walks' }])(
    'is finished by the next page, as it was begun, and only then has new keys (%o)',
    async (options) => {
      await interrupted(LOST, options);
      expect(await recall()).toMatchObject({ ring: RING, api_token: 'token-0' });
      const link = await links.finishPrivateLink(FOLDER);
      expect(link).toMatchObject({ linkMode: 'private', hasPassphrase: 'passphrase' in options });
      const secret = secretIn(link!.fragment);
      const passphraseKey = 'passphrase' in options && (await deriveOnce({ passphrase: options.passphrase!, secret }));
      const ring = await open(link!.fragment, ...(passphraseKey ? [passphraseKey] : []));
      expect(await recall()).toMatchObject({ ring, secret, api_token: 'token-1', pending: null });
      expect(await links.finishPrivateLink({ ...FOLDER, temp_key_api_token: 'token-1' })).toBeNull();
    },
  );

  test('is not finished when the link is another one since: the answer was lost, or another device was first', async () => {
    await interrupted(LOST);
    expect(await links.finishPrivateLink({ ...FOLDER, temp_key_api_token: 'token-7' })).toBeNull();
    expect(sent).toEqual([]);
  });

  test('is not finished when the person was told that it failed', async () => {
    await interrupted(new AppError('folder.forbidden'));
    expect(await links.finishPrivateLink(FOLDER)).toBeNull();
    expect(sent).toEqual([]);
  });
});

test.each([
  ['a new private link', () => links.makePrivateLink(FOLDER, RING)],
  ['a Discord link', () => links.openToDiscord(FOLDER, RING)],
  ['a revoked link', () => links.revokeLink(FOLDER)],
])('a client hears no news of the folder before the answer to %s, and then does', async (_link, change) => {
  await change();
  expect([sent.length, ignored.has(FOLDER.folder_id)]).toEqual([1, false]);
  refusal = new AppError('folder.not_found');
  await expect(change()).rejects.toBe(refusal);
  expect(ignored.has(FOLDER.folder_id)).toBe(false);
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

test('a new link whose answer is lost stays on this device, beside the earlier link', async () => {
  const { fragment } = await links.makePrivateLink(FOLDER, RING);
  const before = await recall();
  refusal = new AppError('unexpected', {}, { cause: new TypeError('Failed to fetch') });
  await expect(links.makePrivateLink(FOLDER, before!.ring)).rejects.toBe(refusal);
  const after = await recall();
  expect(after).toMatchObject({ secret: secretIn(fragment), ring: before!.ring, api_token: 'token-1' });
  expect(after?.pending?.ring.keys).toEqual([...before!.ring.keys, expect.any(Uint8Array)]);
  expect(after?.pending?.secret).not.toEqual(after?.secret);
});
