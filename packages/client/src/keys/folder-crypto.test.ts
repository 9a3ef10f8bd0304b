import { encodeBase64Url } from '@satchel/container/base64url';
import { formatKey } from '@satchel/container/key';
import type { FolderCompleteData } from '@satchel/contract/api';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  created,
  DISCORD,
  deposited,
  FOLDER,
  guarded,
  guardedAnswer,
  json,
  KNOWS,
  kit,
  linkHash,
  NAME,
  nothing,
  OWNER,
  offline,
  opened,
  other,
  PASSPHRASE,
  REVOKED,
  resetKit,
  sealedBy,
  sealingKey,
} from '../testing/key-kit.ts';
import { secretFragment } from './folder-link.ts';

beforeEach(resetKit);

test('a new folder’s key has the lengths that the creating call wants', () => {
  expect([created.ring.keys[0]?.length, created.secret.length]).toEqual([64, 32]);
  expect(created.fields.sealed_key).toMatch(/^[A-Za-z0-9_-]{127}$/);
  expect(created.fields.key_share).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(created.fields).not.toHaveProperty('passphrase');
  expect(guarded.fields).toMatchObject({ passphrase: true, proof_hash: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) });
});

describe('the key of a private folder', () => {
  test('comes from the link’s secret and what the server holds, and may seal', async () => {
    expect(await kit.load({ folder: FOLDER, userId: null, hash: linkHash() })).toEqual(opened());
    expect(kit.asked).toEqual([{ url: '/bot/aZ09aZ09aZ09aZ09/token-1', body: null }]);
  });

  test('is remembered for a signed-in person, and then needs neither link nor server', async () => {
    await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    kit.asked = [];
    for (const [hash, address] of [
      ['', 'none'],
      [linkHash(), 'secret'],
    ] as const) {
      expect(await kit.load({ folder: FOLDER, userId: 'mika', hash })).toEqual(opened(created, address));
    }
    expect(kit.asked).toEqual([]);
    expect((await kit.load({ folder: FOLDER, userId: 'jonas', hash: '' })).ring).toBeNull();
  });

  test('is not remembered for a visitor', async () => {
    await kit.load({ folder: FOLDER, userId: null, hash: linkHash() });
    expect(await kit.keys.nextExpiryMs()).toBeNull();
  });

  test('from 128 hex characters is for reading only, for files that the key vouches for, and is not remembered', async () => {
    const keyHex = formatKey(sealingKey(created)!);
    const hash = `#${keyHex}.${keyHex}`;
    expect(await kit.load({ folder: FOLDER, userId: 'mika', hash })).toEqual({
      ...nothing,
      ring: { keys: [sealingKey(created), sealingKey(created)], hidesNames: true },
      fragment: hash,
      knows: { ...KNOWS, address: 'key' },
    });
    expect(kit.asked).toEqual([]);
    expect(await kit.keys.nextExpiryMs()).toBeNull();
  });

  test('that is remembered takes precedence over one that a crafted link brings', async () => {
    await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const loaded = await kit.load({ folder: FOLDER, userId: 'mika', hash: `#${formatKey(sealingKey(other)!)}` });
    expect(loaded).toEqual(opened(created, 'key'));
  });

  test('that is remembered is not replaced by a crafted link’s, which the server has made fit', async () => {
    await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    kit.answer = () => sealedBy(other);
    const loaded = await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash(other) });
    expect(loaded).toMatchObject({ ring: created.ring, error: { code: 'key.unsealable' } });
    expect((await kit.keys.recallFolder('mika', NAME)).known?.ring).toEqual(created.ring);
  });

  test('is never one that the server sends as it is', async () => {
    kit.answer = deposited;
    const loaded = await kit.load({ folder: FOLDER, userId: OWNER, hash: linkHash() });
    expect([loaded.ring, loaded.error?.code]).toEqual([null, 'key.unsealable']);
  });

  test('is neither one that the server sends beside the sealed one', async () => {
    const { sealed_key, key_share } = created.fields;
    kit.answer = () => json({ success: true, sealed_key, key_share, encryption_key: formatKey(sealingKey(other)!) });
    const loaded = await kit.load({ folder: FOLDER, userId: OWNER, hash: linkHash() });
    expect([loaded.ring, loaded.error?.code]).toEqual([null, 'key.unsealable']);
  });

  test('is not there without link or memory, and that is no error', async () => {
    expect(await kit.load({ folder: FOLDER, userId: null, hash: '' })).toEqual({ ...nothing, fragment: '' });
  });

  test('of a revoked folder is remembered, and its dead secret is not handed on', async () => {
    await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    expect(await kit.load({ folder: REVOKED, userId: 'mika', hash: linkHash() })).toMatchObject({
      ring: created.ring,
      fragment: '',
    });
  });

  test('is not asked for in a plain folder that this device does not know', async () => {
    const plain: FolderCompleteData = { ...FOLDER, folder_link_mode: 'plain', temp_key_api_token: null };
    expect(await kit.load({ folder: plain, userId: 'mika', hash: '' })).toEqual({ ...nothing, fragment: '' });
    expect(kit.asked).toEqual([]);
  });

  test('of a page stays with the page of a visitor, who has no other place for it', async () => {
    const { known } = await kit.load({ folder: FOLDER, userId: null, hash: linkHash() });
    kit.answer = deposited;
    const loaded = await kit.load({ folder: DISCORD, userId: null, hash: linkHash(), held: known });
    expect(loaded).toMatchObject({ ring: created.ring, knows: { ring: 'own', mode: 'private' }, error: null });
    expect(await kit.keys.nextExpiryMs()).toBeNull();
    // Deleted from the address, as by "Forget Keys", the key is deleted from the page.
    expect((await kit.load({ folder: FOLDER, userId: null, hash: '', held: known })).ring).toBeNull();
  });
});

