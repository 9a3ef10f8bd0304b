import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { folderQueryKey } from '../features/folder/use-folder.ts';
import type { NewLink } from '../lib/link-mode.ts';
import { queryClient } from '../lib/query-client.ts';

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
  /** The fragment that goes with the folder's facts as they are, without its `#`. */
  readonly hash: string;
  /** Takes the place of the folder's link in this page, with no step in the history. */
  readonly put: (link: NewLink) => void;
  /** Gives the address another fragment, without its `#`, with no step in the history. */
  readonly setHash: (hash: string) => void;
}

/**
 * The folder's link as this page has it. When a new one is put, the address follows the folder's facts by some
 * milliseconds; in between the page goes by the new fragment already, or it would ask for the key of a link that never was.
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
      // While the next page loads, this one is still there, and the address is not its own any more.
      if (!router.latestLocation.pathname.endsWith(slug)) return;
      void navigate({ to: '.', search: true, hash, replace: true, resetScroll: false, hashScrollIntoView: false });
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
