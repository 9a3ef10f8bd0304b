import { decodeBase64Url } from '@satchel/container/base64url';
import { formatKey } from '@satchel/container/key';
import { openKeyring } from '@satchel/container/keyring';
import type { Folder } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import type { Api } from '../api.ts';
import { parseFragment } from '../keys/folder-link.ts';
import type { KeyToRemember } from '../keys/key-store.ts';
import { deriveOnce } from '../testing/derive-once.ts';
import { createFolderMaker, type FolderWish } from './create-folder.ts';

const WISH: FolderWish = {
  name: '',
  description: '',
  linkMode: 'private',
  hideNames: true,
  passphrase: null,
  lifetimeHours: 24,
};

const folder: Folder = {
  id: '7d0c0000-0000-4000-8000-000000000101',
  slug: 'Yt3kQ9vXabcdEF01',
  name: 'Saturday raid',
  description: null,
  created_at: '2026-03-14T10:00:00Z',
  expires_at: '2026-03-15T10:00:00Z',
  bucket: 'unlocked-folders',
  bucket_storage_path: 'x',
  size_bytes: 0,
  file_count: 0,
  owner_profile_id: '7d0c0000-0000-4000-8000-000000000001',
  link_mode: 'private',
  access: 'link',
  hide_names: true,
  show_name_in_previews: false,
};

/** Replaces an answer by an error or by another answer; undefined leaves it as it is. */
type Failing = (procedure: string, input: Record<string, unknown>) => Promise<object | undefined>;

/**
 * Creates folders with the real crypto; records what is sent and what this device stores.
 * @param isKept whether this device can store a key
 */
function recordingMaker(made: Partial<Folder> = {}, isKept = false, fail: Failing = async () => undefined) {
  const sent: Record<string, unknown>[] = [];
  const remembered: KeyToRemember[] = [];
  const make = createFolderMaker({
    pausesMs: [0, 0],
    rpc: (async (name: string, input: Record<string, unknown>) => {
      const instead = await fail(name, input);
      if (instead) return instead;
      sent.push(input);
      return {
        folder: { ...folder, ...made },
        temp_key_info: { api_token: 'token-1', created_at: folder.created_at, expires_at: folder.expires_at },
      };
    }) as unknown as Api['rpc'],
    derivePassphraseKey: deriveOnce,
    rememberKey: async (key) => {
      remembered.push(key);
      return isKept;
    },
  });
  return { make, sent, remembered };
}

test('an encrypted folder’s link opens what the server got; the server’s part alone opens nothing', async () => {
  const { make, sent, remembered } = recordingMaker();
  const { fragment } = await make({ ...WISH, name: ' Saturday raid ' }, folder.owner_profile_id);
  const link = parseFragment(fragment);
  if (link.kind !== 'secret') throw new Error(`the fragment is ${link.kind}`);
  const { sealed_key: sealedKey, key_share: share } = sent[0] as { sealed_key: string; key_share: string };
  const [key] = (await openKeyring({ sealedKey, secret: link.secret, share: decodeBase64Url(share) })).keys;
  expect(key).toEqual(remembered[0]?.ring.keys[0]);
  expect(remembered[0]).toMatchObject({ userId: folder.owner_profile_id, folderId: folder.id, slug: folder.slug });
  expect(Object.keys(sent[0] ?? {}).sort()).toEqual([
    'expires_in_hours',
    'folder_description',
    'folder_name',
    'folder_slug',
    'hide_names',
    'key_share',
    'sealed_key',
  ]);
  const secretText = fragment.slice('#k='.length);
  expect(secretText).toHaveLength(43);
  expect(JSON.stringify(sent)).not.toContain(secretText);
  expect(sent[0]).toMatchObject({ folder_name: 'Saturday raid', folder_description: null, hide_names: true });
});

test('once this device stores the key, the folder’s address has none', async () => {
  const { make, remembered } = recordingMaker({}, true);
  const { fragment } = await make(WISH, folder.owner_profile_id);
  expect(fragment).toBe('');
  expect(remembered[0]?.secret).toHaveLength(32);
});

