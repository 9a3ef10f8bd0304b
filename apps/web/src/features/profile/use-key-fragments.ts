import type { Folder } from '@satchel/contract/entities';
import { useEffect, useState } from 'react';
import { rpc } from '../../lib/api.ts';
import { secretFragment } from '../../lib/folder-link.ts';
import { recallKey } from '../../lib/key-store.ts';
import { queryClient } from '../../lib/query-client.ts';

/** Fragments by folder id; a folder whose secret this device does not hold has an empty one. */
export type KeyFragments = ReadonlyMap<string, string>;

const NONE: KeyFragments = new Map();

/** The token of the folder's present link; asked for at most twice a minute. */
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
 * Only a private link has a secret: a Discord link opens by itself, and a plain folder needs none. A secret whose link was
 * replaced, by another device perhaps, opens nothing any more, and is not handed out.
 */
async function recallFragment(userId: string, { id, slug, link_mode }: Folder): Promise<string> {
  if (link_mode !== 'private') return '';
  const known = await recallKey(userId, { folderId: id, slug });
  if (!known?.secret) return '';
  const token = await presentToken(slug).catch(() => null);
  return token !== null && token === known.api_token ? secretFragment(known.secret) : '';
}

export async function recallFragments(userId: string, folders: readonly Folder[]): Promise<KeyFragments> {
  const entries = folders.map(async (folder) => [folder.id, await recallFragment(userId, folder)] as const);
  return new Map(await Promise.all(entries));
}

/** What this device remembers of one's own folders, so that their rows lead to the full link (CONTAINER §3). */
export function useKeyFragments(userId: string, folders: readonly Folder[]): KeyFragments {
  const [fragments, setFragments] = useState(NONE);
  useEffect(() => {
    let gone = false;
    void recallFragments(userId, folders).then((found) => {
      if (!gone) setFragments(found);
    });
    return () => {
      gone = true;
    };
  }, [userId, folders]);
  return fragments;
}
