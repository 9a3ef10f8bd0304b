import { t } from '@lingui/core/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { fragmentKind } from '../../engine/links/link-parts.ts';
import { shareLink } from '../../engine/links/share-link.ts';
import type { FolderKeyState } from '../../features/folder/keys/use-folder-key.ts';
import { announce } from '../../lib/base/announce.ts';
import { notify } from '../../lib/base/toast.ts';
import { useCopy } from '../../lib/browser/hooks.ts';

/** Copies the link, with the key where there is one (§2 "Folder actions"), and opens Share. */
export function useShare(folder: FolderCompleteData, { loading, fragment }: FolderKeyState, hash: string) {
  const [copied, copy, tellAgain] = useCopy();
  const [sharing, setSharing] = useState(false);
  const [isWaiting, setWaiting] = useState(false);
  /** Share was pressed and is not on the screen yet: its code may come later than `copied` lasts. */
  const isComing = useRef(false);
  const hasCopied = useRef(false);
  const { folder_slug: slug, folder_link_mode: mode } = folder;
  const link = shareLink({ origin: location.origin, slug, mode, fragment: loading ? hash : fragment });
  /** Without a key in the address, the full link is known once this device's keys are loaded. */
  const isReady = !loading || fragmentKind(hash) !== 'none';
  const copyNow = async () => {
    hasCopied.current = false;
    hasCopied.current = await copy(`${link.page}${link.key ?? ''}`);
    if (hasCopied.current) return announce(t`Link copied`);
    notify(() => t`The browser did not let us copy. Select the link and copy it by hand.`, 'error');
    setSharing(true);
  };
  const copyWaiting = useEffectEvent(() => void copyNow());
  useEffect(() => {
    if (!isWaiting || !isReady) return;
    setWaiting(false);
    copyWaiting();
  }, [isWaiting, isReady]);
  const copyLink = () => (isReady ? void copyNow() : setWaiting(true));
  const show = (isShown: boolean) => {
    isComing.current = false;
    setSharing(isShown);
  };
  const share = () => {
    copyLink();
    show(true);
    isComing.current = true;
  };
  const onShown = () => {
    if (isComing.current && hasCopied.current) tellAgain();
    isComing.current = false;
  };
  return { link, copied, copyLink, share, sharing: sharing && isReady, setSharing: show, onShown };
}
