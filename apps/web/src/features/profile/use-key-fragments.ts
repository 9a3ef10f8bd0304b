import type { Folder } from '@satchel/contract/entities';
import { useEffect, useState } from 'react';
import { secretFragment } from '../../lib/folder-link.ts';
import { recallKey } from '../../lib/key-store.ts';

/** Fragments by folder id; a folder whose secret this device does not hold has an empty one. */
export type KeyFragments = ReadonlyMap<string, string>;

const NONE: KeyFragments = new Map();

/** Only a private link has a secret: a Discord link opens by itself, and a plain folder needs none. */
async function recallFragment(userId: string, { id, link_mode }: Folder): Promise<string> {
  if (link_mode !== 'private') return '';
  const known = await recallKey(userId, id);
  return known?.secret ? secretFragment(known.secret) : '';
}

async function recallAll(userId: string, folders: readonly Folder[]): Promise<KeyFragments> {
  const entries = folders.map(async (folder) => [folder.id, await recallFragment(userId, folder)] as const);
  return new Map(await Promise.all(entries));
}

/** What this device remembers of one's own folders, so that their rows lead to the full link (CONTAINER §3). */
export function useKeyFragments(userId: string, folders: readonly Folder[]): KeyFragments {
  const [fragments, setFragments] = useState(NONE);
  useEffect(() => {
    let gone = false;
    void recallAll(userId, folders).then((found) => {
      if (!gone) setFragments(found);
    });
    return () => {
      gone = true;
    };
  }, [userId, folders]);
  return fragments;
}
