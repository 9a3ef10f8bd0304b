import type { OpenProgress } from '@satchel/client/open/open-file';
import { watchStandstill } from '@satchel/client/open/standstill';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError, toAppError } from '@satchel/contract/errors';
import { createStore } from '../../lib/base/external-store.ts';
import type { StreamRequest } from '../media/media-client.ts';
import {
  activityOf,
  type FilesEvent,
  type FilesState,
  NO_FILES,
  nextFiles,
  nextToOpen,
  opensUnasked,
} from './file-model.ts';
import type { OpenedFile, OpenFileRequest } from './open/open-client.ts';
import type { OpenedCache } from './opened-cache.ts';
import { openingWay } from './opening-way.ts';
import { isPicture } from './picture-type.ts';
import { memoryLimitBytes } from './saving/saving-way.ts';

/** An encrypted file of the folder, with the fields that opening it needs. */
export interface SealedFile {
  readonly entry: FileEntry;
  readonly url: string;
  readonly name: string;
  readonly type: string;
  readonly proof: FileProof;
  /** See {@link OpenedCache}: what was opened is shown for this listing only. */
  readonly listedAs: string;
  /** Whether a still shows it: then it is opened when it is looked at. */
  readonly hasStill: boolean;
}

export interface FileOpenerDeps {
  readonly openFile: (request: OpenFileRequest) => Promise<OpenedFile>;
  readonly streamOpened: (request: StreamRequest) => Promise<OpenedFile | null>;
  readonly cache: Pick<OpenedCache, 'put' | 'peek' | 'use' | 'hold' | 'remove' | 'revoke'>;
  /** Whether the line is slow or paid by what it carries: then nothing is opened unasked. */
  readonly savesData: () => boolean;
  /** Whether a file is a small picture that this page has uploaded: the device has it. */
  readonly isAtHand: (file: SealedFile) => boolean;
}

export type FileOpener = ReturnType<typeof createFileOpener>;

interface OpenJob {
  readonly file: SealedFile;
  readonly signal: AbortSignal;
}

/** A file too large to open unasked streams on a click, unless it is a picture; one that is read in ranges always does. */
const streams = ({ proof, name, type }: SealedFile): boolean =>
  openingWay(name, type) === 'ranges' || (!opensUnasked(proof) && !isPicture(name, type));

async function openOne({ file, signal }: OpenJob, deps: FileOpenerDeps, send: Send): Promise<OpenedFile> {
  const { entry, url, name, proof } = file;
  const { id } = entry;
  let percent = 0;
  // Whoever fetches notices by itself, and asks again; here the person is told.
  const tellWaiting = () => signal.aborted || send({ type: 'progress', id, phase: 'waiting', percent });
  const watch = watchStandstill(tellWaiting);
  try {
    if (streams(file)) {
      const onFailure = (error: AppError) => send({ type: 'failed', id, error });
      const streamed = await deps.streamOpened({ url, entry, name, proof, signal, onFailure });
      if (streamed !== null) return streamed;
    }
    // Whole, it would be in memory: without a service worker a film, and everywhere what can't be shown in parts.
    const maxBytes = memoryLimitBytes();
    if (proof.sizeBytes > maxBytes) throw new AppError('open.too_large_here', { maxBytes });
    const onProgress = (progress: OpenProgress) => {
      percent = progress.percent;
      watch.touch();
      send({ type: 'progress', id, ...progress });
    };
    return await deps.openFile({ url, entry, name, proof, signal, onProgress });
  } finally {
    watch.stop();
  }
}

type Send = (event: FilesEvent) => void;

/** Opens the files that the model names next. `fileOf` returns the file; undefined when there is nothing to open. */
function createOpenRuns(deps: FileOpenerDeps, fileOf: (id: string) => SealedFile | undefined) {
  const { cache } = deps;
  const store = createStore<FilesState>(NO_FILES);
  const running = new Map<string, AbortController>();
  const send: Send = (event) => store.set(nextFiles(store.get(), event));

  function pump(): void {
    for (const id of nextToOpen(store.get())) start(id);
  }

  async function start(id: string): Promise<void> {
    const file = fileOf(id);
    if (file === undefined) return send({ type: 'ended', id });
    const control = new AbortController();
    running.set(id, control);
    send({ type: 'progress', id, phase: streams(file) ? 'processing' : 'downloading', percent: 0 });
    try {
      const opened = await openOne({ file, signal: control.signal }, deps, send);
      if (control.signal.aborted) return cache.revoke(opened);
      cache.put(id, file.listedAs, opened);
      send({ type: 'opened', id });
    } catch (error) {
      if (!control.signal.aborted) send({ type: 'failed', id, error: toAppError(error, 'open.failed') });
    } finally {
      if (running.get(id) === control) running.delete(id);
      pump();
    }
  }

  function giveUp(id: string): void {
    running.get(id)?.abort();
    running.delete(id);
    send({ type: 'ended', id });
  }

  /** Stops opening a file that the viewer has left, or takes it off the queue. A download of the file continues. */
  function leave(id: string): void {
    if (running.has(id)) giveUp(id);
    else send({ type: 'unwanted', id });
  }

  /** Gives up the running files that match. */
  function giveUpWhere(matches: (id: string) => boolean): void {
    for (const id of [...running.keys()]) if (matches(id)) giveUp(id);
  }

  /** Gives up all running and queued files: a running file that is given up lets the next queued one start. */
  function giveUpAll(): void {
    for (const id of [...store.get().keys()]) giveUp(id);
  }

  return { store, send, pump, giveUp, leave, giveUpWhere, giveUpAll };
}

