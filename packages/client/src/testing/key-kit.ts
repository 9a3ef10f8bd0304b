import { formatKey, hashProof } from '@satchel/container/key';
import { addFolderKey, type Keyring } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import { expect } from 'vitest';
import {
  type CreatedFolderKey,
  createFolderCrypto,
  createFolderKey,
  type FolderKeyRequest,
  type LoadedFolderKey,
} from '../keys/folder-crypto.ts';
import { secretFragment } from '../keys/folder-link.ts';
import { createKeyStore } from '../keys/key-store.ts';
import { sealLink } from '../keys/sealed-link.ts';
import { deriveOnce } from './derive-once.ts';

/** A folder, the server's side of its link, and a device that opens it. */

export const FOLDER: FolderCompleteData = {
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

export const OWNER = FOLDER.folder_owner_profile_id;
export const DISCORD: FolderCompleteData = { ...FOLDER, folder_link_mode: 'discord', temp_key_api_token: 'token-2' };
export const REVOKED: FolderCompleteData = { ...FOLDER, folder_link_mode: 'revoked', temp_key_api_token: null };
export const PASSPHRASE = 'grüne Wolke';

function newKeys() {
  return createKeyStore({
    openRows: async () => null,
    nowMs: Date.now,
    serverTimeMs: Date.now,
  });
}

const [created, other] = await Promise.all([
  createFolderKey({ hidesNames: true }, deriveOnce),
  createFolderKey({ hidesNames: true }, deriveOnce),
]);
const guarded = await createFolderKey({ hidesNames: true, passphrase: PASSPHRASE }, deriveOnce);

export { created, guarded, other };

export const json = (body: unknown, status = 200) => Response.json(body, { status });
export const sealedBy = ({ fields: { sealed_key, key_share } }: CreatedFolderKey, passphrase = false) =>
  json({ success: true, sealed_key, key_share, passphrase });
export const depositOf = ({ keys }: Keyring) => {
  const [encryption_key, ...earlier_keys] = keys.map(formatKey).toReversed();
  return json({ success: true, encryption_key, ...(earlier_keys.length > 0 && { earlier_keys }) });
};
export const deposited = () => depositOf(created.ring);
/** A private link that was made later, with a key more. */
export const renewed = async (ring: Keyring, passphrase?: string): Promise<CreatedFolderKey> => {
  const next = addFolderKey(ring);
  return { ring: next, ...(await sealLink(next, passphrase ? { passphrase } : {}, deriveOnce)) };
};
export const offline = (): Response => {
  throw new TypeError('Failed to fetch');
};

/** As the server does: nothing before the proof, which it knows by its hash. */
export const guardedAnswer = async (body: string | null): Promise<Response> => {
  if (body === null) return json({ success: true, passphrase: true });
  const hash = await hashProof((JSON.parse(body) as { proof: string }).proof);
  if (hash === guarded.fields.proof_hash) return sealedBy(guarded, true);
  return json({ success: false, error: 'Wrong passphrase', tries_left: 9 }, 403);
};

/** What the code under test sees, fresh for every test. */
export const kit = {
  asked: [] as { url: string; body: string | null }[],
  answer: (() => json(null, 404)) as (body: string | null) => Response | Promise<Response>,
  keys: newKeys(),
  load: (_request: FolderKeyRequest): Promise<LoadedFolderKey> => Promise.reject(new Error('not reset')),
  unlock: (_request: FolderKeyRequest, _passphrase: string): Promise<LoadedFolderKey> =>
    Promise.reject(new Error('not reset')),
};

/** A server that has the private link `created`, and a device that remembers nothing. */
export function resetKit(): void {
  kit.asked = [];
  kit.answer = () => sealedBy(created);
  kit.keys = newKeys();
  const fakeFetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const body = typeof init?.body === 'string' ? init.body : null;
    kit.asked.push({ url: String(input), body });
    return kit.answer(body);
  };
  const crypto = createFolderCrypto({ fetch: fakeFetch, keys: kit.keys, derivePassphraseKey: deriveOnce });
  [kit.load, kit.unlock] = [crypto.loadFolderKey, crypto.unlockFolderKey];
}

export const linkHash = (of = created) => secretFragment(of.secret);
export const KNOWS = {
  ring: 'none',
  mode: null,
  hidesNames: false,
  kept: [],
  address: 'none',
  isPinned: false,
} as const;
export const sealingKey = ({ ring: { keys } }: CreatedFolderKey) => keys.at(-1);
/** What was opened through a link, or is remembered of one. */
export const opened = (of = created, address: 'secret' | 'key' | 'none' = 'secret') => ({
  ring: of.ring,
  sealingKey: sealingKey(of),
  secret: of.secret,
  fragment: linkHash(of),
  needsPassphrase: false,
  error: null,
  known: expect.objectContaining({ ring: of.ring, secret: of.secret, mode: 'private', is_servers: false }),
  knows: { ring: 'own', mode: 'private', hidesNames: true, kept: [], address, isPinned: expect.any(Boolean) },
});
export const nothing = {
  ring: null,
  sealingKey: null,
  secret: null,
  needsPassphrase: false,
  error: null,
  known: null,
  knows: KNOWS,
};
export const serversRing = { keys: expect.anything(), hidesNames: true };
export const NAME = { folderId: FOLDER.folder_id, slug: FOLDER.folder_slug };
