import type { FolderKeys } from '@satchel/container/key';
import type { UploadFolder } from '../../lib/upload-messages.ts';

/** What an upload queue works for. */
export interface UploadQueueOptions {
  /** A queue belongs to one folder: give the component that holds it the folder's id as its key. */
  readonly folder: UploadFolder;
  /** The folder's newest keys, which this device pinned (CONTAINER §6); null when there are none, and in a plain folder. */
  readonly keys: FolderKeys | null;
  /** A question is open, or the keys are being looked at: files wait, and none is begun. */
  readonly isHeld: boolean;
  readonly userId: string | null;
  /** How many files the folder has, as far as its list is known. */
  readonly fileCount: number;
  /** Files are about to be begun. */
  readonly onStart: () => void;
  /** There are new files in the folder. */
  readonly onFiles: () => void;
}