describe('the key of a folder with a passphrase', () => {
  const folder: FolderCompleteData = { ...FOLDER, temp_key_passphrase: true };
  const request = (userId: string | null) => ({ folder, userId, hash: linkHash(guarded) });
  beforeEach(() => {
    kit.answer = guardedAnswer;
  });

  test('is not there before the passphrase, and the link is handed on as it came', async () => {
    expect(await kit.load(request(null))).toEqual({
      ...nothing,
      needsPassphrase: true,
      fragment: linkHash(guarded),
      knows: { ...KNOWS, address: 'secret' },
    });
  });

  test('comes with the passphrase, however its letters are composed, and may seal', async () => {
    expect(await kit.unlock(request(null), PASSPHRASE.normalize('NFD'))).toEqual(opened(guarded));
  });

  test('is remembered for a signed-in person, who is not asked again', async () => {
    await kit.unlock(request('mika'), PASSPHRASE);
    kit.asked = [];
    expect(await kit.load(request('mika'))).toEqual(opened(guarded));
    expect(kit.asked).toEqual([]);
    expect((await kit.load(request(null))).needsPassphrase).toBe(true);
  });

  test('stays shut for another passphrase, with the tries that are left', async () => {
    await expect(kit.unlock(request('mika'), 'gruene Wolke')).rejects.toMatchObject({
      code: 'key.wrong_passphrase',
      params: { tries: 9 },
    });
    expect(await kit.keys.nextExpiryMs()).toBeNull();
  });

  test('stays shut when there are no tries left, and says how long', async () => {
    kit.answer = () => json({ success: false, error: 'No tries left', tries_left: 0, retry_after_seconds: 1801 }, 429);
    await expect(kit.unlock(request(null), PASSPHRASE)).rejects.toMatchObject({
      code: 'key.no_tries_left',
      params: { minutes: 31 },
    });
  });

  test('stays shut when the network asked too often, which is said in the server’s words, not as wrong passphrases', async () => {
    const error = 'Too many requests. Try again in 2 seconds';
    kit.answer = () => json({ success: false, error, retry_after_seconds: 2 }, 429);
    await expect(kit.unlock(request(null), PASSPHRASE)).rejects.toMatchObject({
      code: 'key.retrieval_failed',
      message: error,
    });
  });

  test('does not open where the server says that none is needed', async () => {
    kit.answer = () => sealedBy(guarded);
    const loaded = await kit.load({ folder: FOLDER, userId: null, hash: linkHash(guarded) });
    expect([loaded.ring, loaded.needsPassphrase, loaded.error?.code]).toEqual([null, false, 'key.unsealable']);
  });

  test('that was never set is asked for in vain, and the server does not learn what is typed', async () => {
    kit.answer = (body) => (body === null ? json({ success: true, passphrase: true }) : sealedBy(created, true));
    const unlocking = kit.unlock({ folder, userId: null, hash: linkHash() }, PASSPHRASE);
    await expect(unlocking).rejects.toMatchObject({ code: 'key.unsealable' });
    expect(kit.asked.at(-1)?.body).toContain('"proof"');
    expect(JSON.stringify(kit.asked)).not.toContain(PASSPHRASE);
  });

  test('tells the server neither passphrase nor secret', async () => {
    await kit.load(request('mika'));
    await kit.unlock(request('mika'), PASSPHRASE);
    const sent = JSON.stringify(kit.asked);
    for (const canary of [PASSPHRASE, 'Wolke', encodeBase64Url(guarded.secret)]) expect(sent).not.toContain(canary);
    expect(kit.asked).toHaveLength(2);
  });
});

