import { useSyncExternalStore } from 'react';
import { type FolderActivity, uploadActivity } from '../../engine/uploads/upload-activity.ts';

/** One line on a folder's uploads; undefined without uploads. Doesn't load the upload code. */
export const useFolderActivity = (folderId: string): FolderActivity | undefined =>
  useSyncExternalStore(uploadActivity.subscribe, () =>
    uploadActivity.get().find((activity) => activity.folderId === folderId),
  );
