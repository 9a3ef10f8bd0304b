import type { LinkMode } from '@satchel/contract/entities';
import { Suspense } from 'react';
import type { FileItem } from '../../engine/files/file-model.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

const KeyNotice = lazyPart(() => import('../../features/folder/keys/key-notice.tsx'), 'KeyNotice', 'later');
const SealedPanel = lazyPart(() => import('../../features/folder/keys/sealed-panel.tsx'), 'SealedPanel', 'locked');

interface FolderKeyProps extends Pick<FolderPageProps, 'role' | 'folder'> {
  parts: FolderPageParts;
  /** Whether the closed files are listed below. */
  showsSealed: boolean;
  onShowSealed: (isShown: boolean) => void;
}

/** The files that can't be opened here. */
export const sealedOf = (files: readonly FileItem[]): readonly FileItem[] =>
  files.filter(({ badge }) => badge === 'none');

/** Whether the page asks for a passphrase or a key before anything else. */
export const wantsKey = ({ folderKey, files }: FolderPageParts, mode: LinkMode): boolean =>
  folderKey.unlock !== null ||
  folderKey.lost !== null ||
  (mode === 'private' && !folderKey.loading && folderKey.keyring === null && sealedOf(files.files).length > 0);

/** Stands for the files that can't be opened, or says what is wrong with the key in the address. */
export function FolderKey({ role, folder, parts, showsSealed, onShowSealed }: FolderKeyProps) {
  const { folderKey, files, zone, reload } = parts;
  const { unlock, error, keyring, isReplaced, reloading, lost } = folderKey;
  if (folderKey.loading) return null;
  // An error of the address shows even if nothing is closed.
  const isBadAddress = error !== null && /bad_length|unsealable|discord_now/.test(error.code);
  if (keyring !== null) {
    const isOld = isReplaced && !reloading;
    if (!isBadAddress && !isOld) return null;
    return (
      <Suspense>
        <KeyNotice mode={folder.folder_link_mode} isReplaced={isOld} error={error} />
      </Suspense>
    );
  }
  const sealed = sealedOf(files.files);
  // An open upload zone without a key says why by itself, except for reasons with a way out here.
  const isExplained =
    zone.open && folderKey.trust.sealing.kind === 'blocked' && !unlock && !lost && error?.code !== 'key.discord_now';
  const takesKey = isExplained && folder.folder_link_mode === 'private';
  if (sealed.length === 0 && !unlock && !takesKey && !(isBadAddress && !isExplained)) return null;
  return (
    <Suspense>
      <SealedPanel
        folder={folder}
        role={role}
        count={sealed.length}
        sizeBytes={sealed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)}
        unlock={unlock}
        error={error}
        lost={lost}
        isExplained={isExplained}
        onRetry={reload}
        isOpen={showsSealed}
        onOpen={onShowSealed}
      />
    </Suspense>
  );
}
