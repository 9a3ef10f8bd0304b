import { containerSize, decodeHeader, encodeHeader } from '@satchel/container/format';
import { hashHeader, sealLabel } from '@satchel/container/label';
import { createHeader } from '@satchel/container/seal';
import { AppError } from '@satchel/contract/errors';
import { storedName } from '@satchel/contract/file-name';
import { safeDirectory } from '@satchel/contract/files/file-path';
import { splitPath } from '@satchel/contract/files/path-parts';
import { CACHE_CONTROL_SECONDS } from '@satchel/contract/limits';
import { extensionOf, randomBase62 } from '@satchel/contract/naming';
import { pause } from '../pause.ts';
import type { Ingredients, WindowMaker } from './bytes/window-maker.ts';
import { type Geometry, plainGeometry, sealedGeometry } from './bytes/window-maker.ts';
import { createTagLedger, createWindows, type TagLedger, type Windows } from './bytes/windows.ts';
import { headerOf, hidesName, labelOf } from './entry.ts';
import { identify } from './identity.ts';
import { isSmall, type UploadOrder } from './order.ts';
import type { Bytes, HoldLock, UploadEntry, UploadLog } from './ports.ts';

/** One upload's part of the log. */
export interface Journal {
  setUrl(url: string): Promise<void>;
  /** Resolves once the tags are durable. */
  append(firstChunk: number, tags: Bytes): Promise<void>;
  remove(): Promise<void>;
}

/** A browser may abort a transaction by itself, such as on a slow disk. Writing the same tags twice does no harm. */
const PAUSES_MS = [250, 1000, 4000];

/** Whether a retry may succeed: it can't where the storage is full or the entry was deleted. */
const mayPass = (error: unknown): boolean => error instanceof DOMException && error.name !== 'QuotaExceededError';

/** Writes to the log, and again where the browser aborted that. @throws why it could not be written */
export async function writePatiently(
  write: () => Promise<void>,
  pausesMs: readonly number[] = PAUSES_MS,
): Promise<void> {
  for (const pauseMs of pausesMs) {
    try {
      return await write();
    } catch (error) {
      if (!mayPass(error)) throw error;
      await pause(pauseMs);
    }
  }
  return write();
}

/**
 * Writes to the log, as long as there is one. Where the browser has no room for the log, or no log, the upload still runs,
 * and only a reload ends it. Its entry must then be deleted first: a log that lacks tags could make a later page send other
 * content under the same baseCounter.
 */
export function createJournal(log: UploadLog | null, id: string, pausesMs?: readonly number[]): Journal {
  let target = log;

  async function write(work: (log: UploadLog) => Promise<void>): Promise<void> {
    const open = target;
    if (!open) return;
    try {
      await writePatiently(() => work(open), pausesMs);
    } catch {
      await open.remove(id);
      target = null;
    }
  }

  return {
    setUrl: (url) => write((open) => open.setUrl(id, url)),
    append: (firstChunk, tags) => write((open) => open.appendTags(id, firstChunk, tags)),
    async remove() {
      await target?.remove(id);
    },
  };
}

const OCTETS = 'application/octet-stream';

/** One upload as it stands: its entry in the log, whose lock this process holds, and what makes its bytes. */
export interface Job {
  readonly entry: UploadEntry;
  readonly geometry: Geometry;
  readonly ledger: TagLedger;
  readonly journal: Journal;
  readonly windows: Windows;
  /** It goes in one request, and nothing of it is kept on this device. */
  readonly isSmall: boolean;
  readonly metadata: Record<string, string>;
  /** See {@link UploadOrder}. */
  readonly linkToken: string | null;
  /** Frees what makes the bytes, and gives the lock back. */
  readonly close: () => void;
}

export interface JobDeps {
  readonly order: UploadOrder;
  /** Null where this device keeps none. */
  readonly log: UploadLog | null;
  readonly hold: HoldLock;
  readonly createMaker: (ingredients: Ingredients, isSmall: boolean) => WindowMaker;
  /** Frees a buffer before the collector finds it. */
  readonly release?: (bytes: Bytes) => void;
  /** Of a window, of which up to six are in memory; 6 MiB where left out. */
  readonly windowBytes?: number;
  readonly onSealed: (bytes: number) => void;
  /** Ends an upload that is still open on the server; false when the server could not be reached. */
  readonly terminate: (url: string) => Promise<boolean>;
}

