import type { AppError } from '@satchel/contract/errors';
import { storedNameIn } from '../identity.ts';
import { type ChosenFile, type RetryCause, SMALL_FILE_BYTES, type UploadEvent } from '../order.ts';

/** The upload queue as a pure reducer. */

export type UploadStatus = 'pending' | 'encrypting' | 'uploading' | 'completed' | 'error' | 'paused';

export interface UploadItem {
  readonly id: string;
  readonly file: File;
  readonly name: string;
  /** In an encrypted folder its path there, with its name; else where it lay below what was chosen. */
  readonly path: string;
  /** The stored name of the file that is deleted once this one is there. */
  readonly replaces: string | null;
  /** See {@link ChosenFile}. */
  readonly addedAtMs: number;
  readonly sizeBytes: number;
  readonly mimeType: string;
  /** Whether the file is sealed on its way. */
  readonly sealed: boolean;
  readonly status: UploadStatus;
  /** Started or resumed, and queued for its turn (`turns.ts`). */
  readonly queued: boolean;
  /** What an earlier page sent is being compared with the file (docs/container.md §5). */
  readonly checking: boolean;
  /** 0 to 100; never falls, unless the file has to begin afresh. */
  readonly percent: number;
  /** Bytes of what is stored, so of the container where there is one. */
  readonly bytesUploaded: number;
  readonly bytesTotal: number;
  readonly error: AppError | null;
  /** When the next try begins, and its number from 1; null and 0 when all is well. */
  readonly retryAtMs: number | null;
  readonly attempt: number;
  /** Why it has to be tried again. */
  readonly cause: RetryCause;
  /** Waits for the network. */
  readonly offline: boolean;
  /** Something refuses the upload socket: its windows go by requests. */
  readonly goesByRequests: boolean;
  /** An earlier page began it: the part on the server, in whole percent. */
  readonly resumesAtPercent: number | null;
  readonly fileUrl: string | null;
  /** Whether metadata was taken out of it, or could not be; null before it is sent, and where there was nothing to do. */
  readonly stripping: 'stripped' | 'unreadable' | null;
}

/** A chosen file that is not taken, and why. */
export interface RejectedFile {
  readonly name: string;
  readonly error: AppError;
}

/** What a person should know of chosen files, apart from rejected ones. All but the numbered ones are not on the list. */
export interface SkippedFiles {
  /** Names of an operating system's own files. */
  readonly leftOut: readonly string[];
  /** Names of what the browser could not read. */
  readonly unreadable: readonly string[];
  /** Names of files that are on the list already. */
  readonly repeated: readonly string[];
  /** Paths of files that the folder has already, with the same content; each once. */
  readonly there: readonly string[];
  /** New names of files whose own names another file of the list has. */
  readonly numbered: readonly string[];
}

export interface QueueState {
  readonly items: readonly UploadItem[];
  readonly rejected: readonly RejectedFile[];
  readonly skipped: SkippedFiles;
  /** Bytes sent since the queue was made, for its speed; what an earlier page sent doesn't count. */
  readonly sentBytes: number;
}

export type QueueAction =
  | {
      readonly type: 'added';
      readonly items: readonly UploadItem[];
      readonly rejected: readonly RejectedFile[];
      readonly skipped: SkippedFiles;
    }
  /** Files that were chosen again are on the server in part: percents by the ids of their items. */
  | { readonly type: 'recognised'; readonly percents: ReadonlyMap<string, number> }
  | { readonly type: 'started' }
  | { readonly type: 'launched'; readonly id: string }
  | { readonly type: 'told'; readonly id: string; readonly event: UploadEvent; readonly nowMs: number }
  | { readonly type: 'paused'; readonly id: string }
  | { readonly type: 'resumed'; readonly id: string }
  /** Failed files begin again; one may have been chosen again since, and then is `file`. */
  | { readonly type: 'retried'; readonly ids: readonly string[]; readonly file?: File }
  /** It is sealed and sent again: the folder has a newer key. */
  | { readonly type: 'remade'; readonly id: string }
  | { readonly type: 'line_lost' }
  /** A file that was found again is sent beside the others. */
  | { readonly type: 'found'; readonly path: string }
  | { readonly type: 'removed'; readonly id: string }
  | { readonly type: 'cleared' }
  | { readonly type: 'tidied' }
  | { readonly type: 'notes_dismissed' };

