import { decodeBase64Url } from '@satchel/container/base64url';
import { formatKey, openFolderKey } from '@satchel/container/key';
import type { Folder } from '@satchel/contract/entities';
import { expect, test } from 'vitest';
import type { rpc } from '../../lib/api.ts';
import { createFolderKey } from '../../lib/folder-crypto.ts';
import { parseFragment } from '../../lib/folder-link.ts';
import type { KeyToRemember } from '../../lib/key-store.ts';
import { derivePassphraseKey } from '../../workers/passphrase/derive-passphrase-key.ts';
import { createFolderMaker } from './create-folder.ts';
import { emptyDraft } from './folder-draft.ts';

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

/** The maker with the real crypto; what would leave the browser, and what stays, is written down. */
function recordingMaker() {
  const sent: Record<string, unknown>[] = [];
  const remembered: KeyToRemember[] = [];
  const make = createFolderMaker({
    rpc: (async (_name: string, input: Record<string, unknown>) => {
      sent.push(input);
      return {
        folder,
        temp_key_info: { api_token: 'token-1', created_at: folder.created_at, expires_at: folder.expires_at },
      };
    }) as unknown as typeof rpc,
    createFolderKey: (options) => createFolderKey(options, derivePassphraseKey),
    rememberKey: async (key) => {
      remembered.push(key);
    },
  });
  return { make, sent, remembered };
}

test('an encrypted folder’s link opens what the server was sent, which alone opens nothing', async () => {
  const { make, sent, remembered } = recordingMaker();
  const { fragment } = await make({ ...emptyDraft(24), name: ' Saturday raid ' }, folder.owner_profile_id);
  const link = parseFragment(fragment);
  if (link.kind !== 'secret') throw new Error(`the fragment is ${link.kind}`);
  const { sealed_key: sealedKey, key_share: share } = sent[0] as { sealed_key: string; key_share: string };
  const key = await openFolderKey({ sealedKey, secret: link.secret, share: decodeBase64Url(share) });
  expect(key).toEqual(remembered[0]?.key);
  expect(remembered[0]).toMatchObject({ userId: folder.owner_profile_id, folderId: folder.id, slug: folder.slug });
  expect(Object.keys(sent[0] ?? {}).sort()).toEqual([
    'expires_in_hours',
    'folder_description',
    'folder_name',
    'hide_names',
    'key_share',
    'sealed_key',
  ]);
  const secretText = fragment.slice('#k='.length);
  expect(secretText).toHaveLength(43);
  expect(JSON.stringify(sent)).not.toContain(secretText);
  expect(sent[0]).toMatchObject({ folder_name: 'Saturday raid', folder_description: null, hide_names: true });
});

test('a plain folder has no key, no fragment and nothing to remember', async () => {
  const { make, sent, remembered } = recordingMaker();
  const { fragment } = await make({ ...emptyDraft(24), encrypt: false }, folder.owner_profile_id);
  expect(fragment).toBe('');
  expect(remembered).toEqual([]);
  expect(sent[0]).toEqual({ folder_name: null, folder_description: null, expires_in_hours: 24, hide_names: false });
});

test('a Discord link leaves the key itself with the server, and the link needs no fragment', async () => {
  const { make, sent, remembered } = recordingMaker();
  const { fragment } = await make({ ...emptyDraft(24), discordLink: true }, folder.owner_profile_id);
  expect(fragment).toBe('');
  expect(remembered[0]).toMatchObject({ secret: null, is_servers: false, api_token: 'token-1' });
  expect(sent[0]).toMatchObject({
    encryption_key: formatKey(remembered[0]?.key ?? new Uint8Array()),
    hide_names: true,
  });
  expect(sent[0]).not.toHaveProperty('sealed_key');
});

test('with a passphrase neither link nor server opens the key alone, and the passphrase stays here', async () => {
  const { make, sent, remembered } = recordingMaker();
  const passphrase = 'blue heron walks';
  const draft = { ...emptyDraft(24), wantsPassphrase: true, passphrase, passphraseAgain: passphrase };
  const { fragment } = await make(draft, folder.owner_profile_id);
  const link = parseFragment(fragment);
  if (link.kind !== 'secret') throw new Error(`the fragment is ${link.kind}`);
  const { sealed_key: sealedKey, key_share } = sent[0] as { sealed_key: string; key_share: string };
  const share = decodeBase64Url(key_share);
  const { secret } = link;
  await expect(openFolderKey({ sealedKey, secret, share })).rejects.toMatchObject({ code: 'key.unsealable' });
  const passphraseKey = await derivePassphraseKey({ passphrase, secret });
  expect(await openFolderKey({ sealedKey, secret, share, passphraseKey })).toEqual(remembered[0]?.key);
  expect(sent[0]).toMatchObject({ passphrase: true, proof_hash: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) });
  expect(JSON.stringify([sent, remembered])).not.toContain(passphrase);
});

test('a folder that comes of a command in Discord says which, and no other does', async () => {
  const { make, sent } = recordingMaker();
  const draft = { ...emptyDraft(24), encrypt: false };
  await make(draft, folder.owner_profile_id, 'intent-1');
  await make(draft, folder.owner_profile_id, null);
  expect(sent.map(({ intent_id }) => intent_id)).toEqual(['intent-1', undefined]);
});