interface Opening {
  readonly entry: UploadEntry;
  readonly tags: Uint8Array;
  readonly resumed: boolean;
  readonly log: UploadLog | null;
  readonly release: () => void;
}

const isPlain = ({ folder }: UploadOrder) => folder.link_mode === 'plain';

function nameOf({ name, folder }: UploadOrder, addedAtMs: number): string {
  const extension = extensionOf(name);
  const base = extension === '' ? name : name.slice(0, -extension.length - 1);
  if (folder.link_mode === 'plain') return storedName(base, extension, addedAtMs);
  return storedName(folder.hide_names ? randomBase62(16) : name, 'enc', addedAtMs);
}

/** Of the file as it was chosen: the page, which reads no file, knows it by that. */
const identityOf = ({ file, chosen = file, path, folder, userId }: UploadOrder) =>
  identify({ file: chosen, path, userId, folderId: folder.id });

/** What an upload is made of: its container's header, the label that is bound to it and to the stored name, and its length. */
type Making = Pick<UploadEntry, 'prefix' | 'sealed' | 'bytesTotal'>;

async function newMaking(order: UploadOrder, storedName: string): Promise<Making> {
  const { file, name, path, folder, keys } = order;
  if (isPlain(order)) return { prefix: null, sealed: null, bytesTotal: file.size };
  if (!keys) throw new AppError('key.needs_link');
  const [sizeBytes, { type }] = [file.size, file];
  const decoded = encodeHeader(createHeader({ sizeBytes, name, type, hidesName: folder.hide_names }));
  const { prefix } = decoded;
  // A photograph that goes without its metadata goes without its time.
  const dated = order.chosen ? {} : { modifiedMs: file.lastModified };
  const label = { name, type, sizeBytes, header: await hashHeader(prefix), ...dated };
  const directory = safeDirectory(splitPath(path).directory);
  const sealed = await sealLabel(keys, { ...label, ...(directory === '' ? {} : { directory }) }, storedName);
  return { prefix, sealed, bytesTotal: sealedGeometry(decoded).sizeBytes };
}

async function newEntry(order: UploadOrder, nowMs: number): Promise<UploadEntry> {
  const name = nameOf(order, order.addedAtMs ?? nowMs);
  return {
    id: crypto.randomUUID(),
    ...(await identityOf(order)),
    ...(await newMaking(order, name)),
    objectName: `${order.folder.bucket_storage_path}/${name}`,
    url: null,
    createdAtMs: nowMs,
    expiresAtMs: Date.parse(order.folder.expires_at),
  };
}

/** @throws upload.not_plain, upload.no_header where keys and header don't belong together */
function geometryOf({ file, keys }: UploadOrder, prefix: Bytes | null): Geometry {
  if (prefix === null) {
    if (keys !== null) throw new AppError('upload.not_plain');
    return plainGeometry(file.size);
  }
  const decoded = decodeHeader(prefix);
  if (!decoded || !keys) throw new AppError('upload.no_header');
  return sealedGeometry(decoded);
}

function metadataOf({ file, folder }: UploadOrder, { objectName, sealed }: UploadEntry): Record<string, string> {
  const hidesType = sealed !== null && folder.hide_names;
  return {
    bucketName: folder.bucket,
    objectName,
    contentType: hidesType ? OCTETS : file.type || OCTETS,
    cacheControl: String(CACHE_CONTROL_SECONDS),
    ...(sealed === null ? {} : { sealed }),
  };
}

function openJob({ order, onSealed, createMaker, windowBytes, release: free }: JobDeps, opening: Opening): Job {
  const { entry, tags, log, resumed, release } = opening;
  const { prefix } = entry;
  const journal = createJournal(log, entry.id);
  const geometry = geometryOf(order, prefix);
  const ledger = createTagLedger(geometry.totalChunks, tags, journal.append);
  const isWhole = isSmall(order) && !resumed;
  const maker = createMaker({ file: order.file, keys: prefix && order.keys, prefix }, isWhole);
  const windows = createWindows({
    maker,
    size: geometry.sizeBytes,
    ledger,
    onSealed,
    ...(free ? { release: free } : {}),
    ...(windowBytes === undefined ? {} : { windowBytes }),
  });
  const close = () => {
    windows.close();
    release();
  };
  const metadata = metadataOf(order, entry);
  const linkToken = order.linkToken ?? null;
  return { entry, geometry, ledger, journal, windows, isSmall: isWhole, metadata, linkToken, close };
}

