import type { FolderKeys } from '@satchel/container/key';
import type { Folder } from '@satchel/contract/entities';
import type { AppError, WireError } from '@satchel/contract/errors';
import type { Stripping } from './metadata/strip-metadata.ts';

/** Messages between a page and its upload workers. Errors cross in their wire form: a clone loses their class. */

/**
 * What an upload needs to know of its folder. `link_mode` and `hide_names` are what this device pinned (CONTAINER §6),
 * never what the server says: a folder that is not plain here is sealed, by whatever name.
 */
export type UploadFolder = Pick<
  Folder,
  'id' | 'slug' | 'bucket' | 'bucket_storage_path' | 'hide_names' | 'link_mode' | 'expires_at'
>;

/** Files of at most this size go in one request with their creation: there is nothing to resume. */
export const SMALL_FILE_BYTES = 1024 * 1024;

export interface UploadOrder {
  readonly file: File;
  /** The file as it was chosen, where `file` is that without its metadata: it tells whether a file is the same one. */
  readonly chosen?: File;
  /** Whether place, camera and the like are taken out of pictures before they are sent. */
  readonly strips: boolean;
  /** What it is called in the folder. */
  readonly name: string;
  /** Its path in an encrypted folder, with its name; else where it lay below what was chosen. Tells files of one name apart. */
  readonly path: string;
  readonly folder: UploadFolder;
  /** The folder's keys, of the newest key that may seal (CONTAINER §3, §6); null in a plain folder only. */
  readonly keys: FolderKeys | null;
  readonly userId: string;
}

/** Whether nothing came back, or an answer that says to try again. */
export type RetryCause = 'connection' | 'server';

export type UploadPhase = 'checking' | 'encrypting' | 'uploading';

/** Where an upload stands. All figures count bytes of what is stored, so of the container where there is one. */
export interface UploadProgress {
  readonly bytesSealed: number;
  readonly bytesUploaded: number;
  readonly bytesTotal: number;
}

export type UploadEvent =
  | { readonly type: 'phase'; readonly phase: UploadPhase }
  | ({ readonly type: 'progress' } & UploadProgress)
  /** A request failed, and the upload goes on by itself after `delayMs`; `attempt` counts from 1. */
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly cause: RetryCause }
  /** The browser is offline; the upload resumes with the network, and no try is used up. */
  | { readonly type: 'offline' }
  /** Metadata was taken out of the file, whose size is another one then; or the file could not be read, and goes as it is. */
  | { readonly type: 'stripping'; readonly stripping: Exclude<Stripping, 'none'>; readonly sizeBytes: number }
  /** What was sent before doesn't fit the file any more: the upload begins again at its first byte (CONTAINER §5). */
  | { readonly type: 'afresh' }
  | {
      readonly type: 'completed';
      readonly objectName: string;
      readonly fileUrl: string;
      readonly resumed: boolean;
      /** The hash of its container's header, as its label has it; null in a plain folder. */
      readonly header: string | null;
    }
  | { readonly type: 'error'; readonly error: AppError };

export type ToWorker =
  | { readonly type: 'start'; readonly order: UploadOrder; readonly online: boolean; readonly mayUseSocket: boolean }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'online'; readonly online: boolean }
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'no-token'; readonly error: WireError };

export type FromWorker =
  | Exclude<UploadEvent, { type: 'error' }>
  | { readonly type: 'error'; readonly error: WireError }
  /** Which entry of the log the worker holds from now on. */
  | { readonly type: 'opened'; readonly uploadId: string }
  /** Paused: no request is in flight, and the log is complete. */
  | { readonly type: 'idle' }
  /** Something on the way refuses the upload socket, and tus works. */
  | { readonly type: 'socket-refused' }
  /** Asks for the bearer; `renew` says that the server has refused the last one. */
  | { readonly type: 'ask-token'; readonly renew: boolean };
