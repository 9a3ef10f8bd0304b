import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
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

/** Puts a folder's new link into this page: its facts and its address change together, with no step in the history. */
export function useNewLink(slug: string): (link: NewLink) => void {
  const navigate = useNavigate({ from: '/f/$slug' });
  return useCallback(
    (link) => {
      queryClient.setQueryData<FolderData>(folderQueryKey(slug), (data) => withLink(data, link));
      const hash = link.fragment.replace(/^#/, '');
      void navigate({ to: '.', search: true, hash, replace: true, resetScroll: false, hashScrollIntoView: false });
    },
    [slug, navigate],
  );
}
