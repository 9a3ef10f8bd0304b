/** Query key of a folder's file list, cached for a minute. */
export const filesQueryKey = (folderId: string): readonly string[] => ['files', folderId];
