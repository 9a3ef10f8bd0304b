import { t } from '@lingui/core/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { useState } from 'react';
import { shareLink } from '../features/folder/share-link.ts';
import type { FolderKeyState } from '../features/folder/use-folder-key.ts';
import { announce } from '../lib/announce.ts';
import { useCopy } from '../lib/hooks.ts';
import { notify } from '../lib/toast.ts';

/** Copies the link, with the key where there is one (§2 "Folder actions"), and opens Share. */
export function useShare(folder: FolderCompleteData, { loading, fragment }: FolderKeyState, hash: string) {
  const [copied, copy] = useCopy();
  const [sharing, setSharing] = useState(false);
  const { folder_slug: slug, folder_link_mode: mode } = folder;
  const link = shareLink({ origin: location.origin, slug, mode, fragment: loading ? hash : fragment });
  const copyLink = async () => {
    if (await copy(`${link.page}${link.key ?? ''}`)) return announce(t`Link copied`);
    notify(t`The browser did not let us copy. Select the link and copy it by hand.`, 'error');
    setSharing(true);
  };
  const share = () => {
    void copyLink();
    setSharing(true);
  };
  return { link, copied, copyLink: () => void copyLink(), share, sharing, setSharing };
}
