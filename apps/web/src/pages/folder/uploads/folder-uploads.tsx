import { Suspense, useEffect, useState } from 'react';
import { hasUploadTraces } from '../../../engine/uploads/log/upload-traces.ts';
import { useFileDrops } from '../../../features/upload/choose/use-file-drops.ts';
import { useFolderActivity } from '../../../features/upload/use-folder-activity.ts';
import { lazyPart } from '../../../lib/texts/lazy-part.ts';
import type { FolderPageParts } from '../use-folder-page.ts';

/** Loads only for people who upload. Drop and paste listeners start at once. */
const UploadTargetHost = lazyPart(
  () => import('../../../features/upload/upload-target-host.tsx'),
  'UploadTargetHost',
  'upload',
);
const DropOverlay = lazyPart(() => import('../../../features/upload/choose/drop-overlay.tsx'), 'DropOverlay', 'upload');

interface UploadsProps {
  parts: FolderPageParts;
  folderName: string;
  isSealed: boolean;
}

/** Mounts when the zone opens, files are chosen, or an earlier page left uploads; then stays. */
function useUploadsNeed({ zone, uploadTarget: { folderId } }: FolderPageParts): boolean {
  const hasUploads = useFolderActivity(folderId, (activity) => activity !== undefined);
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => {
    void hasUploadTraces(folderId).then((hasTraces) => hasTraces && setNeeded(true));
  }, [folderId]);
  const needsNow = zone.open || hasUploads;
  useEffect(() => {
    if (needsNow) setNeeded(true);
  }, [needsNow]);
  return isNeeded || needsNow;
}

/** The owner's uploads on every tab: their target, and dropping anywhere. */
export function Uploads({ parts, folderName, isSealed }: UploadsProps) {
  const { uploadTarget, takesFiles, addFiles } = parts;
  const isOver = useFileDrops(addFiles);
  const needsUploads = useUploadsNeed(parts);
  return (
    <>
      <Suspense>{takesFiles && needsUploads && <UploadTargetHost target={uploadTarget} />}</Suspense>
      {/* A boundary of its own: otherwise the uploads would unmount while this loads. */}
      <Suspense>{takesFiles && isOver && <DropOverlay folderName={folderName} sealed={isSealed} />}</Suspense>
    </>
  );
}