export const NONE_SKIPPED: SkippedFiles = { leftOut: [], unreadable: [], repeated: [], there: [], numbered: [] };
export const EMPTY_QUEUE: QueueState = { items: [], rejected: [], skipped: NONE_SKIPPED, sentBytes: 0 };

/** Percent up to which an item counts as encrypting. */
const ENCRYPTING_PERCENT = 50;

/** A file as it enters the queue. */
export function newItem(
  id: string,
  { file, name, path, replaces = null, addedAtMs = Date.now() }: ChosenFile,
  sealed: boolean,
): UploadItem {
  return {
    id,
    file,
    name,
    path,
    replaces,
    addedAtMs,
    sizeBytes: file.size,
    mimeType: file.type,
    sealed,
    status: 'pending',
    queued: false,
    checking: false,
    percent: 0,
    bytesUploaded: 0,
    bytesTotal: 0,
    error: null,
    retryAtMs: null,
    attempt: 0,
    cause: 'connection',
    offline: false,
    goesByRequests: false,
    resumesAtPercent: null,
    fileUrl: null,
    stripping: null,
  };
}

export const isSending = ({ status }: UploadItem): boolean => status === 'encrypting' || status === 'uploading';
/** The browser gives no byte, or others, of a file that changed on the disk: only choosing it again helps. */
export const hasChanged = ({ code }: AppError): boolean =>
  code === 'upload.changed_file' || code === 'upload.stream_size';
export const mayRetry = ({ status, error }: UploadItem): boolean => status === 'error' && !(error && hasChanged(error));
/** Sending or about to: what "while uploading" means. */
export const isBusy = ({ items }: QueueState): boolean => items.some((item) => isSending(item) || item.queued);
export const mayStart = (state: QueueState): boolean =>
  !isBusy(state) && state.items.some(({ status }) => status === 'pending');

const PLACES: Readonly<Record<UploadStatus, number>> = {
  encrypting: 0,
  uploading: 0,
  paused: 0,
  error: 1,
  pending: 2,
  completed: 3,
};

/** A small file is in before anyone could look for it, unless something keeps it. */
function placeOf({ status, sizeBytes, retryAtMs, offline }: UploadItem): number {
  const isPassing = sizeBytes <= SMALL_FILE_BYTES && retryAtMs === null && !offline && status !== 'paused';
  return isPassing && PLACES[status] === 0 ? PLACES.pending : PLACES[status];
}

/**
 * As the list shows them: what is under way for a while, what failed, what waits, what is done; each in the order of
 * choosing.
 */
export const inShownOrder = (items: readonly UploadItem[]): readonly UploadItem[] =>
  [...items].sort((a, b) => placeOf(a) - placeOf(b));

const sendingStatus = ({ sealed, percent }: UploadItem): UploadStatus =>
  sealed && percent <= ENCRYPTING_PERCENT ? 'encrypting' : 'uploading';

type Progress = Extract<UploadEvent, { type: 'progress' }>;

/**
 * Percent of an item: one half is the share sealed, the other the share that the
 * server took. Sealing runs at most two requests ahead of sending, so both grow together and a large file crosses 50 %
 * when about half of it is there, while a file of one request is sealed first and then sent.
 */
export function percentOf(sealed: boolean, { bytesSealed, bytesUploaded, bytesTotal }: Progress): number {
  if (bytesTotal === 0) return 0;
  const uploaded = (100 * bytesUploaded) / bytesTotal;
  return Math.min(100, sealed ? (50 * bytesSealed) / bytesTotal + uploaded / 2 : uploaded);
}

const GOING: Pick<UploadItem, 'retryAtMs' | 'attempt' | 'offline'> = { retryAtMs: null, attempt: 0, offline: false };

function progressed(item: UploadItem, event: Progress): UploadItem {
  const moved = event.bytesUploaded > item.bytesUploaded;
  const next: UploadItem = {
    ...item,
    percent: Math.max(item.percent, percentOf(item.sealed, event)),
    bytesUploaded: event.bytesUploaded,
    bytesTotal: event.bytesTotal,
    ...(moved ? GOING : {}),
  };
  return { ...next, status: sendingStatus(next) };
}

