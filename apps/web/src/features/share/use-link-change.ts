import { t } from '@lingui/core/macro';
import type { LinkFolder, NewLink } from '@satchel/client/keys/link-mode';
import type { Keyring } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import { useEffect, useRef } from 'react';
import { finishPrivateLink, makePrivateLink, openToDiscord, revokeLink } from '../../engine/keys/folder-keys.ts';
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

async function linkAfter({ folder, ring }: LinkChangeInput, wanted: LinkChange, signal: AbortSignal) {
  if (wanted.type === 'revoke') return revokeLink(folder);
  if (ring === null) throw new Error('a new link can’t be made without the folder keys');
  if (wanted.type === 'discord') return openToDiscord(folder, ring);
  const { passphrase } = wanted;
  return makePrivateLink(folder, ring, { signal, ...(passphrase === undefined ? {} : { passphrase }) });
}

function sayDone(link: NewLink): void {
  if (link.linkMode === 'revoked') notify(() => t`The link is revoked.`);
  else if (link.linkMode === 'discord') notify(() => t`The Discord link is on.`);
  else notify(() => t`There is a new link. Links that you sent before no longer open the files.`);
}

/**
 * Makes a new link that an earlier page has begun to make, and says so.
 * @returns null when there is none
 */
export async function finishLink(folder: LinkFolder): Promise<NewLink | null> {
  const link = await finishPrivateLink(folder);
  if (link !== null) sayDone(link);
  return link;
}

/** Resolves once the server has made the change; throws what it said instead. */
export type ChangeLink = (wanted: LinkChange) => Promise<void>;

/** Changes the link. Leaving the page cancels a change that is not sent yet. */
export function useLinkChange(input: LinkChangeInput): ChangeLink {
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  return async (wanted) => {
    try {
      const link = await linkAfter(input, wanted, leaving.current.signal);
      input.onNewLink(link);
      sayDone(link);
    } catch (error) {
      input.onFailed();
      throw error;
    }
  };
}
