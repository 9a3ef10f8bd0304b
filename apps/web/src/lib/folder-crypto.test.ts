import { encodeBase64Url } from '@satchel/container/base64url';
import { formatKey, hashProof } from '@satchel/container/key';
import type { FolderCompleteData } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { derivePassphraseKey } from '../workers/passphrase/derive-passphrase-key.ts';
import { type CreatedFolderKey, createFolderCrypto, createFolderKey } from './folder-crypto.ts';
import { secretFragment } from './folder-link.ts';
import { createKeyStore } from './key-store.ts';

const FOLDER: FolderCompleteData = {
  folder_id: '3f0c1a0e-7a0e-4bb5-9b44-3f9f2b8f1d11',
  folder_slug: 'aZ09aZ09aZ09aZ09',
  folder_name: 'Holiday',
  folder_description: null,
  folder_created_at: '2026-03-01T12:00:00Z',
  folder_expires_at: '2999-03-02T12:00:00Z',
  folder_bucket: 'unlocked-folders',
  folder_bucket_storage_path: 'b2f7',
  folder_size_bytes: 0,
  folder_owner_profile_id: '0d2f5f1c-4a0d-4d0e-8f0e-6a3a0b6d7c55',
  folder_link_mode: 'private',
  folder_access: 'link',
  hide_names: true,
  show_name_in_previews: false,
  owner_discord_username: 'mika',
  owner_discord_global_name: 'Mika',
  owner_avatar_url: null,
  owner_discord_id: null,
  owner_subscription_tier: null,
  owner_banner_url: null,
  owner_accent_color: null,
  temp_key_api_token: 'token-1',
  temp_key_expires_at: '2999-03-02T12:00:00Z',
  temp_key_created_at: '2026-03-01T12:00:00Z',
  temp_key_passphrase: false,
  server_time: new Date().toISOString(),
};

const OWNER = FOLDER.folder_owner_profile_id;
const DISCORD: FolderCompleteData = { ...FOLDER, folder_link_mode: 'discord', temp_key_api_token: 'token-2' };
const REVOKED: FolderCompleteData = { ...FOLDER, folder_link_mode: 'revoked', temp_key_api_token: null };
const PASSPHRASE = 'grüne Wolke';

let created: CreatedFolderKey;
let other: CreatedFolderKey;
let guarded: CreatedFolderKey;
let asked: { url: string; body: string | null }[];
let answer: (body: string | null) => Response | Promise<Response>;
let keys: ReturnType<typeof createKeyStore>;
let load: ReturnType<typeof createFolderCrypto>['loadFolderKey'];
let unlock: ReturnType<typeof createFolderCrypto>['unlockFolderKey'];

const json = (body: unknown, status = 200) => Response.json(body, { status });
const sealedBy = ({ fields: { sealed_key, key_share } }: CreatedFolderKey, passphrase = false) =>
  json({ success: true, sealed_key, key_share, passphrase });
const deposited = () => json({ success: true, encryption_key: formatKey(created.key) });
const offline = (): Response => {
  throw new TypeError('Failed to fetch');
};

/** As the server does: nothing before the proof, which it knows by its hash. */
const guardedAnswer = async (body: string | null): Promise<Response> => {
  if (body === null) return json({ success: true, passphrase: true });
  const hash = await hashProof((JSON.parse(body) as { proof: string }).proof);
  if (hash === guarded.fields.proof_hash) return sealedBy(guarded, true);
  return json({ success: false, error: 'Wrong passphrase', tries_left: 9 }, 403);
};

beforeAll(async () => {
  [created, other] = await Promise.all([createFolderKey(), createFolderKey()]);
  guarded = await createFolderKey({ passphrase: PASSPHRASE }, derivePassphraseKey);
});
beforeEach(() => {
  asked = [];
  answer = () => sealedBy(created);
  keys = createKeyStore({ openDatabase: () => Promise.reject(new Error('none')), nowMs: Date.now });
  const fakeFetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const body = typeof init?.body === 'string' ? init.body : null;
    asked.push({ url: String(input), body });
    return answer(body);
  };
  const crypto = createFolderCrypto({ fetch: fakeFetch, keys, derivePassphraseKey });
  [load, unlock] = [crypto.loadFolderKey, crypto.unlockFolderKey];
});

