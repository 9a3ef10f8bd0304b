import type { FolderCompleteData } from '@satchel/contract/api';
import { useEffect, useRef } from 'react';
import type { FolderFiles } from '../../../features/files/use-folder-files.ts';
import { importPatiently } from '../../../lib/base/patient-import.ts';
import type { LiveFolder } from './live-folder.ts';

interface Page {
  readonly folder: FolderCompleteData;
  readonly receivedAtMs: number;
  readonly onChanged: () => Promise<boolean>;
}

/** The page follows its folder so long after its files are listed: they come first. A change in between is told of then. */
const REST_MS = 2000;
/** What this page uploads is read so often at most: a queue of hundreds of small files must not ask for each. */
export const OWN_EVERY_MS = 1500;

/**
 * Keeps the page as the folder is.
 * @param readOwn reads what this page has uploaded, soon
 */
export function useLiveFolder(
  { folder, receivedAtMs, onChanged }: Page,
  files: FolderFiles,
  readOwn: () => void,
): void {
  const { folder_id: folderId, folder_slug: slug } = folder;
  const { folder_bucket: bucket, folder_bucket_storage_path: storagePath } = folder;
  const now = { receivedAtMs, onChanged, readOwn, files };
  const page = useRef(now);
  const live = useRef<LiveFolder | null>(null);
  useEffect(() => {
    page.current = now;
    live.current?.drawn(files.files);
  });
  const isReady = !files.loading;
  useEffect(() => {
    if (!isReady) return;
    let isOver = false;
    const start = async () => {
      const { startLiveFolder } = await importPatiently(() => import('./live-folder.ts'));
      if (!isOver) live.current = startLiveFolder({ folderId, slug, bucket, storagePath }, () => page.current);
    };
    const timer = setTimeout(() => void start(), REST_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      live.current?.stop();
      live.current = null;
    };
  }, [folderId, slug, bucket, storagePath, isReady]);
}
