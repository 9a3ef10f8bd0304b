/** What of a folder page a reload or a shared link restores. */
export interface FolderSearch {
  tab?: 'info' | 'settings';
  /** Id of the open file. */
  file?: string;
  /** The upload zone is open. */
  upload?: boolean;
}

/** Reads the search of /f/{slug}; what is not known is left out. */
export function readFolderSearch(search: Readonly<Record<string, unknown>>): FolderSearch {
  const { tab, file, upload } = search;
  return {
    ...(tab === 'info' || tab === 'settings' ? { tab } : {}),
    ...(typeof file === 'string' && file !== '' ? { file } : {}),
    ...(upload === true || upload === 'true' ? { upload: true } : {}),
  };
}
