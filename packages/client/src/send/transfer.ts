import { hashHeader } from '@satchel/container/label';
import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { readType } from '../open/transport-stream.ts';
import { attempt } from './attempt.ts';
import type { Bearer } from './bearer.ts';
import { explainReadFailure } from './bytes/window-maker.ts';
import { findJob, type Job, type JobDeps, newJob } from './job.ts';
import { terminateUpload } from './line/requests.ts';
import { asSent } from './metadata/strip-metadata.ts';
import type { SendEvent, UploadOrder, UploadProgress } from './order.ts';
import type { Network, UploadLog } from './ports.ts';
import { type Effect, type JobEnd, newSending, type SendingEvent, step } from './sending.ts';

/** Sends one file from beginning to end. */

/** Four a second are plenty for an eye, and few enough for the page, which draws the queue for each. */
const EVERY_MS = 250;

/** Counts an upload's bytes, and tells the page now and then. */
export interface Meter {
  sealed(bytes: number): void;
  uploaded(bytes: number): void;
  /** Bytes made again and found right: they are sealed, and the server has them. */
  checked(bytes: number): void;
  /** Begins again. */
  reset(bytesTotal: number): void;
  /** Tells what has not been told yet. */
  flush(): void;
  /**
   * Tells an event after the bytes that were counted before it: told later, they look like bytes that moved since, and the page
   * would no longer show that the upload waits.
   */
  tell(event: SendEvent): void;
}

export function createMeter(emit: (event: SendEvent) => void, nowMs: () => number = Date.now): Meter {
  let figures: UploadProgress = { bytesSealed: 0, bytesUploaded: 0, bytesTotal: 0 };
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let isTold = true;

  function flush(): void {
    if (isTold) return;
    isTold = true;
    toldAtMs = nowMs();
    emit({ type: 'progress', ...figures });
  }

  function change(next: Partial<UploadProgress>): void {
    figures = { ...figures, ...next };
    isTold = false;
    if (nowMs() - toldAtMs >= EVERY_MS) flush();
  }

  return {
    sealed: (bytes) => change({ bytesSealed: Math.max(figures.bytesSealed, bytes) }),
    uploaded: (bytes) => change({ bytesUploaded: bytes }),
    checked: (bytes) => change({ bytesSealed: bytes, bytesUploaded: bytes }),
    reset(bytesTotal) {
      figures = { bytesSealed: 0, bytesUploaded: 0, bytesTotal };
      isTold = false;
      flush();
    },
    flush,
    tell(event) {
      flush();
      emit(event);
    },
  };
}

/** Whether this device knows a folder as encrypted. */
export type RecallFolder = (
  userId: string,
  folder: { readonly folderId: string; readonly slug: string },
) => Promise<{ readonly isPinned: boolean }>;

/**
 * The last check before a file is sent in clear: refuses if this device knows the folder as encrypted, even if the page
 * concluded otherwise from the server's answers.
 * @throws upload.not_plain
 */
export async function requirePlain(
  { folder, keys, userId }: Pick<UploadOrder, 'folder' | 'keys' | 'userId'>,
  recallFolder: RecallFolder,
): Promise<void> {
  if (folder.link_mode !== 'plain') return;
  if (keys !== null) throw new AppError('upload.not_plain');
  const { isPinned } = await recallFolder(userId, { folderId: folder.id, slug: folder.slug }).catch(() => ({
    isPinned: true,
  }));
  if (isPinned) throw new AppError('upload.not_plain');
}

export interface TransferDeps extends Pick<JobDeps, 'hold' | 'createMaker' | 'release' | 'windowBytes'> {
  readonly order: UploadOrder;
  readonly recallFolder: RecallFolder;
  /** Null where this device keeps none: the upload works, and ends with its process. */
  readonly openLog: () => Promise<UploadLog | null>;
  readonly network: Network;
  readonly bearer: Bearer;
  readonly isOnline: boolean;
  readonly emit: (event: SendEvent) => void;
}

export interface Transfer {
  /** Resolves once the server has the file, or the upload is cancelled. @throws AppError why it failed; the log stays, so that a retry resumes from there */
  readonly done: Promise<void>;
  /** Pause, resume, cancel, and the news of the line. */
  tell(event: Exclude<SendingEvent, { type: 'begun' | 'rested' | 'acknowledged' | 'outcome' }>): void;
}

/** How often a file may begin afresh before it is taken for one that changes all the time. */
const FRESH_STARTS_MAX = 2;

/** The upload that takes its place waits for this, so it is not tried for long. */
const endOnServer = (deps: TransferDeps, url: string): Promise<boolean> =>
  terminateUpload({ network: deps.network, bearer: deps.bearer, url, onlyIfOpen: true, tries: 2 });

function fileUrl({ order, network }: TransferDeps, objectName: string): string {
  const path = objectName.split('/').map(encodeURIComponent).join('/');
  return `${network.origin}${PATHS.objectPublic}/${order.folder.bucket}/${path}`;
}

async function completed(deps: TransferDeps, { entry }: Job): Promise<void> {
  const { objectName, prefix } = entry;
  const header = prefix && (await hashHeader(prefix));
  deps.emit({ type: 'completed', objectName, fileUrl: fileUrl(deps, objectName), header });
}