const linkHash = (of = created) => secretFragment(of.secret);
const opened = (of = created) => ({
  key: of.key,
  secret: of.secret,
  maySeal: true,
  fragment: linkHash(of),
  needsPassphrase: false,
  error: null,
});
const nothing = { key: null, secret: null, maySeal: false, needsPassphrase: false, error: null };

test('a new folder’s key has the lengths that the creating call wants', () => {
  expect([created.key.length, created.secret.length]).toEqual([64, 32]);
  expect(created.fields.sealed_key).toMatch(/^[A-Za-z0-9_-]{123}$/);
  expect(created.fields.key_share).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(created.fields).not.toHaveProperty('passphrase');
  expect(guarded.fields).toMatchObject({ passphrase: true, proof_hash: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) });
});

describe('the key of a private folder', () => {
  test('comes from the link’s secret and what the server holds, and may seal', async () => {
    expect(await load({ folder: FOLDER, userId: null, hash: linkHash() })).toEqual(opened());
    expect(asked).toEqual([{ url: '/bot/aZ09aZ09aZ09aZ09/token-1', body: null }]);
  });

  test('is remembered for a signed-in person, and then needs neither link nor server', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    asked = [];
    for (const hash of ['', linkHash()]) expect(await load({ folder: FOLDER, userId: 'mika', hash })).toEqual(opened());
    expect(asked).toEqual([]);
    expect((await load({ folder: FOLDER, userId: 'jonas', hash: '' })).key).toBeNull();
  });

  test('is not remembered for a visitor', async () => {
    await load({ folder: FOLDER, userId: null, hash: linkHash() });
    expect(await keys.nextExpiryMs()).toBeNull();
  });

  test('from 128 hex characters is for reading only, and is not remembered', async () => {
    const hash = `#${formatKey(created.key)}`;
    expect(await load({ folder: FOLDER, userId: 'mika', hash })).toEqual({
      ...nothing,
      key: created.key,
      fragment: hash,
    });
    expect(asked).toEqual([]);
    expect(await keys.nextExpiryMs()).toBeNull();
  });

  test('that is remembered goes before one that a crafted link brings', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const loaded = await load({ folder: FOLDER, userId: 'mika', hash: `#${formatKey(other.key)}` });
    expect(loaded).toEqual(opened());
  });

  test('is never one that the server sends as it is', async () => {
    answer = deposited;
    const loaded = await load({ folder: FOLDER, userId: OWNER, hash: linkHash() });
    expect([loaded.key, loaded.error?.code]).toEqual([null, 'key.unsealable']);
  });

  test('is not there without link or memory, and that is no error', async () => {
    expect(await load({ folder: FOLDER, userId: null, hash: '' })).toEqual({ ...nothing, fragment: '' });
  });

  test('is still there when the link has been replaced, but the dead secret is not handed on', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const renewed = { ...FOLDER, temp_key_api_token: 'token-3' };
    answer = () => sealedBy(other);
    const loaded = await load({ folder: renewed, userId: 'mika', hash: linkHash() });
    expect(loaded).toMatchObject({ key: created.key, secret: null, maySeal: true, fragment: '' });
    expect(loaded.error?.code).toBe('key.unsealable');
    expect(await load({ folder: renewed, userId: 'mika', hash: '' })).toMatchObject({ fragment: '', error: null });
  });

  test('of a revoked folder is remembered, but takes no uploads', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    expect(await load({ folder: REVOKED, userId: 'mika', hash: linkHash() })).toMatchObject({
      key: created.key,
      maySeal: false,
      fragment: '',
    });
  });

  test('is not asked for in a plain folder', async () => {
    const plain: FolderCompleteData = { ...FOLDER, folder_link_mode: 'plain' };
    const loaded = await load({ folder: plain, userId: 'mika', hash: linkHash() });
    expect(loaded).toEqual({ ...nothing, fragment: '' });
    expect(asked).toEqual([]);
  });
});

