import { lazy, Suspense } from 'react';
import { KeyNotice } from '../features/folder/key-notice.tsx';
import { importWithTexts } from '../lib/import-with-texts.ts';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

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
  const { unlock, error, keys } = folderKey;
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
  const zoneSaysWhy = zone.open && folderKey.sealingKeys === null;
  if (zoneSaysWhy || !(isLocked || isBadAddress)) return null;
  return <KeyNotice role={role} mode={folder.folder_link_mode} hasKey={keys !== null} error={error} />;
}
