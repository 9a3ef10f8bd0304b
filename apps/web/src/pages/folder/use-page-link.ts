import { addressFragment } from '@satchel/client/keys/address-fragment';
import type { NewLink } from '@satchel/client/keys/link-mode';
import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { queryClient } from '../../account/session/query-client.ts';
import { recallKept } from '../../engine/keys/key-store.ts';
import type { FolderKeyState } from '../../features/folder/keys/use-folder-key.ts';
import { folderQueryKey } from '../../features/folder/use-folder.ts';
import { whileCurrent } from '../../lib/browser/while-current.ts';

type FolderData = FolderCompleteData | ExpiredFolder | undefined;

function withLink(data: FolderData, { linkMode, hasPassphrase, info }: NewLink): FolderData {
  if (data === undefined || !('folder_id' in data)) return data;
  return {
    ...data,
    folder_link_mode: linkMode,
    temp_key_api_token: info?.api_token ?? null,
    temp_key_expires_at: info?.expires_at ?? null,
    temp_key_created_at: info?.created_at ?? null,
    temp_key_passphrase: info && hasPassphrase,
  };
}

const isLinkOf = (folder: FolderCompleteData, { linkMode, info }: NewLink): boolean =>
  folder.folder_link_mode === linkMode && folder.temp_key_api_token === (info?.api_token ?? null);

export interface PageLink {
  /** Fragment for the folder's present facts, without its `#`. */
  readonly hash: string;
  /** Replaces the folder's link in this page, without a history entry. */
  readonly put: (link: NewLink) => void;
  /** Replaces the fragment of the address (without its `#`), without a history entry. */
  readonly setHash: (hash: string) => void;
}

/**
 * The folder's link on this page. After a replacement, the address follows the folder's facts some
 * milliseconds later; until then the page uses the new fragment, to avoid a request for a link that doesn't exist.
 */
export function usePageLink(folder: FolderCompleteData): PageLink {
  const { folder_slug: slug } = folder;
  const navigate = useNavigate({ from: '/f/$slug' });
  const addressHash = useLocation({ select: (location) => location.hash });
  const [next, setNext] = useState<NewLink | null>(null);
  const put = useCallback(
    (link: NewLink) => {
      setNext(link);
      queryClient.setQueryData<FolderData>(folderQueryKey(slug), (data) => withLink(data, link));
    },
    [slug],
  );
  const nextHash = next !== null && isLinkOf(folder, next) ? next.fragment.replace(/^#/, '') : null;
  const router = useRouter();
  const setHash = useCallback(
    (hash: string) => {
      // While the next page loads, this page is still mounted, but the address belongs to the next page.
      if (!router.latestLocation.pathname.endsWith(slug)) return;
      void navigate({
        to: '.',
        search: true,
        hash,
        state: true,
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      });
    },
    [navigate, router, slug],
  );
  useEffect(() => {
    if (nextHash !== null) setHash(nextHash);
  }, [nextHash, setHash]);
  const hasArrived = nextHash === addressHash;
  useEffect(() => {
    if (hasArrived) setNext(null);
  }, [hasArrived]);
  return { hash: nextHash ?? addressHash, put, setHash };
}

/**
 * Removes the key from the address, without a history entry, once this device stores it for the signed-in person: the
 * browser writes addresses into its history. Copy Link and Share have the full link. Visitors keep theirs.
 */
export function useBareAddress(
  folderId: string,
  userId: string | null,
  { hash, setHash }: PageLink,
  { error, keys, secret }: FolderKeyState,
): void {
  useEffect(() => {
    // An invalid fragment stays, so that the person can check it.
    if (!userId || error || !keys) return;
    return whileCurrent(recallKept(userId, folderId), (kept) => {
      const needed = addressFragment({ kept, hash, secret });
      if (needed !== hash) setHash(needed);
    });
  }, [userId, folderId, hash, setHash, error, keys, secret]);
}
