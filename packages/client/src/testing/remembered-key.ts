import { newKeyring } from '@satchel/container/keyring';
import type { KeyToRemember } from '../keys/key-store.ts';

export const NAME = { folderId: 'a', slug: 'slug-of-a' };

/** A private folder's own keys, as the key store takes them. */
export const REMEMBERED: KeyToRemember = {
  userId: 'mika',
  ...NAME,
  secret: new Uint8Array(32),
  ring: newKeyring({ hidesNames: true }),
  mode: 'private',
  kept: [],
  pending: null,
  is_servers: false,
  api_token: 'token-1',
  expires_at: '2999-01-01T00:00:00Z',
};