/** In a folder of up to this number of files small pictures of the device are opened at once; in a larger one when they come into view. */
const AHEAD_MAX = 100;

/** Opens the files of one folder: visible files without a still unasked, two at once; others on a click. */
export function createFileOpener(deps: FileOpenerDeps) {
  const { cache } = deps;
  /** Cards in view, each with the function that releases its cached file. */
  const inView = new Map<string, () => void>();
  /** The file in the viewer, and the files that it would show next. */
  let lookedAt: ReadonlySet<string> = new Set();
  let files: ReadonlyMap<string, SealedFile> = new Map();
  const { store, send, pump, giveUp, leave, giveUpWhere, giveUpAll } = createOpenRuns(deps, (id) => files.get(id));

  const opensAhead = (file: SealedFile | undefined): file is SealedFile =>
    file !== undefined &&
    (deps.isAtHand(file) || !deps.savesData()) &&
    opensUnasked(file.proof) &&
    openingWay(file.name, file.type) === 'whole';

  function wantUnasked(id: string): void {
    const file = files.get(id);
    if (!opensAhead(file) || cache.peek(id, file.listedAs) !== null) return;
    send({ type: 'wanted', id, asked: false });
  }

  /** Whether its card has the file opened: not where a still shows it. */
  const opensForCard = (id: string): boolean =>
    inView.has(id) && files.get(id)?.hasStill === false && opensAhead(files.get(id));

  function wantForCard(id: string): void {
    if (opensForCard(id)) wantUnasked(id);
  }

  function wantAtHand(id: string): void {
    const file = files.get(id);
    if (file && deps.isAtHand(file)) wantUnasked(id);
  }

  /** The folder's files that this page's keys open. A file that is now listed as another one starts again. */
  function setFolder(next: ReadonlyMap<string, SealedFile>): void {
    const before = files;
    const isReplaced = (id: string) => before.has(id) && before.get(id)?.listedAs !== next.get(id)?.listedAs;
    giveUpWhere((id) => !next.has(id) || isReplaced(id));
    files = next;
    send({ type: 'listed', ids: new Set([...next.keys()].filter((id) => !isReplaced(id))) });
    for (const id of inView.keys()) wantForCard(id);
    if (next.size <= AHEAD_MAX) for (const id of next.keys()) if (!before.has(id)) wantAtHand(id);
    pump();
  }

  function enterView(id: string): void {
    inView.set(id, cache.hold(id));
    cache.use(id, files.get(id)?.listedAs ?? '');
    wantForCard(id);
    pump();
  }

  function leaveView(id: string): void {
    inView.get(id)?.();
    inView.delete(id);
    send({ type: 'unwanted', id });
  }

  /** A card in view has its file opened unasked and kept; one that left gives up its place in the queue. */
  function setInView(id: string, isVisible = true): void {
    if (isVisible === inView.has(id)) return;
    if (isVisible) enterView(id);
    else leaveView(id);
  }

  /** A click: opens a file of any size, and again after an error. */
  function open(id: string): void {
    const file = files.get(id);
    if (!file || cache.use(id, file.listedAs) !== null) return;
    send({ type: 'wanted', id, asked: true });
    pump();
  }

  /**
   * What the viewer shows, null once it is closed, and what it would show next: that is opened ahead as if it were in view.
   * What is neither any more is given up, unless its card wants it.
   */
  function look(id: string | null, next: readonly string[] = []): void {
    const before = lookedAt;
    lookedAt = new Set(id === null ? next : [id, ...next]);
    for (const other of next) wantUnasked(other);
    for (const left of before) if (!lookedAt.has(left) && !opensForCard(left)) leave(left);
    pump();
  }

  /** Opens again what failed or stands still, and also a stream that turned out damaged. */
  function retry(id: string): void {
    const { error, phase } = activityOf(store.get(), id);
    if (error !== null) cache.remove(id);
    if (phase === 'waiting') giveUp(id);
    open(id);
  }

  /** Gives up everything: the page is left. Files that come into view later are queued again. */
  function stop(): void {
    giveUpAll();
    for (const letGo of inView.values()) letGo();
    inView.clear();
  }

  return { store, send, setFolder, setInView, open, look, retry, giveUp, stop };
}
