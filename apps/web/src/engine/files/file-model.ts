import type { Verdict } from '@satchel/client/folders/proven-files';
import { settledType } from '@satchel/client/open/transport-stream';
import type { FileLabel } from '@satchel/container/label';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import type { AppError } from '@satchel/contract/errors';
import { AUTO_OPEN_BYTES, AUTO_OPEN_PARALLEL } from '@satchel/contract/limits';
import { displayName, extensionOf, type FileCategory, fileCategory } from '@satchel/contract/naming';
import type { OpenedFile } from './open/open-client.ts';
import type { FileStill } from './stills/still-ref.ts';

/** A file of a folder as its card and its viewer see it. */

/**
 * "API": fetched and opened on demand. "Cached": opened already. "No Key": can't be opened here. "Not from
 * this folder": the folder's keys don't vouch for it (docs/container.md §6).
 */
export type FileBadge = 'cached' | 'api' | 'none' | 'foreign';
/** 'waiting': nothing has come for long. */
export type FilePhase = 'none' | 'downloading' | 'decrypting' | 'processing' | 'waiting';
/** Finer than the category, for icons and filters. */
export type FileKind = 'image' | 'video' | 'audio' | 'document' | 'archive' | 'other';

export interface FileItem {
  readonly id: string;
  readonly entry: FileEntry;
  /** By the file's label; without a key by the stored name. */
  readonly name: string;
  /** The directory that its label names, as `a/b`; empty when the label names no directory. */
  readonly directory: string;
  /** Plaintext bytes by the label; without a key stored bytes. */
  readonly sizeBytes: number;
  /** MIME type as it was given: never a `type` to render by; for that there is `opened.type`. */
  readonly type: string;
  readonly category: FileCategory;
  readonly kind: FileKind;
  /** Whether the folder is an encrypted one for this page: then nothing of it is shown or saved without proof. */
  readonly encrypted: boolean;
  /** What vouches for the file; null in a plain folder, without a key, and for a foreign entry. */
  readonly proof: FileProof | null;
  /** Null for plain files. */
  readonly badge: FileBadge | null;
  readonly phase: FilePhase;
  /** Whole percent of the present phase. */
  readonly percent: number;
  readonly error: AppError | null;
  readonly opened: OpenedFile | null;
  /** Its still (docs/container.md §6): shown where it is not opened, and in place of a large original. Null for none. */
  readonly still: FileStill | null;
  /** Path of the stored bytes on this site. */
  readonly url: string;
}

/** Activity of one file: its phase, progress and error. */
export interface FileActivity {
  readonly phase: FilePhase;
  readonly percent: number;
  readonly error: AppError | null;
  /** Queued or being opened: by a click ('asked'), or because the card came into view ('unasked'). */
  readonly wanted: 'asked' | 'unasked' | null;
}

/** Activities by file id, in the order in which files were first wanted. */
export type FilesState = ReadonlyMap<string, FileActivity>;

export type FilesEvent =
  | { readonly type: 'wanted'; readonly id: string; readonly asked: boolean }
  /** The card left the view. */
  | { readonly type: 'unwanted'; readonly id: string }
  | { readonly type: 'progress'; readonly id: string; readonly phase: FilePhase; readonly percent: number }
  | { readonly type: 'opened'; readonly id: string }
  | { readonly type: 'failed'; readonly id: string; readonly error: AppError }
  /** Ended without a result to report. */
  | { readonly type: 'ended'; readonly id: string }
  /** The folder has these files and no others. */
  | { readonly type: 'listed'; readonly ids: ReadonlySet<string> };

export const NO_ACTIVITY: FileActivity = { phase: 'none', percent: 0, error: null, wanted: null };
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
      // A file that is being opened is not opened a second time, and only a click tries again after an error.
      if (!isIdle || activity.wanted === 'asked' || (!event.asked && (activity.error || activity.wanted)))
        return activity;
      return { ...activity, error: null, wanted: event.asked ? 'asked' : 'unasked' };
    case 'unwanted':
      return isIdle && activity.wanted === 'unasked' ? { ...activity, wanted: null } : activity;
    case 'progress':
      return { ...activity, error: null, phase: event.phase, percent: event.percent };
    case 'opened':
      return NO_ACTIVITY;
    case 'failed':
      return { ...NO_ACTIVITY, error: event.error };
    case 'ended':
      return isIdle && activity.wanted === null ? activity : NO_ACTIVITY;
  }
}

/**
 * The queued files to open now: all clicked ones, and others up to two at once.
 */
export function nextToOpen(state: FilesState): string[] {
  const wanted = [...state].filter(([, { wanted }]) => wanted !== null);
  const queued = wanted.filter(([, { phase }]) => phase === 'none');
  const runningUnasked = wanted.filter(([, { wanted, phase }]) => wanted === 'unasked' && phase !== 'none').length;
  const places = Math.max(0, AUTO_OPEN_PARALLEL - runningUnasked);
  const asked = queued.filter(([, { wanted }]) => wanted === 'asked');
  const unasked = queued.filter(([, { wanted }]) => wanted === 'unasked').slice(0, places);
  return [...asked, ...unasked].map(([id]) => id);
}

