import type { LinkMode } from '@satchel/contract/entities';
import { Suspense } from 'react';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

const KeyNotice = lazyPart(() => import('../../features/folder/keys/key-notice.tsx'), 'KeyNotice', 'locked');
const PassphrasePrompt = lazyPart(
  () => import('../../features/folder/keys/passphrase-prompt.tsx'),
  'PassphrasePrompt',
  'later',
);

interface FolderKeyProps extends Pick<FolderPageProps, 'role' | 'folder'> {
  parts: FolderPageParts;
}

/** Whether the page asks for a passphrase or a key before anything else. */
export const wantsKey = ({ folderKey, files }: FolderPageParts, mode: LinkMode): boolean =>
  folderKey.unlock !== null ||
  (mode === 'private' &&
    !folderKey.loading &&
    folderKey.keyring === null &&
    files.files.some(({ badge }) => badge === 'none'));

/** Asks for the passphrase, or explains why there is no key. */
export function FolderKey({ role, folder, parts }: FolderKeyProps) {
  const { folderKey, files, zone } = parts;
  const { unlock, error, keyring, isReplaced, reloading } = folderKey;
  if (folderKey.loading) return null;
  if (unlock) {
    return (
      <Suspense>
        <PassphrasePrompt unlock={unlock} />
      </Suspense>
    );
  }
  const isLocked = files.files.some(({ badge }) => badge === 'none');
  // An error of the address shows even if nothing is locked; an upload zone without a key shows it itself.
  const isBadAddress = error?.code === 'key.bad_length' || error?.code === 'key.unsealable';
  const hasWayOut = error?.code === 'key.discord_now';
  const zoneSaysWhy = zone.open && !hasWayOut && folderKey.trust.sealing.kind === 'blocked';
  const isOld = isReplaced && !reloading;
  const mode = folder.folder_link_mode;
  const takesKey = mode === 'private' && keyring === null;
  if (zoneSaysWhy ? !takesKey : !(isLocked || isBadAddress || hasWayOut || isOld)) return null;
  const facts = { role, mode, hasKey: keyring !== null, isReplaced: isOld, error, isExplained: zoneSaysWhy };
  return (
    <Suspense>
      <KeyNotice {...facts} />
    </Suspense>
  );
}
