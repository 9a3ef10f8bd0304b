import { hashHeader } from '@satchel/container/label';
import type { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { PATHS } from '@satchel/contract/paths';
import { hurryCollector } from '../../../lib/browser/hurry-collector.ts';
import type { UploadLog } from '../log/upload-log.ts';
import { removeUploadSlots } from '../log/upload-slots.ts';
import { terminateUpload } from '../log/upload-termination.ts';
import type { UploadEvent, UploadOrder, UploadPhase } from '../upload-messages.ts';
import { type AttemptDeps, attemptUpload } from './attempt.ts';
import type { Bearer } from './bearer.ts';
import { StartAfresh } from './bytes/tag-ledger.ts';
import type { Control } from './control.ts';
import { judge } from './failure.ts';
import { findJob, type Job, type JobDeps, newJob } from './job.ts';
import { createMeter, type Meter } from './meter.ts';
import { attemptBySocket, type SocketOutcome } from './socket/attempt-socket.ts';
import { createTransportChoice, type Transport, type TransportChoice } from './socket/transport-choice.ts';

/** Runs the upload of one file from beginning to end: attempts, pauses, waiting, and beginning afresh. */

export interface TransferDeps {
  readonly order: UploadOrder;
  readonly log: UploadLog | null;
  readonly control: Control;
  readonly bearer: Bearer;
  /** Origin of the site. */
  readonly origin: string;
  readonly emit: (event: Exclude<UploadEvent, { type: 'error' }>) => void;
  /** The entry of the log that is held from now on. */
  readonly onOpened: (uploadId: string) => void;
  /** The upload is paused. */
  readonly onIdle: () => void;
  /** False when the page knows that the upload socket is refused. */
  readonly mayUseSocket: boolean;
  /** The socket was refused, and tus worked in its place. */
  readonly onSocketRefused: () => void;
}

type JobEnd =
  | { readonly kind: 'sent' }
  | { readonly kind: 'afresh'; readonly error: AppError }
  | { readonly kind: 'failed'; readonly error: AppError };

/** How often a file may begin afresh before it is taken for one that changes all the time. */
const FRESH_STARTS_MAX = 2;

interface Sending {
  readonly deps: TransferDeps;
  readonly job: Job;
  readonly meter: Meter;
  readonly choice: TransportChoice;
  url: string | null;
  /** Bytes that the server has said it has. */
  acknowledged: number;
}

const enterPhase = ({ meter }: Sending, phase: UploadPhase): void => meter.tell({ type: 'phase', phase });

const sendingPhase = ({ deps }: Sending): UploadPhase =>
  deps.order.folder.link_mode === 'plain' ? 'uploading' : 'encrypting';

async function checkAgainstLog(sending: Sending, offset: number, length: number, signal: AbortSignal): Promise<void> {
  const { job, meter } = sending;
  if (length !== job.entry.bytesTotal || !(offset <= length)) throw new StartAfresh('the stored size differs');
  sending.acknowledged = offset;
  if (job.ledger.verified() < job.virtual.chunksBefore(offset)) {
    enterPhase(sending, 'checking');
    await job.source.verify(offset, signal, meter.checked);
    enterPhase(sending, sendingPhase(sending));
  }
  meter.uploaded(offset);
}

async function attempt(sending: Sending, transport: Transport): Promise<SocketOutcome> {
  const { deps, job, meter, choice } = sending;
  const signal = deps.control.attemptSignal();
  const attemptDeps: AttemptDeps = {
    endpoint: deps.origin + PATHS.resumable,
    url: sending.url,
    metadata: job.metadata,
    source: job.source,
    isSmall: job.isSmall,
    bearer: deps.bearer,
    signal,
    async onCreated(url) {
      sending.url = url;
      await job.journal.setUrl(url);
    },
    onHead: (offset, length) => checkAgainstLog(sending, offset, length, signal),
    onProgress: meter.uploaded,
    onAcknowledged: (offset) => {
      sending.acknowledged = offset;
      if (!job.isSmall) choice.acknowledged(transport);
    },
  };
  if (transport === 'tus') return attemptUpload(attemptDeps);
  return attemptBySocket({ ...attemptDeps, windows: job.windows, origin: deps.origin });
}

/** Waits until an attempt makes sense: not paused, and with a network. */
async function ready({ deps, meter }: Sending): Promise<void> {
  const { control, onIdle } = deps;
  for (;;) {
    if (control.signal().aborted) {
      meter.flush();
      onIdle();
      await control.running();
    } else if (!control.online) {
      meter.tell({ type: 'offline' });
      await control.networkOrPause();
    } else return;
  }
}

async function send(sending: Sending): Promise<JobEnd> {
  const { control, bearer } = sending.deps;
  const { job, meter, choice } = sending;
  let tries = 0;
  let renewed = false;
  for (;;) {
    await ready(sending);
    const before = sending.acknowledged;
    const transport = job.isSmall ? 'tus' : choice.next();
    const outcome = await attempt(sending, transport);
    if (outcome.kind === 'sent') return outcome;
    if (outcome.kind === 'paused') continue;
    if (sending.acknowledged > before) [tries, renewed] = [0, false];
    if (outcome.kind === 'unreached') {
      choice.unreached();
      continue;
    }
    if (outcome.kind === 'cut') choice.cut();
    else choice.failed(transport);
    const { failure } = outcome;
    // No other file has this random name: an earlier request, whose answer was lost, has brought it. That may be one of
    // which nothing is known here, as Chromium sends a request again by itself when its connection breaks.
    if (job.isSmall && failure.error.code === 'storage.exists') return { kind: 'sent' };
    const verdict = judge(failure, { attempt: tries, online: control.online, renewed });
    if (verdict.act === 'fail') return { kind: 'failed', error: failure.error };
    if (verdict.act === 'afresh') return { kind: 'afresh', error: failure.error };
    if (verdict.act === 'renew') {
      bearer.refuse();
      renewed = true;
    }
    if (verdict.act === 'retry') {
      tries += 1;
      meter.tell({ type: 'retry', attempt: tries, delayMs: verdict.delayMs, cause: verdict.cause });
      await control.rest(verdict.delayMs);
    }
  }
}

/** The upload that takes its place waits for this, so it is not tried for long. */
const endOnServer = ({ bearer }: TransferDeps, url: string): Promise<boolean> =>
  terminateUpload({ url, token: bearer.get, onlyIfOpen: true, tries: 2 });

async function abandon({ deps, job, url }: Sending): Promise<void> {
  if (url !== null) await endOnServer(deps, url);
  await job.journal.remove();
}

/** Small files of a worker until its collector looks; by itself it would after 64 MiB, and six workers send at once. */
const COLLECTED_BYTES = 4 * MIB;
let uncollectedBytes = 0;

function collectAfter(sizeBytes: number): void {
  uncollectedBytes += sizeBytes;
  if (uncollectedBytes < COLLECTED_BYTES) return;
  uncollectedBytes = 0;
  hurryCollector();
}

async function close(job: Job): Promise<void> {
  job.windows.close();
  await job.virtual.close();
  if (job.isSmall) collectAfter(job.virtual.sizeBytes);
  else await removeUploadSlots(job.entry.id).catch(() => undefined);
  job.release();
}

function fileUrl({ order, origin }: TransferDeps, objectName: string): string {
  return `${origin}${PATHS.objectPublic}/${order.folder.bucket}/${objectName.split('/').map(encodeURIComponent).join('/')}`;
}

/** The last message: the page ends the worker when it arrives. */
async function completed(deps: TransferDeps, { entry, resumed }: Job): Promise<void> {
  const { objectName, prefix } = entry;
  const header = prefix && (await hashHeader(prefix));
  deps.emit({ type: 'completed', objectName, fileUrl: fileUrl(deps, objectName), resumed, header });
}

async function runJob(deps: TransferDeps, job: Job, meter: Meter): Promise<JobEnd> {
  const { entry, journal } = job;
  const choice = createTransportChoice(deps.mayUseSocket, deps.onSocketRefused);
  const sending: Sending = { deps, job, meter, choice, url: entry.url, acknowledged: 0 };
  deps.onOpened(entry.id);
  meter.reset(entry.bytesTotal);
  if (entry.url === null) enterPhase(sending, sendingPhase(sending));
  try {
    const end = await send(sending);
    meter.flush();
    if (end.kind === 'afresh') await abandon(sending);
    // An upload that the server never created can't be resumed.
    if (end.kind === 'sent' || (end.kind === 'failed' && sending.url === null)) await journal.remove();
    return end;
  } finally {
    await close(job);
  }
}

/**
 * Uploads one file. An upload that an earlier page began is resumed; one whose log doesn't fit is ended, and the file
 * begins afresh under a new baseCounter (CONTAINER §5).
 * @throws AppError why it failed; the log stays, so that a retry resumes from there
 */
export async function transfer(deps: TransferDeps): Promise<void> {
  const meter = createMeter(deps.emit);
  const jobDeps: JobDeps = { ...deps, onSealed: meter.sealed, terminate: (url) => endOnServer(deps, url) };
  let job = (await findJob(jobDeps)) ?? (await newJob(jobDeps));
  for (let freshStarts = 0; ; freshStarts += 1) {
    const end = await runJob(deps, job, meter);
    if (end.kind === 'sent') return completed(deps, job);
    if (end.kind === 'failed' || freshStarts === FRESH_STARTS_MAX) throw end.error;
    deps.emit({ type: 'afresh' });
    job = await newJob(jobDeps);
  }
}
