import type { Bytes } from '@satchel/container/format';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { makeZip } from 'client-zip';
import { type FetchStoredDeps, fetchFailure, fetchStored } from '../files/open/fetch-stored.ts';
import { openProven } from '../files/open/open-proven.ts';
import type { Delivery, ZipEntry, ZipFile } from '../media/media-protocol.ts';
import { createZipNames } from './zip-names.ts';

/** One zip of many files, made while they are fetched and opened (DESIGN-UX §7.9). */

export interface ZipStreamDeps {
  readonly fetch: typeof fetch;
  /** Called as the reader takes bytes, and once at the end. */
  readonly onDelivery: (delivery: Delivery) => void;
  /** Aborted to give the zip up: the stream then fails, for a cut zip must never look finished. */
  readonly signal: AbortSignal;
  /** Pauses before a file is asked for again. */
  readonly retryDelaysMs?: readonly number[];
}

/** One line that breaks for a moment among a thousand files must not cost the zip. */
const RETRY_DELAYS_MS = [500, 2000, 5000];

interface Content {
  readonly name: string;
  readonly bytes: AsyncIterable<Bytes>;
}

/** While a file of at most this size is packed, the next one is fetched already: with many small files the waits add up. */
const AHEAD_BYTES = MIB;

async function* flat(units: AsyncIterable<Bytes[]>): AsyncGenerator<Bytes> {
  for await (const unit of units) yield* unit;
}

/** A plain file's bytes, which must be as many as the listing says. */
async function* whole(body: ReadableStream<Bytes>, { name, entry }: ZipFile): AsyncGenerator<Bytes> {
  const reader = body.getReader();
  let count = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    count += read.value.length;
    yield read.value;
  }
  if (count !== entry.metadata.size) throw new AppError('download.cut_short', cut(name, count, entry.metadata.size));
}

const cut = (name: string, deliveredBytes: number, sizeBytes: number) => ({ name, deliveredBytes, sizeBytes });

/** Begins to fetch a file. A sealed one is its label's container by then, and its first chunk is verified. */
async function contentOf(file: ZipFile, deps: FetchStoredDeps): Promise<Content> {
  const { body } = await fetchStored(file, deps);
  if (file.proof === null) return { name: file.name, bytes: whole(body, file) };
  const { label, plaintext } = await openProven(file.proof, body);
  return { name: label.name, bytes: flat(plaintext) };
}

/** The contents of the files, one after the other. */
async function* contentsOf(files: readonly ZipFile[], deps: FetchStoredDeps): AsyncGenerator<Content> {
  let ahead: Promise<Content> | null = null;
  for (const [index, file] of files.entries()) {
    const content: Content = await (ahead ?? contentOf(file, deps));
    const next = files[index + 1];
    ahead = next && file.entry.metadata.size <= AHEAD_BYTES ? contentOf(next, deps) : null;
    ahead?.catch(() => {}); // it is awaited later; until then its failure must not count as unhandled
    yield content;
  }
}

/** Tells how far the zip is. */
function createProgress(onDelivery: ZipStreamDeps['onDelivery']) {
  let index = 0;
  let fileBytes = 0;
  let deliveredBytes = 0;
  async function* counted(bytes: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
    for await (const chunk of bytes) {
      fileBytes += chunk.length;
      yield chunk;
    }
  }
  return {
    begin: (at: number): void => {
      index = at;
      fileBytes = 0;
    },
    counted,
    index: () => index,
    report: (state: Delivery['state'], error: AppError | null, newBytes = 0): void => {
      deliveredBytes += newBytes;
      onDelivery({ state, deliveredBytes, error: error?.toWire() ?? null, place: { index, fileBytes } });
    },
  };
}

type Progress = ReturnType<typeof createProgress>;

async function* zipInputs(files: readonly ZipFile[], progress: Progress, deps: FetchStoredDeps) {
  const nameOf = createZipNames();
  const contents = contentsOf(files, deps);
  for (const [index, { entry }] of files.entries()) {
    progress.begin(index);
    const content = await contents.next();
    if (content.done) return;
    const { name, bytes } = content.value;
    yield { name: nameOf(name), lastModified: new Date(entry.updated_at), input: progress.counted(bytes) };
  }
}

/**
 * The zip as it is read: nothing is fetched before the first pull, and never much ahead of the reader. Any failure, and
 * giving up, errors the stream before the zip's directory has been written, so that what arrived opens nowhere.
 */
export function zipStream({ files }: ZipEntry, deps: ZipStreamDeps): ReadableStream<Bytes> {
  const { fetch, onDelivery, signal, retryDelaysMs = RETRY_DELAYS_MS } = deps;
  const giveUp = new AbortController();
  const progress = createProgress(onDelivery);
  let zip: ReadableStreamDefaultReader<Uint8Array> | null = null;
  let isOver = false;

  function end(state: Delivery['state'], error: AppError | null = null): void {
    isOver = true;
    progress.report(state, error);
    if (state === 'done') return;
    giveUp.abort();
    zip?.cancel().catch(() => {}); // its inputs were given up, and say so
  }

  async function pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    const inputs = () => zipInputs(files, progress, { fetch, signal: giveUp.signal, retryDelaysMs });
    zip ??= makeZip(inputs(), { buffersAreUTF8: true }).getReader();
    const { value, done } = await zip.read();
    if (isOver) return;
    if (done) {
      end('done');
      return controller.close();
    }
    controller.enqueue(value as Bytes);
    progress.report('active', null, value.length);
  }

  function fail(controller: ReadableStreamDefaultController<Bytes>, error: unknown): void {
    if (isOver) return;
    const failure = fetchFailure(files[progress.index()]?.name ?? '', error);
    end('failed', failure);
    controller.error(failure);
  }

  function stop(controller?: ReadableStreamDefaultController<Bytes>): void {
    if (isOver) return;
    end('cancelled');
    controller?.error(signal.reason);
  }

  return new ReadableStream<Bytes>(
    {
      start: (controller) => signal.addEventListener('abort', () => stop(controller)),
      pull: (controller) => pull(controller).catch((error: unknown) => fail(controller, error)),
      cancel: () => stop(),
    },
    { highWaterMark: 0 },
  );
}
