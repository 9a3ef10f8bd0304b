/** Business constants: fixed ones, and the defaults of settings (docs/settings.md). */

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;

export const HOUR_MS = 3_600_000;

/** Default of MAX_FILE_BYTES: the largest plaintext of one file, in bytes. */
export const DEFAULT_MAX_FILE_BYTES = 100 * MIB;
/** Default of FREE_STORAGE_BYTES: stored bytes per account. */
export const DEFAULT_FREE_STORAGE_BYTES = GIB;
/** Default of FOLDER_LIFETIME_HOURS. */
export const DEFAULT_FOLDER_LIFETIME_HOURS = 24;

/** Default of MAX_OPEN_FOLDERS: folders of an account that have not expired. */
export const DEFAULT_MAX_OPEN_FOLDERS = 200;
/** Default of MAX_FOLDER_FILES: files of one folder, including open uploads. */
export const DEFAULT_MAX_FOLDER_FILES = 2000;
/**
 * Default of MAX_OPEN_UPLOADS: open uploads of an account. A page has one for each core, and the paused ones; the rest
 * is for further devices, and for uploads that lost their browser and have not expired yet.
 */
export const DEFAULT_MAX_OPEN_UPLOADS = 100;
/** The longest list of one's folders or open uploads, so that it comes whole. */
export const OWN_LIST_MAX = 1000;

/** The most of each at once, for every tier. */
export interface Caps {
  readonly open_folders: number;
  readonly folder_files: number;
  readonly open_uploads: number;
}

/** The only bucket that exists. */
export const BUCKET = 'unlocked-folders';

/** Pauses before the retries of an upload, and of a download, in milliseconds. */
export const RETRY_DELAYS_MS: readonly number[] = [0, 3000, 5000, 10_000, 20_000];
/** Cache-Control seconds sent with an upload. */
export const CACHE_CONTROL_SECONDS = 3600;
/** Default lifetime of a signed URL, in seconds. */
export const SIGNED_URL_SECONDS = 3600;
/** Default page of a file listing. */
export const LIST_LIMIT = 100;
/** The largest page of a listing. */
export const LIST_LIMIT_MAX = 1000;

/** The server keeps a Discord link's key for at most this long, in hours. */
export const DISCORD_KEY_HOURS = 24;
/** A new passphrase has at least this many characters; an existing one is not checked. */
export const PASSPHRASE_MIN_CHARACTERS = 8;
/** Wrong passphrases allowed for a folder within an hour (docs/container.md §3). */
export const PASSPHRASE_TRIES = 10;
/** The same from one network address, so that one client can't use up everyone's tries. */
export const PASSPHRASE_TRIES_PER_CLIENT = 5;

/** Seconds that a storage bearer lives. */
export const BEARER_SECONDS = 600;
/** A bearer with less time left than this is renewed before use, in milliseconds. */
export const BEARER_RENEW_MS = 120_000;

/** Seconds that the codes of a device's sign-in are good for, and between two polls at first (RFC 8628 §3.2). */
export const DEVICE_CODE_SECONDS = 600;
export const DEVICE_POLL_SECONDS = 5;
/** What is added to the seconds between two polls for one that came too early (RFC 8628 §3.5). */
export const DEVICE_SLOW_DOWN_SECONDS = 5;
/** Characters of the names by which a device introduces itself. */
export const DEVICE_NAME_MAX = 64;

/** Container overheads (docs/container.md §1), in bytes. */
export const CHUNK_HEADER_BYTES = 20;
export const CHUNK_TAG_BYTES = 32;
export const CHUNK_OVERHEAD_BYTES = CHUNK_HEADER_BYTES + CHUNK_TAG_BYTES;
export const HEADER_MAX_BYTES = 8192;
export const CHUNK_MAX_BYTES = 4 * MIB;
/** The longest `sealed` label of a file (docs/container.md §2). */
export const SEALED_LABEL_MAX_BYTES = 2 * KIB;
/** Most folder keys in a keyring (docs/container.md §6). */
export const KEYRING_MAX_KEYS = 16;
/** The longest name of a file itself, in UTF-8 (docs/container.md §2). */
export const NAME_MAX_BYTES = 1024;
/** Directories within each other that a file's label may name (docs/container.md §2). */
export const DIRECTORY_DEPTH_MAX = 32;
/** The longest segment of an object's path, in UTF-8. */
export const OBJECT_NAME_MAX_BYTES = 255;

/** Folder name and description, in characters. */
export const FOLDER_NAME_MAX = 80;
export const FOLDER_DESCRIPTION_MAX = 280;

/** Characters of a reporter's note. */
export const REPORT_NOTE_MAX = 1000;
/** Characters of an operator's reason, which the people concerned read. */
export const OPERATOR_REASON_MAX = 200;

/** Files of at most this many plaintext bytes open by themselves once in view. */
export const AUTO_OPEN_BYTES = 25 * MIB;
/** How many files open by themselves at once. */
export const AUTO_OPEN_PARALLEL = 2;

/** Decrypted-file cache: when an unused entry is dropped, and how often that is checked. */
export const OPENED_IDLE_MS = 10 * 60_000;
export const OPENED_SWEEP_MS = 300_000;
/** How long a folder's file list counts as fresh. */
export const LIST_FRESH_MS = 60_000;
export const COPIED_MS = 2000;
export const COUNTDOWN_TICK_MS = 1000;
/** Delays of /auth/callback. */
export const CALLBACK_DELAY_MS = 500;
export const CALLBACK_SUCCESS_MS = 1000;
export const CALLBACK_NO_SESSION_MS = 2000;

/** The image modal of the folder page. */
export const ZOOM = { initial: 1, min: 0.5, max: 4, wheelStep: 0.2, pinchStep: 5, doubleClickStep: 2 } as const;

/**
 * Plaintext bytes of one container chunk for a file of that size.
 * @param sizeBytes plaintext size of the file
 */
export function chunkSizeFor(sizeBytes: number): number {
  if (sizeBytes < MIB) return 32 * KIB;
  if (sizeBytes < 10 * MIB) return 64 * KIB;
  if (sizeBytes < 100 * MIB) return 128 * KIB;
  if (sizeBytes < GIB) return 256 * KIB;
  if (sizeBytes < 10 * GIB) return 512 * KIB;
  return MIB;
}

/**
 * The largest Upload-Length of a `.enc` object for a plaintext of `maxFileBytes`: with the longest header,
 * and the overhead of each chunk at the smallest chunk size.
 */
export function maxSealedBytes(maxFileBytes: number): number {
  return maxFileBytes + 4 + HEADER_MAX_BYTES + CHUNK_OVERHEAD_BYTES * Math.ceil(maxFileBytes / (32 * KIB));
}
