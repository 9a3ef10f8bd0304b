import type { ExistingFile } from '@satchel/client/send/list/collisions';
import type { UploadFolder } from '@satchel/client/send/order';
import type { FolderKeys } from '@satchel/container/key';

/** Where uploads go, as far as their dock needs to know to lead back there. */
export interface UploadPlace {
  readonly folderId: string;
  readonly slug: string;
  readonly name: string;
  /** The fragment of the folder's address, without its `#`; stays in memory. */
  readonly hash: string;
  readonly userId: string | null;
}

/** The open page's knowledge of the folder, which uploads follow; after the page is closed, its last knowledge. */
export interface UploadTarget extends UploadPlace {
  readonly folder: UploadFolder;
  /** The folder's newest keys, which this device pinned (docs/container.md §6); null when there are none, and in a plain folder. */
  readonly keys: FolderKeys | null;
  /** The api_token of the link that `keys` came with; null where this device does not know it. */
  readonly linkToken: string | null;
  /** A question is open, or there is no key yet: files wait, and none is begun. */
  readonly isHeld: boolean;
  /** The folder's facts are being asked for: files wait as long as the page is open. */
  readonly isChecking: boolean;
  /** How many files the folder has, as far as its list is known. */
  readonly fileCount: number;
  /** The directory of the folder that the page shows, where new files go; empty for the folder itself. */
  readonly directory: string;
  /** The folder's files, whose names new ones may meet; null while they are being listed. */
  readonly existing: readonly ExistingFile[] | null;
  /** The largest file that this person's tier takes. */
  readonly maxFileBytes: number;
  /** Gets a bearer; `renew` when the server has refused the last one. */
  readonly token: (renew: boolean) => Promise<string>;
  /** Files are about to be begun. True when the page asks for the folder's facts first, and says when it has them. */
  readonly onStart: () => boolean;
  /** There are new files in the folder. */
  readonly onFiles: () => void;
}
