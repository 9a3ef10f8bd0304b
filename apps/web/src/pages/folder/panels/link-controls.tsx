import { lazy, Suspense } from 'react';
import { useStore } from '../lib/external-store.ts';
import { importWithTexts } from '../lib/import-with-texts.ts';
import { Dots } from '../ui/button.tsx';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

const LinkSettings = lazy(async () => {
  const { LinkSettings } = await importWithTexts('share', () => import('../features/share/link-settings.tsx'));
  return { default: LinkSettings };
});

interface LinkControlsProps extends FolderPageProps {
  parts: FolderPageParts;
}

/** What the owner can change about the link, and what becomes of the page then. */
export function LinkControls({ folder, onChanged, parts }: LinkControlsProps) {
  const { ring, loading, reloading, isReplaced } = parts.folderKey;
  const isUploading = useStore(parts.desk.isBusy);
  return (
    <Suspense fallback={<Dots />}>
      <LinkSettings
        folder={folder}
        ring={ring}
        isReplaced={isReplaced}
        keyLoading={loading || reloading}
        isUploading={isUploading}
        onNewLink={(link) => {
          parts.putNewLink(link);
          onChanged();
        }}
        onFailed={onChanged}
      />
    </Suspense>
  );
}
