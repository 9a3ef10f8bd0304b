import type { FolderKeys } from '@satchel/container/key';
import type { UploadFolder } from '../../lib/upload-messages.ts';

/** What an upload queue works for. */
export interface UploadQueueOptions {
  /** A queue belongs to one folder: give the component that holds it the folder's id as its key. */
  readonly folder: UploadFolder;
  /** The folder's keys, of a key that may seal (CONTAINER §3); null when there is none, and in a plain folder. */
  readonly keys: FolderKeys | null;
  readonly userId: string | null;
  /** There are new files in the folder. */
  readonly onFiles: () => void;
}
