import { encodeBase64Url } from '@satchel/container/base64url';
import { formatKey } from '@satchel/container/key';
import type { FolderCompleteData } from '@satchel/contract/api';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
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

let created: CreatedFolderKey;
let other: CreatedFolderKey;
let asked: string[];
let answer: () => Response;
let keys: ReturnType<typeof createKeyStore>;
let load: ReturnType<typeof createFolderCrypto>['loadFolderKey'];

const json = (body: unknown, status = 200) => Response.json(body, { status });
const sealedAnswer = () =>
  json({ success: true, sealed_key: created.sealedKey, key_share: created.keyShareText, passphrase: false });

beforeAll(async () => {
  [created, other] = await Promise.all([createFolderKey(), createFolderKey()]);
});
beforeEach(() => {
  asked = [];
  answer = sealedAnswer;
  keys = createKeyStore({ openDatabase: () => Promise.reject(new Error('none')), nowMs: Date.now });
  const fakeFetch = async (input: RequestInfo | URL) => {
    asked.push(String(input));
    return answer();
  };
  load = createFolderCrypto({ fetch: fakeFetch, keys }).loadFolderKey;
});

const linkHash = () => secretFragment(created.secret);

test('a new folder’s key has the lengths that the creating call wants', () => {
  expect([created.key.length, created.secret.length]).toEqual([64, 32]);
  expect(created.sealedKey).toMatch(/^[A-Za-z0-9_-]{123}$/);
  expect(created.keyShareText).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

describe('the key of a folder', () => {
  test('comes from the link’s secret and what the server holds, and may seal', async () => {
    const loaded = await load({ folder: FOLDER, userId: null, hash: linkHash() });
    expect(loaded).toEqual({ key: created.key, secret: created.secret, maySeal: true, error: null });
    expect(asked).toEqual(['/bot/aZ09aZ09aZ09aZ09/token-1']);
  });

  test('is remembered for a signed-in person and then needs no link', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    asked = [];
    const again = await load({ folder: FOLDER, userId: 'mika', hash: '' });
    expect(again).toEqual({ key: created.key, secret: created.secret, maySeal: true, error: null });
    expect(asked).toEqual([]);
    expect((await load({ folder: FOLDER, userId: 'jonas', hash: '' })).key).toBeNull();
  });

  test('is not remembered for a visitor', async () => {
    await load({ folder: FOLDER, userId: null, hash: linkHash() });
    expect(await keys.nextExpiryMs()).toBeNull();
  });

  test('from 128 hex characters is for reading only, and is not remembered', async () => {
    const loaded = await load({ folder: FOLDER, userId: 'mika', hash: `#${formatKey(created.key)}` });
    expect(loaded).toEqual({ key: created.key, secret: null, maySeal: false, error: null });
    expect(asked).toEqual([]);
    expect(await keys.nextExpiryMs()).toBeNull();
  });

  test('that is remembered goes before one that a crafted link brings', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const loaded = await load({ folder: FOLDER, userId: 'mika', hash: `#${formatKey(other.key)}` });
    expect(loaded.key).toEqual(created.key);
  });

  test('is not there without link or memory, and that is no error', async () => {
    expect(await load({ folder: FOLDER, userId: null, hash: '' })).toEqual({
      key: null,
      secret: null,
      maySeal: false,
      error: null,
    });
  });

  test('of a revoked folder is remembered, but takes no uploads', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const revoked: FolderCompleteData = { ...FOLDER, folder_link_mode: 'revoked', temp_key_api_token: null };
    expect(await load({ folder: revoked, userId: 'mika', hash: linkHash() })).toMatchObject({
      key: created.key,
      maySeal: false,
    });
  });

  test('is not asked for in a plain folder', async () => {
    const plain: FolderCompleteData = { ...FOLDER, folder_link_mode: 'plain' };
    expect(await load({ folder: plain, userId: 'mika', hash: linkHash() })).toMatchObject({ key: null, error: null });
    expect(asked).toEqual([]);
  });
});

describe('a folder still loads without a key', () => {
  const errorOf = async (hash = linkHash()) => {
    const loaded = await load({ folder: FOLDER, userId: 'mika', hash });
    expect([loaded.key, loaded.secret, loaded.maySeal]).toEqual([null, null, false]);
    return loaded.error;
  };

  test('and says that a wrong secret does not open it', async () => {
    expect((await errorOf(secretFragment(other.secret)))?.code).toBe('key.unsealable');
    expect(await keys.nextExpiryMs()).toBeNull();
  });

  test('and passes on the words of the key service', async () => {
    answer = () => json({ success: false, error: 'The key service is asleep' }, 503);
    expect((await errorOf())?.message).toBe('The key service is asleep');
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
    answer = () => {
      throw new TypeError('Failed to fetch');
    };
    expect((await errorOf())?.message).toBe('Failed to fetch');
  });

  test('and says what is wrong with the link', async () => {
    expect((await errorOf(`#k=${encodeBase64Url(created.secret).slice(1)}`))?.code).toBe('key.unsealable');
    expect((await errorOf(`#${'0'.repeat(100)}`))?.message).toContain('got 100');
  });

  test('and a remembered key stands in when the key service is away', async () => {
    await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    answer = () => {
      throw new TypeError('Failed to fetch');
    };
    const loaded = await load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    expect([loaded.key, loaded.error]).toEqual([created.key, null]);
  });
});