/** The state machine of one transfer, which outlives its jobs: a pause holds when the file begins afresh, too. */
function createCourse(deps: TransferDeps) {
  let state = newSending(deps.isOnline, deps.network.openSocket !== null);
  let perform: (effect: Effect) => void = () => {};
  function tell(event: SendingEvent): void {
    const next = step(state, event);
    state = next.state;
    for (const effect of next.effects) perform(effect);
  }
  return {
    tell,
    /** Follows a job to its end. A small one goes by requests; that they work does not mean that a socket is refused. */
    run(isSmall: boolean, effects: (effect: Effect) => void): void {
      const { isPaused, isOnline, isCancelled, isDoubted, isRefused, cuts } = state;
      const fresh = newSending(isOnline, true);
      state = { ...fresh, isPaused, isCancelled, isDoubted, isRefused: isRefused || isSmall, cuts };
      perform = effects;
      tell({ type: 'begun' });
    },
  };
}

/** Follows one job, and does what its course asks for. */
function runJob(
  deps: TransferDeps,
  job: Job,
  meter: Meter,
  course: ReturnType<typeof createCourse>,
): Promise<JobEnd & { readonly url: string | null }> {
  const { network, bearer } = deps;
  const ended = Promise.withResolvers<JobEnd & { readonly url: string | null }>();
  let url = job.entry.url;
  let control = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isChecking = false;
  const check = (is: boolean) => {
    if (is !== isChecking) meter.tell({ type: 'checking', isChecking: is });
    isChecking = is;
  };

  function begin(effect: Extract<Effect, { do: 'attempt' }>): void {
    control = new AbortController();
    void attempt({
      job,
      way: effect.way,
      network,
      bearer,
      signal: control.signal,
      url,
      async onCreated(created) {
        url = created;
        await job.journal.setUrl(created);
      },
      onChecking(bytes) {
        check(true);
        meter.checked(bytes);
      },
      onSending(offset) {
        check(false);
        meter.uploaded(offset);
      },
      onProgress: meter.uploaded,
      onAcknowledged: () => course.tell({ type: 'acknowledged' }),
    }).then((outcome) => {
      // What the server has of a paused file decides whether ending it is asked for.
      meter.flush();
      course.tell({ type: 'outcome', outcome });
    });
  }

  function rest({ attempt, delayMs, cause }: Extract<Effect, { do: 'rest' }>): void {
    meter.tell({ type: 'retry', attempt, delayMs, cause });
    timer = setTimeout(() => course.tell({ type: 'rested' }), delayMs);
  }

  function stop(): void {
    clearTimeout(timer);
    control.abort();
  }

  function perform(effect: Effect): void {
    if (effect.do === 'attempt') begin(effect);
    if (effect.do === 'stop') stop();
    if (effect.do === 'rest') rest(effect);
    if (effect.do === 'tell-offline') meter.tell({ type: 'offline' });
    if (effect.do === 'tell-refused') meter.tell({ type: 'way', way: 'http' });
    if (effect.do === 'renew-bearer') bearer.refuse();
    if (effect.do === 'end') ended.resolve({ ...effect.end, url });
  }

  deps.emit({ type: 'opened', uploadId: job.entry.id });
  meter.reset(job.entry.bytesTotal);
  course.run(job.isSmall, perform);
  return ended.promise;
}

/** Ends a job and its entry in the log, where that is over with it. */
async function closeJob(deps: TransferDeps, job: Job, end: JobEnd, url: string | null): Promise<void> {
  if (end.kind === 'afresh' && url !== null) await endOnServer(deps, url);
  // An upload that the server never created can't be resumed.
  const isOver = end.kind === 'sent' || end.kind === 'afresh' || (end.kind === 'failed' && url === null);
  if (isOver) await job.journal.remove();
}

/**
 * The order as it is sent: the file with its type by its bytes where its ending is ambiguous, and without what tells of its maker
 * if the person wants that. Header, label and size describe this file.
 * @throws upload.changed_file
 */
async function prepared({ order, emit }: TransferDeps): Promise<UploadOrder> {
  const { file: chosen, strips } = order;
  const type = await readType(chosen).catch((error: unknown) => {
    throw explainReadFailure(error);
  });
  const typed =
    type === chosen.type ? chosen : new File([chosen], chosen.name, { type, lastModified: chosen.lastModified });
  const { file, stripping } = await asSent(typed, strips);
  if (stripping !== 'none') emit({ type: 'stripping', stripping, sizeBytes: file.size });
  return file === chosen ? order : { ...order, file, chosen };
}

async function runJobs(
  deps: TransferDeps,
  log: UploadLog | null,
  course: ReturnType<typeof createCourse>,
): Promise<void> {
  const meter = createMeter(deps.emit);
  const jobDeps: JobDeps = { ...deps, log, onSealed: meter.sealed, terminate: (url) => endOnServer(deps, url) };
  let job = (await findJob(jobDeps)) ?? (await newJob(jobDeps));
  for (let freshStarts = 0; ; freshStarts += 1) {
    const { url, ...end } = await runJob(deps, job, meter, course);
    try {
      await closeJob(deps, job, end, url);
    } finally {
      job.close();
    }
    if (end.kind === 'cancelled') return deps.emit({ type: 'cancelled' });
    if (end.kind === 'sent') return completed(deps, job);
    if (end.kind === 'failed' || freshStarts === FRESH_STARTS_MAX) throw end.error;
    deps.emit({ type: 'afresh' });
    job = await newJob(jobDeps);
  }
}

async function run(deps: TransferDeps, course: ReturnType<typeof createCourse>): Promise<void> {
  await requirePlain(deps.order, deps.recallFolder);
  const log = await deps.openLog().catch(() => null);
  try {
    await runJobs({ ...deps, order: await prepared(deps) }, log, course);
  } finally {
    log?.close();
  }
}

/**
 * Sends one file. An upload that an earlier process began is resumed; one whose log doesn't fit is ended, and the file begins
 * afresh under a new baseCounter (docs/container.md, "Resuming").
 */
export function transfer(deps: TransferDeps): Transfer {
  const course = createCourse(deps);
  return { done: run(deps, course), tell: course.tell };
}
