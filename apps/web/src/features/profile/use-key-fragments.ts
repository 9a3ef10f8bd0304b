import { secretFragment } from '@satchel/client/keys/folder-link';
import type { Folder } from '@satchel/contract/entities';
import { useEffect, useState } from 'react';
import { queryClient } from '../../account/session/query-client.ts';
import { recallKey } from '../../engine/keys/key-store.ts';
import { rpc } from '../../lib/api/api.ts';
import { whileCurrent } from '../../lib/browser/while-current.ts';

/** Fragments by folder id; empty if this device has no secret of the folder. */
export type KeyFragments = ReadonlyMap<string, string>;

const NONE: KeyFragments = new Map();

/** Token of the folder's present link; fetched at most twice a minute. */
const presentToken = (slug: string): Promise<string | null> =>
  queryClient.fetchQuery({
    queryKey: ['present-link', slug],
    queryFn: async () => {
      const data = await rpc('get_folder_complete_data', { input_folder_slug: slug });
      return 'temp_key_api_token' in data ? data.temp_key_api_token : null;
    },
    staleTime: 30_000,
  });

/**
 * Only a private link has a secret: a Discord link opens without one, and a plain folder needs none. A secret of a
 * replaced link (perhaps by another device) opens nothing any more, and is not shared.
 */
async function recallFragment(userId: string, { id, slug, link_mode }: Folder): Promise<string> {
  if (link_mode !== 'private') return '';
  // A device whose storage can't be read has no secret to share.
  const known = await recallKey(userId, { folderId: id, slug }).catch(() => null);
  if (!known?.secret) return '';
  const token = await presentToken(slug).catch(() => null);
  return token !== null && token === known.api_token ? secretFragment(known.secret) : '';
}

export async function recallFragments(userId: string, folders: readonly Folder[]): Promise<KeyFragments> {
  const entries = folders.map(async (folder) => [folder.id, await recallFragment(userId, folder)] as const);
  return new Map(await Promise.all(entries));
}

/** The secrets of the person's own folders on this device: their rows link to the full address (docs/container.md §3). */
export function useKeyFragments(userId: string, folders: readonly Folder[]): KeyFragments {
  const [fragments, setFragments] = useState(NONE);
  useEffect(() => whileCurrent(recallFragments(userId, folders), setFragments), [userId, folders]);
  return fragments;
}
