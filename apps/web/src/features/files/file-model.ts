import { t } from '@lingui/core/macro';
import type { FileLabel } from '@satchel/container/label';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import {
  AUTO_OPEN_BYTES,
  AUTO_OPEN_PARALLEL,
  CHUNK_OVERHEAD_BYTES,
  chunkSizeFor,
  HEADER_MAX_BYTES,
} from '@satchel/contract/limits';
import { displayName, extensionOf, type FileCategory, fileCategory, isSealedName } from '@satchel/contract/naming';
import type { OpenedFile } from '../../lib/open-client.ts';

/** A file of a folder as its card and its viewer see it (§2, §4 "File card processing phase", DESIGN R12). */

/** "API": fetched and opened on demand. "Cached": opened already. "No Key": can't be opened here (DESIGN-UX §8). */
export type FileBadge = 'cached' | 'api' | 'none';
export type FilePhase = 'none' | 'downloading' | 'decrypting' | 'processing';
/** Finer than the category, for icons and filters. */
export type FileKind = 'image' | 'video' | 'audio' | 'document' | 'archive' | 'other';

export interface FileItem {
  readonly id: string;
  readonly entry: FileEntry;
  /** By the opened file's own header, else by the listing's label, else by the stored name. */
  readonly name: string;
  /** Plaintext bytes once they are known, stored bytes before. */
  readonly sizeBytes: number;
  /** MIME type as it was given: never a `type` to render by; for that there is `opened.type`. */
  readonly type: string;
  readonly category: FileCategory;
  readonly kind: FileKind;
  readonly encrypted: boolean;
  /** Null for plain files. */
  readonly badge: FileBadge | null;
  readonly phase: FilePhase;
  /** Whole percent of the present phase. */
  readonly percent: number;
  readonly error: AppError | null;
  readonly opened: OpenedFile | null;
  /** Path of the stored bytes on this site. */
  readonly url: string;
}

/** What is going on with one file. */
export interface FileActivity {
  readonly phase: FilePhase;
  readonly percent: number;
  readonly error: AppError | null;
  /** Waiting or being opened: because somebody clicked, or because the card came into view. */
  readonly wanted: 'asked' | 'unasked' | null;
  /** Known once a file has been opened, and still after it left the cache. */
  readonly plainBytes: number | null;
}

/** Activities by file id, in the order in which files were first wanted. */
export type FilesState = ReadonlyMap<string, FileActivity>;

export type FilesEvent =
  | { readonly type: 'wanted'; readonly id: string; readonly asked: boolean }
  /** The card left the view. */
  | { readonly type: 'unwanted'; readonly id: string }
  | { readonly type: 'progress'; readonly id: string; readonly phase: FilePhase; readonly percent: number }
  | { readonly type: 'opened'; readonly id: string; readonly sizeBytes: number }
  | { readonly type: 'failed'; readonly id: string; readonly error: AppError }
  /** Ended without a result that anybody needs to hear of. */
  | { readonly type: 'ended'; readonly id: string }
  /** The folder has these files and no others. */
  | { readonly type: 'listed'; readonly ids: ReadonlySet<string> };

export const NO_ACTIVITY: FileActivity = { phase: 'none', percent: 0, error: null, wanted: null, plainBytes: null };
export const NO_FILES: FilesState = new Map();

export const activityOf = (state: FilesState, id: string): FileActivity => state.get(id) ?? NO_ACTIVITY;

/** The next state of a folder's files. An event that changes nothing returns the same state. */
export function nextFiles(state: FilesState, event: FilesEvent): FilesState {
  if (event.type === 'listed') {
    const kept = [...state].filter(([id]) => event.ids.has(id));
    return kept.length === state.size ? state : new Map(kept);
  }
  const before = activityOf(state, event.id);
  const after = nextActivity(before, event);
  if (after === before) return state;
  const next = new Map(state);
  // Newly wanted files queue behind the others.
  if (before.wanted === null && after.wanted !== null) next.delete(event.id);
  return next.set(event.id, after);
}

function nextActivity(activity: FileActivity, event: Exclude<FilesEvent, { type: 'listed' }>): FileActivity {
  const isIdle = activity.phase === 'none';
  switch (event.type) {
    case 'wanted':
      // Clicks on a card are ignored while a phase is active (§4), and only a click tries again after an error.
      if (!isIdle || activity.wanted === 'asked' || (!event.asked && (activity.error || activity.wanted)))
        return activity;
      return { ...activity, error: null, wanted: event.asked ? 'asked' : 'unasked' };
    case 'unwanted':
      return isIdle && activity.wanted === 'unasked' ? { ...activity, wanted: null } : activity;
    case 'progress':
      return { ...activity, error: null, phase: event.phase, percent: event.percent };
    case 'opened':
      return { ...NO_ACTIVITY, plainBytes: event.sizeBytes };
    case 'failed':
      return { ...NO_ACTIVITY, plainBytes: activity.plainBytes, error: event.error };
    case 'ended':
      return isIdle && activity.wanted === null ? activity : { ...NO_ACTIVITY, plainBytes: activity.plainBytes };
  }
}