describe('the key of a Discord-link folder', () => {
  beforeEach(() => {
    answer = deposited;
  });

  test('comes from the server, may seal there, and needs no fragment', async () => {
    const loaded = await load({ folder: DISCORD, userId: null, hash: '' });
    expect(loaded).toEqual({ ...nothing, key: created.key, maySeal: true, fragment: '' });
    expect(asked).toEqual([{ url: '/bot/aZ09aZ09aZ09aZ09/token-2', body: null }]);
  });

  test('opens whatever dead secret the address still has', async () => {
    const loaded = await load({ folder: DISCORD, userId: 'jonas', hash: linkHash(other) });
    expect(loaded).toMatchObject({ key: created.key, fragment: '', error: null });
  });

  test('is remembered for the owner alone, who can read on after revoking, and seals nowhere else', async () => {
    for (const userId of ['jonas', OWNER]) await load({ folder: DISCORD, userId, hash: '' });
    expect((await load({ folder: REVOKED, userId: 'jonas', hash: '' })).key).toBeNull();
    expect(await load({ folder: REVOKED, userId: OWNER, hash: '' })).toMatchObject({
      key: created.key,
      maySeal: false,
    });
    const isPrivate = { ...FOLDER, temp_key_api_token: 'token-4' };
    expect(await load({ folder: isPrivate, userId: OWNER, hash: '' })).toMatchObject({
      key: created.key,
      maySeal: false,
    });
  });

  test('is the one that the owner’s device has proven, whatever the server says', async () => {
    answer = () => sealedBy(created);
    await load({ folder: FOLDER, userId: OWNER, hash: linkHash() });
    answer = () => json({ success: true, encryption_key: formatKey(other.key) });
    const loaded = await load({ folder: DISCORD, userId: OWNER, hash: '' });
    expect(loaded).toMatchObject({ key: created.key, secret: null, maySeal: true, fragment: '' });
  });

  test('is the server’s while it has one, whatever key a crafted link brings', async () => {
    const loaded = await load({ folder: DISCORD, userId: null, hash: `#${formatKey(other.key)}` });
    expect(loaded).toMatchObject({ key: created.key, maySeal: true, fragment: '' });
  });

  test('is taken from the fragment when the server has none any more (§8), for reading only', async () => {
    answer = () => json({ success: false, error: 'Key not found' }, 404);
    const hash = `#${formatKey(created.key)}`;
    expect(await load({ folder: DISCORD, userId: null, hash })).toMatchObject({ key: created.key, maySeal: false });
    expect((await load({ folder: DISCORD, userId: null, hash: '' })).error?.message).toBe('Key not found');
  });
});

describe('the key of a folder with a passphrase', () => {
  const folder: FolderCompleteData = { ...FOLDER, temp_key_passphrase: true };
  const request = (userId: string | null) => ({ folder, userId, hash: linkHash(guarded) });
  beforeEach(() => {
    answer = guardedAnswer;
  });

  test('is not there before the passphrase, and the link is handed on as it came', async () => {
    expect(await load(request(null))).toEqual({ ...nothing, needsPassphrase: true, fragment: linkHash(guarded) });
  });

  test('comes with the passphrase, however its letters are composed, and may seal', async () => {
    expect(await unlock(request(null), PASSPHRASE.normalize('NFD'))).toEqual(opened(guarded));
  });

  test('is remembered for a signed-in person, who is not asked again', async () => {
    await unlock(request('mika'), PASSPHRASE);
    asked = [];
    expect(await load(request('mika'))).toEqual(opened(guarded));
    expect(asked).toEqual([]);
    expect((await load(request(null))).needsPassphrase).toBe(true);
  });

  test('stays shut for another passphrase, with the tries that are left', async () => {
    await expect(unlock(request('mika'), 'gruene Wolke')).rejects.toMatchObject({
      code: 'key.wrong_passphrase',
      params: { tries: 9 },
    });
    expect(await keys.nextExpiryMs()).toBeNull();
  });

  test('stays shut when there are no tries left, and says how long', async () => {
    answer = () => json({ success: false, error: 'No tries left', tries_left: 0, retry_after_seconds: 1801 }, 429);
    await expect(unlock(request(null), PASSPHRASE)).rejects.toMatchObject({
      code: 'key.no_tries_left',
      params: { minutes: 31 },
    });
  });

  test('tells the server neither passphrase nor secret', async () => {
    await load(request('mika'));
    await unlock(request('mika'), PASSPHRASE);
    const sent = JSON.stringify(asked);
    for (const canary of [PASSPHRASE, 'Wolke', encodeBase64Url(guarded.secret)]) expect(sent).not.toContain(canary);
    expect(asked).toHaveLength(2);
  });
});

