import type { FolderKeys } from '@satchel/container/key';
import type { Folder } from '@satchel/contract/entities';
import type { AppError } from '@satchel/contract/errors';
import type { Stripping } from './metadata/strip-metadata.ts';

/** What is sent, where to, and what is told while it is sent. */

/**
 * What an upload needs to know of its folder. `link_mode` and `hide_names` are what this device pinned (docs/container.md,
 * "What the keys vouch for"), never what the server says: a folder that is not plain here is sealed, under any name.
 */
export type UploadFolder = Pick<
  Folder,
  'id' | 'slug' | 'bucket' | 'bucket_storage_path' | 'hide_names' | 'link_mode' | 'expires_at'
>;

/** Files of at most this size go in one request with their creation: there is nothing to resume. */
export const SMALL_FILE_BYTES = 1024 * 1024;

/** A file that a person chose. */
export interface ChosenFile {
  readonly file: File;
  /** What it is called in a folder without directories, which a plain one is. */
  readonly name: string;
  /** Where it lay below what was chosen, with its own name: its path in an encrypted folder. */
  readonly path: string;
  /** The stored name of the folder's file that it replaces; absent when it replaces no file. */
  readonly replaces?: string | null;
  /** When it came onto the list; files of one choice count up from there, a millisecond each. */
  readonly addedAtMs?: number;
}

/** A directory may hold any number of files; more than this at once would hang the page that lists them. */
export const CHOSEN_FILES_MAX = 5000;

/** What a person chose at once. */
export interface Choice {
  readonly files: readonly ChosenFile[];
  /** Names of files that an operating system leaves in directories, left out of the choice. */
  readonly leftOut: readonly string[];
  /** Names of files and directories that the browser could not read; the others are taken. */
  readonly unreadable: readonly string[];
  /** A dropped directory has more than CHOSEN_FILES_MAX: the others were not even counted. */
  readonly isCut: boolean;
}

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
  /** The time in the stored name, by which a folder lists its files in the order in which they were chosen; without it, now. */
  readonly addedAtMs?: number;
  readonly folder: UploadFolder;
  /** The folder's keys, of the newest key that may seal; null in a plain folder only. */
  readonly keys: FolderKeys | null;
  /** The api_token of the link that `keys` came with: the server refuses a file that was sealed before the link changed. */
  readonly linkToken?: string | null;
  readonly userId: string;
}

export const isSmall = ({ file }: Pick<UploadOrder, 'file'>): boolean => file.size <= SMALL_FILE_BYTES;

/** The way of an upload's bytes: the upload socket (docs/upload-socket.md), or requests of up to four windows. */
export type Way = 'socket' | 'http';

/** Whether nothing came back, or an answer that says to try again. */
export type RetryCause = 'connection' | 'server';

/** Where an upload stands. All figures count bytes of what is stored, so of the container where there is one. */
export interface UploadProgress {
  readonly bytesSealed: number;
  readonly bytesUploaded: number;
  readonly bytesTotal: number;
}

export type SendEvent =
  /** The entry of the log that is held from now on. */
  | { readonly type: 'opened'; readonly uploadId: string }
  /** Metadata was taken out of the file, whose size is another one then; or the file could not be read, and goes as it is. */
  | { readonly type: 'stripping'; readonly stripping: Exclude<Stripping, 'none'>; readonly sizeBytes: number }
  /** What an earlier process sent is being compared with the file, or no longer is. */
  | { readonly type: 'checking'; readonly isChecking: boolean }
  | ({ readonly type: 'progress' } & UploadProgress)
  /** A request failed, and the upload continues by itself after `delayMs`; `attempt` counts from 1. */
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly cause: RetryCause }
  /** The device is offline; the upload continues with the network, and no try is used up. */
  | { readonly type: 'offline' }
  /** The bytes take another way: something refuses the upload socket, and requests work. */
  | { readonly type: 'way'; readonly way: Way }
  /** What was sent before doesn't fit the file any more: the upload begins again at its first byte. */
  | { readonly type: 'afresh' }
  | {
      readonly type: 'completed';
      readonly objectName: string;
      readonly fileUrl: string;
      /** The hash of its container's header, as its label has it; null in a plain folder. */
      readonly header: string | null;
    }
  /** It was given up: no request is in flight, and the log is complete. */
  | { readonly type: 'cancelled' };

/** Why an upload ended, where it did not complete. */
export type UploadEnd = { readonly type: 'error'; readonly error: AppError };

/** What a list shows of an upload. */
export type UploadEvent = Exclude<SendEvent, { type: 'opened' | 'cancelled' }> | UploadEnd;
