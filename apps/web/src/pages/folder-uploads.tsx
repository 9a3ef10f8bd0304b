import { lazy, Suspense, useEffect } from 'react';
import { UploadNotice } from '../features/upload/upload-notice.tsx';
import { useFileDrops } from '../features/upload/use-file-drops.ts';
import type { FolderPageParts, FolderPageProps } from './use-folder-page.ts';

/** Only owners upload: nobody else downloads this. Dropping and pasting are listened for from the start. */
const UploadQueueHost = lazy(async () => ({
  default: (await import('../features/upload/upload-queue-host.tsx')).UploadQueueHost,
}));
const UploadPanel = lazy(async () => ({
  default: (await import('../features/upload/upload-panel.tsx')).UploadPanel,
}));
const loadOverlay = () => import('../features/upload/drop-overlay.tsx');
const DropOverlay = lazy(async () => ({ default: (await loadOverlay()).DropOverlay }));

interface PartsProps extends FolderPageProps {
  parts: FolderPageParts;
}

/** As high as the empty zone: nothing below it moves when it comes. */
const ZonePlaceholder = () => <div className="h-70" />;

/** The upload zone, or why there is none (CONTAINER §3 "Who may seal"). */
export function UploadZone({ folder, userId, parts }: PartsProps) {
  const { folderKey, desk, takesFiles } = parts;
  const mode = folder.folder_link_mode;
  if (folderKey.loading) return <ZonePlaceholder />;
  // A passphrase that is asked for brings the key that is missing.
  if (folderKey.unlock) return null;
  if (!takesFiles) return <UploadNotice block={mode === 'revoked' ? mode : 'needs_link'} error={folderKey.error} />;
  return (
    <Suspense fallback={<ZonePlaceholder />}>
      <UploadPanel desk={desk} sealed={mode !== 'plain'} userId={userId ?? ''} placeholder={<ZonePlaceholder />} />
    </Suspense>
  );
}

interface UploadsProps {
  parts: FolderPageParts;
  folderName: string;
  isSealed: boolean;
}

/** An owner's uploads, whichever tab is shown: the queue, and dropping anywhere. */
export function Uploads({ parts, folderName, isSealed }: UploadsProps) {
  const { desk, uploadOptions, takesFiles, addFiles } = parts;
  const isOver = useFileDrops(addFiles);
  useEffect(() => {
    // Files may be dragged here without a network, too.
    loadOverlay().catch(() => undefined);
  }, []);
  return (
    <Suspense>
      {takesFiles && <UploadQueueHost desk={desk} options={uploadOptions} />}
      {takesFiles && isOver && <DropOverlay folderName={folderName} sealed={isSealed} />}
    </Suspense>
  );
}