describe('a folder that was read without the procedure, which alone tells where its key is (§8)', () => {
  const untold = (folder: FolderCompleteData) => ({ ...folder, temp_key_api_token: null });

  test.each([FOLDER, DISCORD])('takes the key of the fragment, for reading, and asks for none', async (folder) => {
    const hash = `#${formatKey(created.key)}`;
    const loaded = await load({ folder: untold(folder), userId: 'mika', hash });
    expect(loaded).toEqual({ ...nothing, key: created.key, fragment: hash });
    expect(asked).toEqual([]);
  });

  test.each([FOLDER, DISCORD])('has none without it, and says so', async (folder) => {
    const loaded = await load({ folder: untold(folder), userId: 'mika', hash: linkHash() });
    expect(loaded).toMatchObject({ key: null, error: { message: 'Key not found' } });
    expect(asked).toEqual([]);
  });

  test('has the one that this device remembers, before one of the fragment', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const loaded = await load({ folder: untold(FOLDER), userId: 'mika', hash: `#${formatKey(other.key)}` });
    expect(loaded).toEqual(opened());
  });
});

describe('a folder still loads without a key', () => {
  const errorOf = async (hash = linkHash()) => {
    const loaded = await load({ folder: FOLDER, userId: 'mika', hash });
    expect(loaded).toMatchObject({ ...nothing, fragment: hash, error: expect.anything() });
    return loaded.error;
  };

  test('and says that a wrong secret does not open it', async () => {
    expect((await errorOf(secretFragment(other.secret)))?.code).toBe('key.unsealable');
    expect(await keys.nextExpiryMs()).toBeNull();
  });

  test('and passes on the words of the key service', async () => {
    answer = () => json({ success: false, error: 'The key service is asleep' }, 503);
    expect((await errorOf())?.message).toBe('The key service is asleep');
    // A server whose key service is on another machine says so itself when that is away.
    answer = () => json(new AppError('request.unavailable').toWire(), 503);
    expect((await errorOf())?.message).toBe('Try again in a moment');
  });

  test('and says "Key not found" when the service says nothing', async () => {
    for (const body of [
      () => json({ success: false, error: 'Key not found' }, 404),
      () => new Response('<html>', { status: 502 }),
      () => json({ success: true, sealed_key: 'x' }),
    ]) {
      answer = body;
      const error = await errorOf();
      expect([error?.code, error?.message]).toEqual(['key.not_found', 'Key not found']);
    }
  });

  test('and says what the network said', async () => {
    answer = offline;
    expect((await errorOf())?.message).toBe('Failed to fetch');
  });

  test('and says what is wrong with the link', async () => {
    expect((await errorOf(`#k=${encodeBase64Url(created.secret).slice(1)}`))?.code).toBe('key.unsealable');
    expect((await errorOf(`#${'0'.repeat(100)}`))?.message).toContain('got 100');
  });

  test('and says so beside a remembered key, too', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const loaded = await load({ folder: FOLDER, userId: 'mika', hash: `#${'0'.repeat(100)}` });
    expect(loaded).toEqual({ ...opened(), error: expect.objectContaining({ code: 'key.bad_length' }) });
  });

  test('and a remembered key stands in when the key service is away', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    answer = offline;
    const loaded = await load({ folder: FOLDER, userId: 'mika', hash: linkHash(other) });
    expect([loaded.key, loaded.error]).toEqual([created.key, null]);
  });
});
