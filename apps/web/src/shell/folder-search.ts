/** State of a folder page that a reload or a shared link restores. */
export interface FolderSearch {
  tab?: 'info' | 'settings';
  /** Id of the open file. */
  file?: string;
  /** The upload zone is open. */
  upload?: boolean;
  /** Share is open: where a link of the bot leads to copy the full one, or to turn the Discord link on. */
  share?: true | 'discord';
}

const isOn = (value: unknown) => value === true || value === 'true';

/** Reads the search of /f/{slug}; unknown parameters are left out. */
export function readFolderSearch(search: Readonly<Record<string, unknown>>): FolderSearch {
  const { tab, file, upload, share } = search;
  return {
    ...(tab === 'info' || tab === 'settings' ? { tab } : {}),
    ...(typeof file === 'string' && file !== '' ? { file } : {}),
    ...(isOn(upload) ? { upload: true } : {}),
    ...(isOn(share) ? { share: true } : share === 'discord' ? { share } : {}),
  };
}
