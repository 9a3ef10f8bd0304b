import { useSyncExternalStore } from 'react';
import { type FolderActivity, uploadActivity } from '../../engine/uploads/upload-activity.ts';

const activityOf = (folderId: string): FolderActivity | undefined =>
  uploadActivity.get().find((activity) => activity.folderId === folderId);

/** Whether files are being sent to the folder, or queued, by this tab. */
export const isUploadingTo = (folderId: string): boolean => activityOf(folderId)?.isBusy === true;

/**
 * One fact of a folder's uploads, which are undefined where there are none. Doesn't load the upload code.
 * @param fact returns a primitive: the component renders again when it changes, and not with every percent
 */
export const useFolderActivity = <Fact extends string | number | boolean>(
  folderId: string,
  fact: (activity: FolderActivity | undefined) => Fact,
): Fact => useSyncExternalStore(uploadActivity.subscribe, () => fact(activityOf(folderId)));
