import { lazy, Suspense, useEffect, useState } from 'react';
import { useFileDrops } from '../features/upload/use-file-drops.ts';
import { useStore } from '../lib/external-store.ts';
import { importWithTexts } from '../lib/import-with-texts.ts';
import { hasUploadTraces } from '../lib/upload-traces.ts';
import type { FolderPageParts } from './use-folder-page.ts';

/** Only who uploads downloads this. Dropping and pasting are listened for from the start. */
const UploadQueueHost = lazy(async () => {
  const { UploadQueueHost } = await importWithTexts('upload', () => import('../features/upload/upload-queue-host.tsx'));
  return { default: UploadQueueHost };
});
const DropOverlay = lazy(async () => {
  const { DropOverlay } = await importWithTexts('upload', () => import('../features/upload/drop-overlay.tsx'));
  return { default: DropOverlay };
});

interface UploadsProps {
  parts: FolderPageParts;
  folderName: string;
  isSealed: boolean;
}

/** The queue is there from when the zone opens, files come in, or an earlier page has left some; then it stays. */
function useQueueNeed({ desk, zone, uploadOptions }: FolderPageParts): boolean {
  const isAwaited = useStore(desk.isAwaited);
  const [isNeeded, setNeeded] = useState(false);
  const folderId = uploadOptions.folder.id;
  useEffect(() => {
    void hasUploadTraces(folderId).then((hasTraces) => hasTraces && setNeeded(true));
  }, [folderId]);
  const needsNow = zone.open || isAwaited;
  useEffect(() => {
    if (needsNow) setNeeded(true);
  }, [needsNow]);
  return isNeeded || needsNow;
}

/** An owner's uploads, whichever tab is shown: the queue, and dropping anywhere. */
export function Uploads({ parts, folderName, isSealed }: UploadsProps) {
  const { desk, uploadOptions, takesFiles, addFiles } = parts;
  const isOver = useFileDrops(addFiles);
  const needsQueue = useQueueNeed(parts);
  return (
    <>
      <Suspense>{takesFiles && needsQueue && <UploadQueueHost desk={desk} options={uploadOptions} />}</Suspense>
      {/* Apart, or the queue would go from the page while this is loaded. */}
      <Suspense>{takesFiles && isOver && <DropOverlay folderName={folderName} sealed={isSealed} />}</Suspense>
    </>
  );
}
