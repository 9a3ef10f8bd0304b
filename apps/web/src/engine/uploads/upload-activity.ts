import { createStore } from '../../lib/base/external-store.ts';

/** How the uploads of one folder stand, in a line. */
export interface FolderActivity {
  readonly folderId: string;
  readonly slug: string;
  readonly name: string;
  /** The fragment that leads back, without its `#`. */
  readonly hash: string;
  /** Files on the list, and files that wait for their admission. */
  readonly files: number;
  readonly completed: number;
  readonly failed: number;
  /** Files that are sent or queued: they stop when the site is left. */
  readonly left: number;
  /** Of the whole list, in whole percent. */
  readonly percent: number;
  readonly isBusy: boolean;
  /** Files wait for the person: for an answer, or for a key that only the folder's page can bring. */
  readonly isHeld: boolean;
  /** An earlier page left uploads unfinished. */
  readonly hasUnfinished: boolean;
  /** The list itself is on screen. */
  readonly isShown: boolean;
}

/**
 * The uploads of every folder that has some. It is what pages follow that don't show the list; the code that uploads
 * writes it, and loads with the first file.
 */
export const uploadActivity = createStore<readonly FolderActivity[]>([]);