async function mayResumeSealed(
  entry: UploadEntry,
  { file, folder, keys }: Omit<UploadOrder, 'userId'>,
): Promise<boolean> {
  const decoded = headerOf(entry);
  if (!decoded || !keys) return false;
  if (decoded.header.originalSize !== file.size || containerSize(decoded) !== entry.bytesTotal) return false;
  // The owner may have changed "Hide file names" since: the name must follow what is set now.
  if (hidesName(decoded.header) !== folder.hide_names) return false;
  // The folder may have a newer key since: the container would then be under another key than its label.
  const label = await labelOf(entry, keys);
  return label?.sizeBytes === file.size && label.header === (await hashHeader(decoded.prefix));
}

/**
 * Whether an earlier upload of this file may be resumed: only if its stored size equals the file's. Otherwise the earlier
 * upload is ended, and the file is sent from its beginning. That the content is the same is found out later, chunk by chunk.
 */
async function mayResume(entry: UploadEntry, order: Omit<UploadOrder, 'userId'>): Promise<boolean> {
  const { file, folder } = order;
  // Whether the folder still lives is for the server to say.
  if (entry.url === null) return false;
  if (!entry.objectName.startsWith(`${folder.bucket_storage_path}/`)) return false;
  if (folder.link_mode === 'plain') return entry.prefix === null && entry.bytesTotal === file.size;
  return mayResumeSealed(entry, order);
}

/** Ends an upload that can't be resumed. Its log entry stays when the server can't be reached, for the next time. */
async function endUpload({ terminate }: JobDeps, log: UploadLog, { id, url }: UploadEntry): Promise<void> {
  if (url === null || (await terminate(url))) await log.remove(id);
}

async function resumeEntry(
  deps: JobDeps,
  log: UploadLog,
  entry: UploadEntry,
  release: () => void,
): Promise<Job | null> {
  const { fingerprint } = await identityOf(deps.order);
  if (entry.fingerprint === fingerprint && (await mayResume(entry, deps.order))) {
    return openJob(deps, { entry, tags: await log.readTags(entry.id), resumed: true, log, release });
  }
  await endUpload(deps, log, entry);
  return null;
}

/** A page that was just left may hold its lock a moment longer. */
const LOCK_WAIT_MS = 2000;

/**
 * The upload of this file that an earlier page began, if there is one. Uploads of an earlier state of the file are ended:
 * they can't be resumed, and they occupy quota.
 * @throws upload.elsewhere when another tab is uploading this very file, or was until a moment ago: a second upload would be
 * an unwanted copy
 */
export async function findJob(deps: JobDeps): Promise<Job | null> {
  const { order, log, hold } = deps;
  if (!log) return null;
  const { place, fingerprint } = await identityOf(order);
  for (const found of await log.find(place)) {
    const isSame = found.fingerprint === fingerprint;
    const release = await hold(found.id, isSame ? LOCK_WAIT_MS : 0);
    if (!release && isSame) throw new AppError('upload.elsewhere');
    if (!release) continue;
    // Read again under the lock: another tab may have completed it in between.
    const entry = await log.get(found.id);
    const job = entry && (await resumeEntry(deps, log, entry, release));
    if (job) return job;
    release();
    if (!entry && isSame) throw new AppError('upload.elsewhere');
  }
  return null;
}

/**
 * A new upload under a new baseCounter, with its entry in the log before anything is sent. A small file has none: its
 * ledger in this worker alone sees to it that its baseCounter meets one content, and its lock is of the file.
 * @throws upload.elsewhere when another tab is uploading this very file, and it is small
 */
export async function newJob(deps: JobDeps): Promise<Job> {
  const { order, log, hold } = deps;
  const entry = await newEntry(order, Date.now());
  const release = await hold(isSmall(order) ? entry.fingerprint : entry.id);
  if (!release) throw new AppError(isSmall(order) ? 'upload.elsewhere' : 'unexpected');
  const entryLog = isSmall(order) ? null : log;
  const isLogged = await writePatiently(async () => entryLog?.create(entry)).then(
    () => true,
    () => false,
  );
  return openJob(deps, { entry, tags: new Uint8Array(0), resumed: false, log: isLogged ? entryLog : null, release });
}
