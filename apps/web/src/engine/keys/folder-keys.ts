import { createFolderCrypto } from '@satchel/client/keys/folder-crypto';
import { createLinkMode, type LinkModeDeps } from '@satchel/client/keys/link-mode';
import { rpc } from '../../lib/api/api.ts';
import { fetchEarly } from '../../lib/api/early-answers.ts';
import { ignoreNewsOf } from '../folders/own-changes.ts';
import { derivePassphraseKey } from '../passphrase/passphrase-client.ts';
import { deleteSecret, keepPending, recallFolder, rememberKey } from './key-store.ts';

/** How this page comes to a folder's keys, and changes its link: with the keys of this browser, and its locks. */

export const { loadFolderKey, unlockFolderKey } = createFolderCrypto({
  fetch: async (path, init) => (await fetchEarly(String(path), init)).response,
  keys: { recallFolder, rememberKey },
  derivePassphraseKey,
});

const alone: LinkModeDeps['alone'] = async (folderId, waits, act) => {
  let isRun = false;
  const run = () => {
    isRun = true;
    return act();
  };
  try {
    const options = { ifAvailable: !waits };
    return await navigator.locks.request(`satchel-link-${folderId}`, options, (lock) => (lock ? run() : null));
  } catch (error) {
    // A browser without storage has no locks. Two pages may then do the same at once: the server takes one of them.
    if (isRun) throw error;
    return run();
  }
};

export const { openToDiscord, makePrivateLink, finishPrivateLink, revokeLink } = createLinkMode({
  rpc,
  keys: { rememberKey, deleteSecret, keepPending, recallFolder },
  derivePassphraseKey,
  alone,
  ignoreNewsOf,
});
