import { formatKey, newFolderKey } from '@satchel/container/key';
import { addFolderKey } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  created,
  DISCORD,
  deposited,
  depositOf,
  FOLDER,
  json,
  KNOWS,
  kit,
  linkHash,
  NAME,
  nothing,
  OWNER,
  opened,
  other,
  PASSPHRASE,
  REVOKED,
  renewed,
  resetKit,
  sealedBy,
  sealingKey,
  serversRing,
} from '../testing/key-kit.ts';
import { derivePassphraseKey } from './derive-passphrase-key.ts';
import { createFolderCrypto } from './folder-crypto.ts';

beforeEach(resetKit);

describe('a link that was replaced', () => {
  const REPLACED: FolderCompleteData = { ...FOLDER, temp_key_api_token: 'token-3' };

  test('leaves the earlier keys for reading, and its dead secret is not passed on', async () => {
    await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    kit.answer = () => sealedBy(other);
    const loaded = await kit.load({ folder: REPLACED, userId: 'mika', hash: linkHash() });
    expect(loaded).toMatchObject({ ring: created.ring, secret: null, fragment: '' });
    expect(loaded.error?.code).toBe('key.unsealable');
    expect(await kit.load({ folder: REPLACED, userId: 'mika', hash: '' })).toMatchObject({ fragment: '', error: null });
  });

  test('and opened here brings all keys, seals with the newest, and replaces the remembered link', async () => {
    await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const next = await renewed(created.ring);
    kit.answer = () => sealedBy(next);
    expect(await kit.load({ folder: REPLACED, userId: 'mika', hash: linkHash(next) })).toEqual(opened(next));
    expect(next.ring.keys[0]).toEqual(created.ring.keys[0]);
    expect(await kit.load({ folder: REPLACED, userId: 'mika', hash: '' })).toEqual(opened(next, 'none'));
  });

  test('stays replaced: an old link that the server still opens takes no key away', async () => {
    const next = await renewed(created.ring);
    kit.answer = () => sealedBy(next);
    await kit.load({ folder: REPLACED, userId: 'mika', hash: linkHash(next) });
    kit.answer = () => sealedBy(created);
    const loaded = await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    expect(loaded).toMatchObject({ ring: next.ring, sealingKey: sealingKey(next) });
  });

  test('with a passphrase asks a device with earlier keys for it, by the new link alone', async () => {
    await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const next = await renewed(created.ring, PASSPHRASE);
    kit.answer = () => json({ success: true, passphrase: true });
    expect(await kit.load({ folder: REPLACED, userId: 'mika', hash: linkHash() })).toMatchObject({
      ring: created.ring,
      needsPassphrase: false,
      error: { code: 'key.unsealable' },
    });
    expect(await kit.load({ folder: REPLACED, userId: 'mika', hash: linkHash(next) })).toMatchObject({
      ring: created.ring,
      needsPassphrase: true,
    });
    kit.answer = () => sealedBy(next, true);
    const request = { folder: REPLACED, userId: 'mika', hash: linkHash(next) };
    expect(await kit.unlock(request, PASSPHRASE)).toEqual(opened(next));
  });

  test.each([undefined, PASSPHRASE])(
    'by this device, whose answer was lost, is found again (passphrase: %s)',
    async (passphrase) => {
      await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
      const next = await renewed(created.ring, passphrase);
      await kit.keys.keepPending('mika', FOLDER.folder_id, next);
      expect(await kit.load({ folder: FOLDER, userId: 'mika', hash: '' })).toMatchObject({ ring: created.ring });
      kit.answer = (body) => (passphrase && body === null ? json({ success: true, passphrase: true }) : sealedBy(next));
      const request = { folder: REPLACED, userId: 'mika', hash: linkHash() };
      const loaded = await kit.load(request);
      expect(loaded.needsPassphrase).toBe(passphrase !== undefined);
      const found = passphrase ? await kit.unlock(request, passphrase) : loaded;
      expect(found).toEqual(opened(next));
    },
  );
});

