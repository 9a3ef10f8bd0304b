import { useEffect } from 'react';
import type { FolderKeyState } from '../features/folder/use-folder-key.ts';
import type { PageLink } from './use-page-link.ts';

/**
 * Takes the key out of the address, with no step in the history, once this device remembers it for who is signed in: what
 * an address holds, the browser writes into its history. Copy Link and Share have the full link. Visitors keep theirs.
 */
export function useBareAddress(
  folderId: string,
  userId: string | null,
  { hash, setHash }: PageLink,
  { error, keys, secret }: FolderKeyState,
): void {
  useEffect(() => {
    // A fragment that something is wrong with stays where the person can look at it.
    if (!userId || error || !keys) return;
    let isCurrent = true;
    void import('../lib/address-fragment.ts').then(async ({ addressFragment }) => {
      const needed = await addressFragment({ userId, folderId, hash, secret });
      if (isCurrent && needed !== hash) setHash(needed);
    });
    return () => {
      isCurrent = false;
    };
  }, [userId, folderId, hash, setHash, error, keys, secret]);
}
