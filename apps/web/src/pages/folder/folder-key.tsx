import { lazy, Suspense } from 'react';
import { importWithTexts } from '../lib/import-with-texts.ts';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

const KeyNotice = lazy(async () => {
  const { KeyNotice } = await importWithTexts('locked', () => import('../features/folder/key-notice.tsx'));
  return { default: KeyNotice };
});
const PassphrasePrompt = lazy(async () => {
  const { PassphrasePrompt } = await importWithTexts('later', () => import('../features/folder/passphrase-prompt.tsx'));
  return { default: PassphrasePrompt };
});

interface FolderKeyProps extends Pick<FolderPageProps, 'role' | 'folder'> {
  parts: FolderPageParts;
}

/** What stands between somebody and the files: a passphrase that is asked for, or why there is no key. */
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
  // What is wrong with the address is said even where nothing is locked; an upload zone without a key says it itself.
  const isBadAddress = error?.code === 'key.bad_length' || error?.code === 'key.unsealable';
  const hasWayOut = error?.code === 'key.discord_now';
  const zoneSaysWhy = zone.open && !hasWayOut && folderKey.trust.sealing.kind === 'blocked';
  const isOld = isReplaced && !reloading;
  if (zoneSaysWhy || !(isLocked || isBadAddress || hasWayOut || isOld)) return null;
  const facts = { role, mode: folder.folder_link_mode, hasKey: keyring !== null, isReplaced: isOld, error };
  return (
    <Suspense>
      <KeyNotice {...facts} />
    </Suspense>
  );
}