/** True for files that are opened as soon as they are in view. */
export const opensUnasked = ({ sizeBytes }: Pick<FileProof, 'sizeBytes'>): boolean => sizeBytes <= AUTO_OPEN_BYTES;

export interface FileContext {
  /** Whether the folder is an encrypted one for this page. */
  readonly encrypted: boolean;
  /** Whether the folder's keys vouch for it; null in a plain folder and without a key. */
  readonly verdict: Verdict | null;
  readonly activity: FileActivity;
  readonly opened: OpenedFile | null;
  readonly still: FileStill | null;
  readonly url: string;
  readonly unknownNames: UnknownNames;
}

/** What a file is called whose own name is not known, in the language of the page: the same object for one language. */
export interface UnknownNames {
  /** A file that the folder's keys don't vouch for. */
  readonly foreign: string;
  /** A file whose name is sealed. */
  readonly hidden: string;
}

/** Builds a file item from the entry, its proof, the cache and the activity. */
export function fileItem(entry: FileEntry, context: FileContext): FileItem {
  const { encrypted, verdict, activity, url, unknownNames } = context;
  const proof = verdict === 'foreign' ? null : verdict;
  const opened = proof ? context.opened : null;
  const badge = badgeOf(context);
  const { phase, percent } = activity;
  const sizeBytes = proof?.sizeBytes ?? entry.metadata.size;
  const { name, type: given } =
    verdict === 'foreign' ? { name: unknownNames.foreign, type: '' } : knownLabel(entry, proof, context);
  const type = settledType(name, given, sizeBytes);
  return {
    id: entry.id,
    entry,
    name,
    directory: proof?.label.directory ?? '',
    sizeBytes,
    type,
    category: fileCategory(name, type),
    kind: fileKind(name, type),
    encrypted,
    proof,
    badge,
    phase,
    percent,
    error: badge === 'foreign' ? null : activity.error,
    opened: badge === 'foreign' ? null : opened,
    still: badge === 'foreign' ? null : context.still,
    url,
  };
}

/** A hidden name is stored as random characters (docs/container.md §2), which tell a person nothing. */
const HIDDEN_NAME = /^[\dA-Za-z]{16}$/;

function knownLabel(
  { name: stored, metadata }: FileEntry,
  proof: FileProof | null,
  { encrypted, unknownNames }: FileContext,
): FileLabel {
  if (proof) return proof.label;
  const readable = displayName(stored);
  return { name: encrypted && HIDDEN_NAME.test(readable) ? unknownNames.hidden : readable, type: metadata.mimetype };
}

/** A file whose container turned out to be another than its label's is as foreign as one without a label. */
function badgeOf({ encrypted, verdict, activity, opened }: FileContext): FileBadge | null {
  if (!encrypted) return null;
  if (verdict === 'foreign' || activity.error?.code === 'open.foreign') return 'foreign';
  if (verdict === null) return 'none';
  return opened === null ? 'api' : 'cached';
}

/** Whether anything can be done with a file but to delete it. */
export const canOpen = ({ badge }: Pick<FileItem, 'badge'>): boolean => badge !== 'none' && badge !== 'foreign';

/** Whether a file can be selected: a foreign file can only be deleted, so only by visitors who may delete. */
export const canSelect = ({ badge }: Pick<FileItem, 'badge'>, mayDelete: boolean): boolean =>
  badge !== 'foreign' || mayDelete;

/** Names a directory among a folder's entries. No file has such an id: a file's is a UUID. */
export const directoryId = (path: string): string => `dir:${path}`;

/**
 * Whether an owner can give it another name: a file with a label, or a directory of such files. A plain file is named by
 * the server.
 */
export const canRename = (entry: Pick<FileItem, 'proof'> | { readonly files: readonly FileItem[] }): boolean =>
  'files' in entry ? entry.files.every(canRename) : entry.proof !== null;

export const countForeign = (files: readonly Pick<FileItem, 'badge'>[]): number =>
  files.filter(({ badge }) => badge === 'foreign').length;

/** How many files of each sort there are, and how large they are together. */
export function countFiles(files: readonly Pick<FileItem, 'badge' | 'encrypted' | 'sizeBytes'>[]) {
  const foreign = countForeign(files);
  const encrypted = files.filter((file) => file.encrypted).length - foreign;
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return { total: files.length, encrypted, foreign, sizeBytes };
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

/** Every Ogg file counts as a video by its ending; most are sounds, and real videos say so by their type. */
const isSound = (extension: string, type: string): boolean =>
  type.startsWith('audio/') || (!type.startsWith('video/') && (AUDIO.has(extension) || extension === 'ogg'));

/** What kind of file it is: a sound, else by its category, else by extension, else by MIME type. */
export function fileKind(name: string, type: string): FileKind {
  const extension = extensionOf(name);
  if (isSound(extension, type)) return 'audio';
  const category = fileCategory(name, type);
  if (category !== 'default') return category;
  if (ARCHIVES.has(extension)) return 'archive';
  if (DOCUMENTS.has(extension) || type.startsWith('text/')) return 'document';
  return 'other';
}
