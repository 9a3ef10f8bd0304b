import { Suspense } from 'react';
import { useFolderActivity } from '../../../features/upload/use-folder-activity.ts';
import { lazyPart } from '../../../lib/texts/lazy-part.ts';
import { Dots } from '../../../ui/base/button.tsx';
import type { FolderPageParts, FolderPageProps } from '../use-folder-page.ts';

const LinkSettings = lazyPart(() => import('../../../features/share/link-settings.tsx'), 'LinkSettings', 'share');

interface LinkControlsProps extends FolderPageProps {
  parts: FolderPageParts;
}

/** The owner's changes to the link, and their effect on the page. */
export function LinkControls({ folder, onChanged, parts }: LinkControlsProps) {
  const { ring, loading, reloading, isReplaced } = parts.folderKey;
  const isUploading = useFolderActivity(folder.folder_id, (activity) => activity?.isBusy === true);
  return (
    <Suspense fallback={<Dots />}>
      <LinkSettings
        folder={folder}
        ring={ring}
        isReplaced={isReplaced}
        keyLoading={loading || reloading}
        isUploading={isUploading}
        isAskedByBot={parts.address.search.share === 'discord'}
        onNewLink={parts.putNewLink}
        onFailed={onChanged}
      />
    </Suspense>
  );
}