/** What an event makes of an item that is being sent; late ones to a paused item change nothing that its row shows. */
function told(item: UploadItem, event: UploadEvent, nowMs: number): UploadItem {
  if (event.type === 'completed') {
    const { bytesTotal } = item;
    const done = { percent: 100, bytesUploaded: bytesTotal, checking: false, queued: false, ...GOING };
    return { ...item, ...done, status: 'completed', fileUrl: event.fileUrl };
  }
  if (event.type === 'error') {
    return { ...item, ...GOING, status: 'error', error: event.error, checking: false, queued: false };
  }
  if (event.type === 'stripping') return { ...item, stripping: event.stripping, sizeBytes: event.sizeBytes };
  if (event.type === 'afresh') return { ...item, ...GOING, percent: 0, bytesUploaded: 0, checking: false };
  // What the server has of a paused item decides whether ending it is asked for.
  if (event.type === 'progress' && item.status === 'paused') return { ...item, bytesUploaded: event.bytesUploaded };
  if (!isSending(item)) return item;
  if (event.type === 'progress') return progressed(item, event);
  if (event.type === 'checking') return { ...item, checking: event.isChecking };
  if (event.type === 'way') return { ...item, goesByRequests: event.way === 'http' };
  if (event.type === 'offline') return { ...item, offline: true, retryAtMs: null };
  const { attempt, cause, delayMs } = event;
  return { ...item, offline: false, attempt, cause, retryAtMs: nowMs + delayMs };
}

function launched(item: UploadItem): UploadItem {
  if (!item.queued) return item;
  return { ...item, ...GOING, queued: false, status: sendingStatus(item) };
}

function paused(item: UploadItem): UploadItem {
  // Asked to continue, not yet at it: stays paused.
  if (item.status === 'paused') return { ...item, queued: false };
  return isSending(item) ? { ...item, ...GOING, status: 'paused' } : item;
}

/** The same row from its beginning, and queued. */
const begunAgain = (item: UploadItem, file = item.file): UploadItem => ({
  ...newItem(item.id, { ...item, file }, item.sealed),
  queued: true,
});

/** At once, and not when the first request fails: until then the speed would fall slowly, as if something were sent. */
const withoutLine = (item: UploadItem): UploadItem =>
  isSending(item) ? { ...item, offline: true, retryAtMs: null } : item;

const changeAll = (state: QueueState, to: (item: UploadItem) => UploadItem): QueueState => ({
  ...state,
  items: state.items.map(to),
});
/** The same state if the item is unchanged: most reports of a hundred files change nothing. */
function change(state: QueueState, id: string, to: (item: UploadItem) => UploadItem): QueueState {
  const place = state.items.findIndex((item) => item.id === id);
  const before = state.items[place];
  const after = before && to(before);
  return after === undefined || after === before ? state : { ...state, items: state.items.with(place, after) };
}
const keep = (state: QueueState, isKept: (item: UploadItem) => boolean): QueueState => ({
  ...state,
  items: state.items.filter(isKept),
});

/** Bytes that an event says were sent just now; what is being checked was sent by an earlier page. */
function newlySent(state: QueueState, id: string, event: UploadEvent): number {
  const item = state.items.find((one) => one.id === id);
  if (!item || event.type !== 'progress' || item.checking || item.bytesTotal === 0) return 0;
  return Math.max(0, event.bytesUploaded - item.bytesUploaded);
}

const queuedIf = (item: UploadItem, status: UploadStatus): UploadItem =>
  item.status === status ? { ...item, queued: true } : item;

function added(state: QueueState, { items, rejected, skipped }: Extract<QueueAction, { type: 'added' }>): QueueState {
  return {
    ...state,
    items: [...state.items, ...items],
    rejected: [...state.rejected, ...rejected],
    skipped: {
      leftOut: [...state.skipped.leftOut, ...skipped.leftOut],
      unreadable: [...state.skipped.unreadable, ...skipped.unreadable],
      repeated: [...state.skipped.repeated, ...skipped.repeated],
      // The same files may be chosen once more.
      there: [...new Set([...state.skipped.there, ...skipped.there])],
      numbered: [...state.skipped.numbered, ...skipped.numbered],
    },
  };
}

const recognised = (item: UploadItem, percent: number | undefined): UploadItem =>
  item.status === 'pending' && percent !== undefined ? { ...item, resumesAtPercent: percent } : item;