test('a plain folder has no key, no fragment and no stored record', async () => {
  const { make, sent, remembered } = recordingMaker({ link_mode: 'plain', hide_names: false });
  const { fragment } = await make({ ...WISH, linkMode: 'plain' as const }, folder.owner_profile_id);
  expect(fragment).toBe('');
  expect(remembered).toEqual([]);
  expect(sent[0]).toEqual({
    folder_name: null,
    folder_description: null,
    expires_in_hours: 24,
    hide_names: false,
    folder_slug: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
  });
});

test('invisible characters in a pasted name or description are left out', async () => {
  const { make, sent } = recordingMaker();
  const draft = { ...WISH, name: '\ufeffSun\u00adday \u200b', description: 'a\u2060b 👩‍🚀' };
  await make(draft, folder.owner_profile_id);
  expect(sent[0]).toMatchObject({ folder_name: 'Sunday', folder_description: 'ab 👩‍🚀' });
});

test('a Discord link gives the server the key, and needs no fragment', async () => {
  const { make, sent, remembered } = recordingMaker({ link_mode: 'discord' });
  const { fragment } = await make({ ...WISH, linkMode: 'discord' as const }, folder.owner_profile_id);
  expect(fragment).toBe('');
  expect(remembered[0]).toMatchObject({ mode: 'discord', secret: null, is_servers: false, api_token: 'token-1' });
  expect(sent[0]).toMatchObject({
    encryption_key: formatKey(remembered[0]?.ring.keys[0] ?? new Uint8Array()),
    hide_names: true,
  });
  expect(sent[0]).not.toHaveProperty('sealed_key');
});

test('with a passphrase neither link nor server opens the key alone, and the passphrase stays here', async () => {
  const { make, sent, remembered } = recordingMaker();
  const passphrase = 'blue heron walks';
  const draft = { ...WISH, passphrase };
  const { fragment } = await make(draft, folder.owner_profile_id);
  const link = parseFragment(fragment);
  if (link.kind !== 'secret') throw new Error(`the fragment is ${link.kind}`);
  const { sealed_key: sealedKey, key_share } = sent[0] as { sealed_key: string; key_share: string };
  const share = decodeBase64Url(key_share);
  const { secret } = link;
  await expect(openKeyring({ sealedKey, secret, share })).rejects.toMatchObject({ code: 'key.unsealable' });
  const passphraseKey = await deriveOnce({ passphrase, secret });
  expect((await openKeyring({ sealedKey, secret, share, passphraseKey })).keys).toEqual(remembered[0]?.ring.keys);
  expect(sent[0]).toMatchObject({ passphrase: true, proof_hash: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) });
  expect(JSON.stringify([sent, remembered])).not.toContain(passphrase);
});

test('only a folder from a Discord command sends the intent’s id', async () => {
  const { make, sent } = recordingMaker({ link_mode: 'plain', hide_names: false });
  const draft = { ...WISH, linkMode: 'plain' as const };
  await make(draft, folder.owner_profile_id, 'intent-1');
  await make(draft, folder.owner_profile_id, null);
  expect(sent.map(({ intent_id }) => intent_id)).toEqual(['intent-1', undefined]);
});

test.each([true, false])('the sealed keyring and the memory say whether names are hidden: %s', async (hideNames) => {
  const { make, sent, remembered } = recordingMaker({ hide_names: hideNames });
  const { fragment } = await make({ ...WISH, hideNames }, folder.owner_profile_id);
  const link = parseFragment(fragment);
  const { sealed_key: sealedKey, key_share: share } = sent[0] as { sealed_key: string; key_share: string };
  const secret = link.kind === 'secret' ? link.secret : new Uint8Array();
  const ring = await openKeyring({ sealedKey, secret, share: decodeBase64Url(share) });
  expect(ring).toMatchObject({ hidesNames: hideNames });
  expect(remembered[0]).toMatchObject({ mode: 'private', ring });
});