describe('the keys of a Discord-link folder', () => {
  beforeEach(() => {
    kit.answer = deposited;
  });
  const byServer = (knows: object = {}) => ({
    ring: { ...serversRing, keys: created.ring.keys },
    sealingKey: sealingKey(created),
    knows: { ...KNOWS, ring: 'servers', ...knows },
  });

  test('come from the server, and nothing is pinned by them', async () => {
    const loaded = await kit.load({ folder: DISCORD, userId: null, hash: '' });
    expect(loaded).toEqual({ ...nothing, ...byServer(), fragment: '' });
    expect(kit.asked).toEqual([{ url: '/bot/aZ09aZ09aZ09aZ09/token-2', body: null }]);
  });

  test('are all that it has, the newest last', async () => {
    const ring = { ...created.ring, keys: [newFolderKey(), newFolderKey(), newFolderKey()] };
    kit.answer = () => depositOf(ring);
    const loaded = await kit.load({ folder: DISCORD, userId: null, hash: '' });
    expect([loaded.ring?.keys, loaded.sealingKey]).toEqual([ring.keys, ring.keys[2]]);
  });

  test.each([[['ff']], ['ff'], [7], [Array(16).fill('ab'.repeat(64))]])(
    'are none when the earlier ones are no keys: %j',
    async (earlier_keys) => {
      kit.answer = () => json({ success: true, encryption_key: formatKey(sealingKey(created)!), earlier_keys });
      const loaded = await kit.load({ folder: DISCORD, userId: null, hash: '' });
      expect([loaded.ring, loaded.error?.code]).toEqual([null, 'key.not_found']);
    },
  );

  test('are not those that a secret in the address came for: it stays closed, and says so', async () => {
    const loaded = await kit.load({ folder: DISCORD, userId: 'jonas', hash: linkHash(other) });
    expect(loaded).toMatchObject({ ring: null, knows: { ring: 'none', address: 'secret' } });
    expect(loaded.error?.code).toBe('key.discord_now');
  });

  test('are remembered for the owner alone, who can read on after revoking, and pin nothing', async () => {
    for (const userId of ['jonas', OWNER]) await kit.load({ folder: DISCORD, userId, hash: '' });
    expect((await kit.load({ folder: REVOKED, userId: 'jonas', hash: '' })).ring).toBeNull();
    for (const folder of [REVOKED, { ...FOLDER, temp_key_api_token: 'token-4' }]) {
      const loaded = await kit.load({ folder, userId: OWNER, hash: '' });
      expect(loaded).toMatchObject({ ring: { keys: created.ring.keys }, knows: { ring: 'servers', mode: null } });
    }
  });

  test('stay those that the owner said yes to, with what was said of names', async () => {
    await kit.load({ folder: DISCORD, userId: OWNER, hash: '' });
    const { known } = await kit.keys.recallFolder(OWNER, NAME);
    await kit.keys.changePin(OWNER, FOLDER.folder_id, { mode: 'discord', ring: { ...known!.ring, hidesNames: true } });
    const loaded = await kit.load({ folder: { ...DISCORD, hide_names: false }, userId: OWNER, hash: '' });
    expect(loaded.knows).toMatchObject({ ring: 'servers', mode: 'discord', hidesNames: true });
  });

  test('are this device’s own, not the server’s', async () => {
    kit.answer = () => sealedBy(created);
    await kit.load({ folder: FOLDER, userId: OWNER, hash: linkHash() });
    kit.asked = [];
    kit.answer = () => depositOf(other.ring);
    const loaded = await kit.load({ folder: DISCORD, userId: OWNER, hash: '' });
    expect(loaded).toMatchObject({ ring: created.ring, secret: null, fragment: '', knows: { mode: 'private' } });
    expect(kit.asked).toEqual([]);
  });

  test('that were made here read what another device sealed since, and seal with this one’s', async () => {
    const { ring, secret } = created;
    const row = { ring, secret: null, mode: 'discord', kept: [], pending: null, is_servers: false } as const;
    const { folder_slug: slug, folder_expires_at: expires_at } = FOLDER;
    const remembered = { userId: OWNER, folderId: FOLDER.folder_id, slug, expires_at, api_token: 'token-2' };
    await kit.keys.rememberKey({ ...row, ...remembered });
    kit.asked = [];
    expect((await kit.load({ folder: DISCORD, userId: OWNER, hash: '' })).ring).toEqual(ring);
    expect(kit.asked).toEqual([]);
    const later = addFolderKey(ring);
    kit.answer = () => depositOf(later);
    const loaded = await kit.load({ folder: { ...DISCORD, temp_key_api_token: 'token-9' }, userId: OWNER, hash: '' });
    expect([loaded.ring?.keys, loaded.sealingKey]).toEqual([later.keys, ring.keys[0]]);
    expect(secret).toHaveLength(32);
  });

  test('are the server’s while it has some, not the key of a crafted link', async () => {
    const loaded = await kit.load({ folder: DISCORD, userId: null, hash: `#${formatKey(sealingKey(other)!)}` });
    expect(loaded).toMatchObject({ ...byServer({ address: 'key' }), fragment: '' });
  });

  test('are taken from the fragment when the server has none any more, for reading only', async () => {
    kit.answer = () => json({ success: false, error: 'Key not found' }, 404);
    const hash = `#${formatKey(sealingKey(created)!)}`;
    const loaded = await kit.load({ folder: DISCORD, userId: null, hash });
    expect(loaded).toMatchObject({ ring: { keys: created.ring.keys }, sealingKey: null });
    expect((await kit.load({ folder: DISCORD, userId: null, hash: '' })).error?.message).toBe('Key not found');
  });
});