/** The queue's next state. */
export function queueReducer(state: QueueState, action: QueueAction): QueueState {
  switch (action.type) {
    case 'added':
      return added(state, action);
    case 'recognised':
      return changeAll(state, (item) => recognised(item, action.percents.get(item.id)));
    case 'started':
      return mayStart(state) ? changeAll(state, (item) => queuedIf(item, 'pending')) : state;
    case 'launched':
      return change(state, action.id, launched);
    case 'told': {
      const sentBytes = newlySent(state, action.id, action.event);
      const next = change(state, action.id, (item) => told(item, action.event, action.nowMs));
      return sentBytes === 0 ? next : { ...next, sentBytes: state.sentBytes + sentBytes };
    }
    case 'paused':
      return change(state, action.id, paused);
    case 'resumed':
      return change(state, action.id, (item) => queuedIf(item, 'paused'));
    case 'retried': {
      const ids = new Set(action.ids);
      const isRetried = ({ id, status }: UploadItem) => status === 'error' && ids.has(id);
      return changeAll(state, (item) => (isRetried(item) ? begunAgain(item, action.file) : item));
    }
    case 'found':
      return changeAll(state, (item) => (item.path === action.path ? queuedIf(item, 'pending') : item));
    case 'remade':
      return change(state, action.id, (item) => begunAgain(item));
    case 'line_lost':
      return changeAll(state, withoutLine);
    case 'removed':
      return keep(state, ({ id }) => id !== action.id);
    case 'cleared':
      return { ...EMPTY_QUEUE, sentBytes: state.sentBytes };
    case 'tidied':
      return keep(state, ({ status }) => status !== 'completed');
    case 'notes_dismissed':
      return { ...state, rejected: [], skipped: NONE_SKIPPED };
  }
}

export type QueueCounts = Readonly<Record<UploadStatus, number>>;

export function countItems({ items }: QueueState): QueueCounts {
  const counts = { pending: 0, encrypting: 0, uploading: 0, completed: 0, error: 0, paused: 0 };
  for (const { status } of items) counts[status] += 1;
  return counts;
}

/** N of 'Upload N files': what it starts; while it can start nothing, what is not in yet. Failed files have Retry instead. */
export function countToUpload(state: QueueState): number {
  const { pending, encrypting, uploading, paused } = countItems(state);
  return mayStart(state) ? pending : pending + encrypting + uploading + paused;
}

/** The name that a file was stored under is the end of its address. */
export const storedNameOf = ({ fileUrl }: UploadItem): string | null =>
  fileUrl && decodeURIComponent(storedNameIn(fileUrl));

/** How many of the list's files are in the folder now: one that a later one replaced is not. */
export function countIn(items: readonly UploadItem[]): number {
  const completed = items.filter(({ status }) => status === 'completed');
  const replaced = new Set(completed.map(({ replaces }) => replaces));
  return completed.filter((item) => !replaced.has(storedNameOf(item) ?? '')).length;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

export const totalBytes = ({ items }: QueueState): number => sum(items.map(({ sizeBytes }) => sizeBytes));

/** Percent of the whole queue, each file weighing its size; of empty files alone, each the same. */
export function overallPercent(state: QueueState): number {
  const total = totalBytes(state);
  if (total === 0) return sum(state.items.map(({ percent }) => percent)) / Math.max(1, state.items.length);
  return sum(state.items.map(({ sizeBytes, percent }) => sizeBytes * percent)) / total;
}

/** Plaintext bytes of what has not been started. */
export const pendingBytes = ({ items }: QueueState): number =>
  sum(items.filter(({ status, queued }) => status === 'pending' && !queued).map(({ sizeBytes }) => sizeBytes));

/** What sealing adds to a file at least: most of what thousands of small ones send. */
function leastAdded(items: readonly UploadItem[]): number {
  const added = items.filter(({ bytesTotal }) => bytesTotal > 0).map((item) => item.bytesTotal - item.sizeBytes);
  return added.length === 0 ? 0 : added.reduce((least, bytes) => Math.min(least, bytes));
}

/** When the next try begins, where all that is being sent waits for the server; null where something moves. */
export function waitsUntilMs({ items }: Pick<QueueState, 'items'>): number | null {
  const sending = items.filter(isSending);
  const tries = sending.map(({ retryAtMs, cause }) => (cause === 'connection' ? retryAtMs : null));
  return tries.reduce((first, at) => (first === null || at === null ? null : Math.min(first, at)), tries[0] ?? null);
}

/** Bytes that what is being sent, or waits its turn, has yet to send. */
export function remainingBytes({ items }: QueueState): number {
  const ahead = items.filter((item) => isSending(item) || item.queued);
  const added = leastAdded(items);
  return sum(
    ahead.map(({ bytesTotal, bytesUploaded, sizeBytes }) => (bytesTotal || sizeBytes + added) - bytesUploaded),
  );
}