test.each([
  { link_mode: 'plain' },
  { link_mode: 'discord' },
  { hide_names: false },
  { access: 'restricted' },
  { owner_profile_id: '7d0c0000-0000-4000-8000-000000000002' },
] as const)('a folder other than requested is refused, and pinned as requested: %j', async (made) => {
  const { make, remembered } = recordingMaker(made);
  await expect(make(WISH, folder.owner_profile_id)).rejects.toMatchObject({ code: 'folder.not_as_asked' });
  expect(remembered[0]).toMatchObject({ mode: 'private', ring: { hidesNames: true }, is_servers: false });
});

test.each(['private', 'discord'] as const)('a plain folder returned as %s is refused', async (link_mode) => {
  const { make } = recordingMaker({ link_mode, hide_names: false });
  const made = make({ ...WISH, linkMode: 'plain' as const }, folder.owner_profile_id);
  await expect(made).rejects.toMatchObject({ code: 'folder.not_as_asked' });
});

const LOST = new AppError('unexpected', { message: '502 Bad Gateway' });

test('after a lost answer the page asks for the same folder again, not for a second one', async () => {
  const inputs: object[] = [];
  const { make, sent } = recordingMaker({}, false, async (_, input) => {
    inputs.push(input);
    if (inputs.length < 3) throw LOST;
    return undefined;
  });
  await make(WISH, folder.owner_profile_id);
  expect(inputs).toEqual([sent[0], sent[0], sent[0]]);
});

test('a folder that the server made before its answer was lost is used', async () => {
  const calls: string[] = [];
  const asked: Record<string, unknown>[] = [];
  const { make, remembered } = recordingMaker({}, false, async (name, input) => {
    calls.push(name);
    asked.push(input);
    if (calls.length === 1) throw LOST;
    if (calls.length === 2) throw new AppError('folder.slug_taken');
    return {
      folder_id: folder.id,
      folder_slug: asked[0]?.folder_slug,
      folder_name: null,
      folder_description: null,
      folder_created_at: folder.created_at,
      folder_expires_at: folder.expires_at,
      folder_bucket: folder.bucket,
      folder_bucket_storage_path: 'x',
      folder_size_bytes: 0,
      folder_owner_profile_id: folder.owner_profile_id,
      folder_link_mode: 'private',
      folder_access: 'link',
      hide_names: true,
      show_name_in_previews: false,
      temp_key_api_token: 'token-2',
      temp_key_created_at: folder.created_at,
      temp_key_expires_at: folder.expires_at,
      server_time: folder.created_at,
    };
  });
  const made = await make(WISH, folder.owner_profile_id);
  const slug = asked[0]?.folder_slug as string;
  expect(calls.slice(1)).toEqual(['create_folder_with_temp_key', 'get_folder_complete_data']);
  expect(asked[2]).toEqual({ input_folder_slug: slug });
  expect(made.folder).toEqual({ ...folder, name: null, slug });
  expect(remembered[0]).toMatchObject({ slug, folderId: folder.id, api_token: 'token-2' });
});

test('another person’s folder of that name, a refusal, and answers that never come are errors', async () => {
  const taken = new AppError('folder.slug_taken');
  for (const [errors, code, tries] of [
    [[taken], 'folder.slug_taken', 1],
    [[new AppError('folder.too_many', { max: 1 })], 'folder.too_many', 1],
    [[LOST, LOST, LOST], 'unexpected', 3],
    [[LOST, taken, new AppError('folder.not_found')], 'folder.not_found', 3],
  ] as const) {
    const left: AppError[] = [...errors];
    let tried = 0;
    const { make } = recordingMaker({}, false, async () => {
      tried += 1;
      throw left.shift();
    });
    await expect(make(WISH, folder.owner_profile_id)).rejects.toMatchObject({ code });
    expect(tried).toBe(tries);
  }
});
