import { t } from '@lingui/core/macro';
import type { Keyring } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { useEffect, useRef, useState } from 'react';
import { makePrivateLink, type NewLink, openToDiscord, revokeLink } from '../../engine/links/link-mode.ts';
import { notify } from '../../lib/base/toast.ts';

/** The owner's changes to the link. */
export type LinkChange =
  | { readonly type: 'discord' }
  /** A new private link; without `passphrase`, the link alone opens the folder. */
  | { readonly type: 'private'; readonly passphrase?: string }
  | { readonly type: 'revoke' };

interface LinkChangeInput {
  folder: FolderCompleteData;
  /** The folder's keys that may seal; null when this device has none, or not the newest. */
  ring: Keyring | null;
  onNewLink: (link: NewLink) => void;
  /** The change failed, but the server may have applied it if only the answer was lost. */
  onFailed: () => void;
}

async function change({ folder, ring }: LinkChangeInput, wanted: LinkChange, signal: AbortSignal) {
  if (wanted.type === 'revoke') return revokeLink(folder);
  if (ring === null) throw new Error('a new link can’t be made without the folder keys');
  if (wanted.type === 'discord') return openToDiscord(folder, ring);
  const { passphrase } = wanted;
  return makePrivateLink(folder, ring, { signal, ...(passphrase === undefined ? {} : { passphrase }) });
}

function sayDone(link: NewLink): void {
  if (link.linkMode === 'revoked') notify(t`The link is revoked.`);
  else if (link.linkMode === 'discord') notify(t`The Discord link is on.`);
  else notify(t`There is a new link. Links that you sent before no longer open the files.`);
}

/** Changes the link, one change at a time. Leaving the page cancels a change that is not sent yet. */
export function useLinkChange(input: LinkChangeInput) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<AppError | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const run = async (wanted: LinkChange): Promise<boolean> => {
    const { signal } = leaving.current;
    setBusy(true);
    setFailure(null);
    try {
      const link = await change(input, wanted, signal);
      input.onNewLink(link);
      sayDone(link);
      return true;
    } catch (error) {
      if (!signal.aborted) setFailure(toAppError(error));
      input.onFailed();
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, run, forgive: () => setFailure(null) };
}

export type LinkChanging = ReturnType<typeof useLinkChange>;