/**
 * Which waiting files to open now: every one that was asked for, and of the others as many as make two at once (R12).
 */
export function nextToOpen(state: FilesState): string[] {
  const wanted = [...state].filter(([, { wanted }]) => wanted !== null);
  const waiting = wanted.filter(([, { phase }]) => phase === 'none');
  const runningUnasked = wanted.filter(([, { wanted, phase }]) => wanted === 'unasked' && phase !== 'none').length;
  const places = Math.max(0, AUTO_OPEN_PARALLEL - runningUnasked);
  const asked = waiting.filter(([, { wanted }]) => wanted === 'asked');
  const unasked = waiting.filter(([, { wanted }]) => wanted === 'unasked').slice(0, places);
  return [...asked, ...unasked].map(([id]) => id);
}

/** The least plaintext that a container of so many bytes can hold: its header's length is not known before it is read. */
export function leastPlainBytes(storedBytes: number): number {
  const body = Math.max(0, storedBytes - 4 - HEADER_MAX_BYTES);
  const overhead = (chunkBytes: number) => CHUNK_OVERHEAD_BYTES * Math.ceil(body / chunkBytes);
  // Of two chunk sizes that it may have been cut into, the smaller one leaves less.
  const chunkBytes = chunkSizeFor(Math.max(0, body - overhead(chunkSizeFor(0))));
  return Math.max(0, body - overhead(chunkBytes));
}

/** True for files that are opened as soon as they are in view (R12). */
export const opensUnasked = (entry: FileEntry): boolean => leastPlainBytes(entry.metadata.size) <= AUTO_OPEN_BYTES;

export interface FileContext {
  /** Whether the folder is an encrypted one. */
  readonly encrypted: boolean;
  readonly hasKey: boolean;
  /** The listing's label; null when it has none or there is no key; an error when it can't be read. */
  readonly label: FileLabel | AppError | null;
  readonly activity: FileActivity;
  readonly opened: OpenedFile | null;
  readonly url: string;
}

/** A file counts as encrypted when its folder is and its name ends in .enc (CONTAINER §2). */
export const isEncryptedFile = (entry: FileEntry, folderEncrypted: boolean): boolean =>
  folderEncrypted && isSealedName(entry.name);

/** Puts together what is known of a file. */
export function fileItem(entry: FileEntry, context: FileContext): FileItem {
  const { label, activity, url } = context;
  const encrypted = isEncryptedFile(entry, context.encrypted);
  const opened = encrypted && context.hasKey ? context.opened : null;
  const known = opened ?? (label instanceof AppError ? null : label);
  const name = known?.name ?? (label instanceof AppError ? t`Unreadable name` : displayName(entry.name));
  const type = (label instanceof AppError ? null : label?.type) ?? opened?.type ?? entry.metadata.mimetype;
  const { phase, percent, plainBytes } = activity;
  return {
    id: entry.id,
    entry,
    name,
    sizeBytes: opened?.sizeBytes ?? plainBytes ?? entry.metadata.size,
    type,
    category: fileCategory(name, type),
    kind: fileKind(name, type),
    encrypted,
    badge: encrypted ? badgeOf(context.hasKey, opened !== null) : null,
    phase,
    percent,
    error: activity.error ?? (label instanceof AppError ? label : null),
    opened,
    url,
  };
}

function badgeOf(hasKey: boolean, isOpen: boolean): FileBadge {
  if (!hasKey) return 'none';
  return isOpen ? 'cached' : 'api';
}

/** Makes file items, and gives the same one again as long as nothing about a file has changed. */
export function createItemMaker(): (entry: FileEntry, context: FileContext) => FileItem {
  const made = new Map<string, { entry: FileEntry; context: FileContext; item: FileItem }>();
  return (entry, context) => {
    const last = made.get(entry.id);
    if (last?.entry === entry && isSameContext(last.context, context)) return last.item;
    const item = fileItem(entry, context);
    made.set(entry.id, { entry, context, item });
    return item;
  };
}

const isSameContext = (a: FileContext, b: FileContext): boolean =>
  (Object.keys(a) as (keyof FileContext)[]).every((field) => a[field] === b[field]);

const AUDIO = new Set('mp3,m4a,aac,oga,opus,wav,flac,weba'.split(','));
const ARCHIVES = new Set('zip,rar,7z,tar,gz,tgz,bz2,xz,zst'.split(','));
const DOCUMENTS = new Set('pdf,txt,md,csv,json,doc,docx,xls,xlsx,ppt,pptx,odt,ods,odp,rtf,html,xml'.split(','));

/** What kind of file it is, by its category, else by extension, else by MIME type. */
export function fileKind(name: string, type: string): FileKind {
  const category = fileCategory(name, type);
  if (category !== 'default') return category;
  const extension = extensionOf(name);
  if (AUDIO.has(extension) || type.startsWith('audio/')) return 'audio';
  if (ARCHIVES.has(extension)) return 'archive';
  if (DOCUMENTS.has(extension) || type.startsWith('text/')) return 'document';
  return 'other';
}