describe('a claim of the server that contradicts what this device knows', () => {
  const CLAIMS: Partial<FolderCompleteData>[] = [
    { folder_link_mode: 'plain', temp_key_api_token: null },
    { folder_link_mode: 'plain' },
    { folder_link_mode: 'discord', temp_key_api_token: 'token-2' },
    { folder_link_mode: 'discord' },
    { hide_names: false },
  ];

  test.each(CLAIMS)('changes nothing of the keys that are remembered: %j', async (claim) => {
    await kit.load({ folder: FOLDER, userId: OWNER, hash: linkHash() });
    kit.answer = () => depositOf(other.ring);
    for (const hash of ['', linkHash()]) {
      const loaded = await kit.load({ folder: { ...FOLDER, ...claim }, userId: OWNER, hash });
      expect(loaded).toMatchObject({ ring: created.ring, knows: { ring: 'own', mode: 'private', hidesNames: true } });
    }
  });

  test('pins nothing new: another id for the same slug is still known as encrypted', async () => {
    await kit.load({ folder: FOLDER, userId: OWNER, hash: linkHash() });
    const plain = { ...FOLDER, folder_id: crypto.randomUUID(), folder_link_mode: 'plain' } as const;
    for (const userId of [OWNER, 'another account']) {
      expect((await kit.load({ folder: plain, userId, hash: '' })).knows).toEqual({ ...KNOWS, isPinned: true });
    }
  });

  test('puts no keys to use under another slug than theirs, nor asks for others in their place', async () => {
    await kit.load({ folder: FOLDER, userId: OWNER, hash: linkHash() });
    kit.asked = [];
    kit.answer = () => depositOf(other.ring);
    const elsewhere = { ...FOLDER, folder_slug: 'another-slug', folder_link_mode: 'discord' } as const;
    for (const hash of ['', linkHash(other)]) {
      const request = { folder: elsewhere, userId: OWNER, hash };
      const loaded = await kit.load(request);
      expect(loaded).toMatchObject({ ring: null, sealingKey: null, error: { code: 'folder.changed' } });
      expect(loaded.knows).toMatchObject({ ring: 'none', mode: null, isPinned: true });
      await expect(kit.unlock(request, PASSPHRASE)).rejects.toMatchObject({ code: 'folder.changed' });
    }
    expect(kit.asked).toEqual([]);
    expect((await kit.keys.recallFolder(OWNER, NAME)).known?.ring).toEqual(created.ring);
  });

  test('is not believed when this device can’t read what it knows', async () => {
    const unreadable = { ...kit.keys, recallFolder: () => Promise.reject(new DOMException('broken', 'UnknownError')) };
    const broken = createFolderCrypto({ fetch: async () => deposited(), keys: unreadable, derivePassphraseKey });
    const plain: FolderCompleteData = { ...FOLDER, folder_link_mode: 'plain', temp_key_api_token: null };
    expect((await broken.loadFolderKey({ folder: plain, userId: OWNER, hash: '' })).knows.isPinned).toBe(true);
  });
});

test('a dead link on a device that has the new one is said to be dead, and the server is not asked', async () => {
  await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
  const next = await renewed(created.ring);
  kit.answer = () => sealedBy(next);
  const folder = { ...FOLDER, temp_key_api_token: 'token-3' };
  await kit.load({ folder, userId: 'mika', hash: linkHash(next) });
  kit.asked = [];
  for (const facts of [folder, FOLDER]) {
    const loaded = await kit.load({ folder: facts, userId: 'mika', hash: linkHash() });
    expect(loaded).toMatchObject({ ring: next.ring, error: { code: 'key.unsealable' } });
  }
  expect(kit.asked).toEqual([]);
});