describe('a folder that was read without the procedure, which alone tells where its key is', () => {
  const untold = (folder: FolderCompleteData) => ({ ...folder, temp_key_api_token: null });

  test.each([FOLDER, DISCORD])('takes the key of the fragment, for reading, and asks for none', async (folder) => {
    const hash = `#${formatKey(sealingKey(created)!)}`;
    const loaded = await kit.load({ folder: untold(folder), userId: 'mika', hash });
    expect(loaded).toMatchObject({ ring: { keys: created.ring.keys }, sealingKey: null, fragment: hash, error: null });
    expect(kit.asked).toEqual([]);
  });

  test.each([FOLDER, DISCORD])('has none without it, and says so', async (folder) => {
    const loaded = await kit.load({ folder: untold(folder), userId: 'mika', hash: linkHash() });
    expect(loaded).toMatchObject({ ring: null, error: { message: 'Key not found' } });
    expect(kit.asked).toEqual([]);
  });

  test('has the one that this device remembers, before one of the fragment', async () => {
    await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const loaded = await kit.load({
      folder: untold(FOLDER),
      userId: 'mika',
      hash: `#${formatKey(sealingKey(other)!)}`,
    });
    expect(loaded).toEqual(opened(created, 'key'));
  });
});

describe('a folder still loads without a key', () => {
  const errorOf = async (hash = linkHash()) => {
    const loaded = await kit.load({ folder: FOLDER, userId: 'mika', hash });
    expect(loaded).toMatchObject({ ring: null, secret: null, fragment: hash, error: expect.anything() });
    return loaded.error;
  };

  test('and says that a wrong secret does not open it', async () => {
    expect((await errorOf(secretFragment(other.secret)))?.code).toBe('key.unsealable');
    expect(await kit.keys.nextExpiryMs()).toBeNull();
  });

  test('and passes on the words of the key service', async () => {
    kit.answer = () => json({ success: false, error: 'The key service is asleep' }, 503);
    expect((await errorOf())?.message).toBe('The key service is asleep');
    // A server whose key service is on another machine says so itself when that is away.
    const away = { code: 'request.unavailable', params: {}, message: 'Try again in a moment', status: 503 };
    kit.answer = () => json({ error: away }, 503);
    expect((await errorOf())?.message).toBe('Try again in a moment');
  });

  test('and says "Key not found" when the service says nothing', async () => {
    for (const body of [
      () => json({ success: false, error: 'Key not found' }, 404),
      () => new Response('<html>', { status: 502 }),
      () => json({ success: true, sealed_key: 'x' }),
    ]) {
      kit.answer = body;
      const error = await errorOf();
      expect([error?.code, error?.message]).toEqual(['key.not_found', 'Key not found']);
    }
  });

  test('and says what the network said', async () => {
    kit.answer = offline;
    expect((await errorOf())?.message).toBe('Failed to fetch');
  });

  test('and says what is wrong with the link', async () => {
    expect((await errorOf(`#k=${encodeBase64Url(created.secret).slice(1)}`))?.code).toBe('key.unsealable');
    expect((await errorOf(`#${'0'.repeat(100)}`))?.message).toContain('got 100');
  });

  test('and says so beside a remembered key, too', async () => {
    await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    const loaded = await kit.load({ folder: FOLDER, userId: 'mika', hash: `#${'0'.repeat(100)}` });
    expect(loaded).toEqual({ ...opened(created, 'key'), error: expect.objectContaining({ code: 'key.bad_length' }) });
  });

  test('and a remembered key is used when the key service is unreachable', async () => {
    await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash() });
    kit.answer = offline;
    const loaded = await kit.load({ folder: FOLDER, userId: 'mika', hash: linkHash(other) });
    expect([loaded.ring, loaded.error]).toEqual([created.ring, null]);
  });
});
