import type { Bytes } from '@satchel/container/format';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { AUTO_OPEN_BYTES, MIB, RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { pause } from '../pause.ts';
import type { Opened, ZipPlace } from './delivery-stream.ts';
import { fetchFailure, fetchStored, type StoredAnswer } from './fetch-stored.ts';
import { openProven, wholeUnits } from './open-proven.ts';
import type { OpenDeps } from './open-range.ts';
import { createZipNames } from './zip-names.ts';
import { writeZip, type ZipInput } from './zip-writer.ts';

/** One zip of many files, made while they are fetched and opened. */

/** A file that goes into a zip. */
export interface ZipFile {
  /** Absolute address of the stored bytes, on this site. */
  readonly url: string;
  readonly entry: FileEntry;
  /** A plain file's name in the zip, and any file's name in messages; a sealed one is named by its label. */
  readonly name: string;
  /** The directory within the zip, as `a/b`; absent for a file at the top of the zip. */
  readonly directory?: string;
  /** Null for the files of plain folders. */
  readonly proof: FileProof | null;
}

/** Files that are fetched, opened and packed into one zip on their way out. */
export interface ZipEntry {
  /** Of the zip. */
  readonly name: string;
  readonly files: readonly ZipFile[];
}

type Deps = OpenDeps & Required<Pick<OpenDeps, 'retryDelaysMs'>>;

interface Content {
  readonly name: string;
  readonly bytes: AsyncIterable<Bytes>;
}

/** While a file of at most this size is packed, the next one is fetched already: with many small files the waits add up. */
const AHEAD_BYTES = MIB;

const isLine = (error: unknown, { signal }: Deps): boolean => !(error instanceof AppError) && !signal.aborted;

/** A plain file's bytes, which must be as many as the listing says; after a broken connection, the rest is asked for. */
async function* plainBytes(first: StoredAnswer, file: ZipFile, deps: Deps): AsyncGenerator<Bytes> {
  const { size } = file.entry.metadata;
  const eTag = first.headers.get('ETag');
  let { body } = first;
  let count = 0;
  for (let tries = 0; ; tries += 1) {
    try {
      const reader = body.getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        count += read.value.length;
        if (read.value.length > 0) tries = 0;
        yield read.value;
      }
      break;
    } catch (error) {
      const delayMs = deps.retryDelaysMs[tries];
      if (!isLine(error, deps) || delayMs === undefined || eTag === null) throw error;
      await pause(delayMs, deps.signal);
      body = await restOf(file, count, eTag, deps);
    }
  }
  if (count !== size) throw new AppError('download.cut_short', cut(file.name, count, size));
}

const cut = (name: string, deliveredBytes: number, sizeBytes: number) => ({ name, deliveredBytes, sizeBytes });

/** The bytes from `fromByte` on of the same version of a file. */
async function restOf(file: ZipFile, fromByte: number, eTag: string, deps: Deps): Promise<ReadableStream<Bytes>> {
  const headers = { Range: `bytes=${fromByte}-`, 'If-Range': eTag };
  const { status, body } = await fetchStored(file, deps, { cache: 'no-store', headers });
  if (status === 206) return body;
  await body.cancel();
  // RFC 9110 §13.1.5: the whole of another version comes where the file was replaced in between.
  throw new AppError('download.cut_short', cut(file.name, fromByte, file.entry.metadata.size));
}

async function* sealedBytes(file: Parameters<typeof wholeUnits>[0], deps: Deps): AsyncGenerator<Bytes> {
  for await (const unit of wholeUnits(file, deps)) yield* unit;
}

/** Begins to fetch a file. A sealed one is its label's container by then, and its first chunk is verified. */
async function contentOf(file: ZipFile, deps: Deps): Promise<Content> {
  const { url, name, proof } = file;
  // Files that open unasked are often in the browser's cache; a large one would drive all others out of it.
  const isLarge = file.entry.metadata.size > AUTO_OPEN_BYTES;
  for (let tries = 0; ; tries += 1) {
    const answer = await fetchStored(file, deps, isLarge ? { cache: 'no-store' } : {});
    if (proof === null) return { name, bytes: plainBytes(answer, file, deps) };
    try {
      const opened = await openProven(proof, answer.body, deps.release);
      return { name: opened.label.name, bytes: sealedBytes({ url, name, proof, ...opened }, deps) };
    } catch (error) {
      const delayMs = deps.retryDelaysMs[tries];
      if (!isLine(error, deps) || delayMs === undefined) throw error;
      await pause(delayMs, deps.signal);
    }
  }
}

/** The contents of the files, one after the other. */
async function* contentsOf(files: readonly ZipFile[], deps: Deps): AsyncGenerator<Content> {
  let ahead: Promise<Content> | null = null;
  for (const [index, file] of files.entries()) {
    const content: Content = await (ahead ?? contentOf(file, deps));
    const next = files[index + 1];
    ahead = next && file.entry.metadata.size <= AHEAD_BYTES ? contentOf(next, deps) : null;
    ahead?.catch(() => {}); // it is awaited later; until then its failure must not count as unhandled
    yield content;
  }
}

/** Which file is being packed. */
function createPlace() {
  let index = 0;
  let fileBytes = 0;
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
    get: (): ZipPlace => ({ index, fileBytes }),
  };
}

type Place = ReturnType<typeof createPlace>;

/** What the list says of a file before it is fetched: its size, and the time of its last change, or else of its upload. */
const listedFacts = ({ entry, proof }: ZipFile): Pick<ZipInput, 'modifiedMs' | 'sizeBytes'> => ({
  modifiedMs: proof?.label.modifiedMs ?? Date.parse(entry.updated_at),
  sizeBytes: proof?.sizeBytes ?? entry.metadata.size,
});

async function* zipInputs(files: readonly ZipFile[], place: Place, deps: Deps): AsyncGenerator<ZipInput> {
  const nameOf = createZipNames(files);
  const contents = contentsOf(files, deps);
  for (const [index, file] of files.entries()) {
    place.begin(index);
    const content = await contents.next();
    if (content.done) return;
    const { name, bytes } = content.value;
    yield { ...listedFacts(file), name: nameOf(name, file.directory), content: place.counted(bytes) };
  }
}

async function* zipUnits(files: readonly ZipFile[], fromByte: number, place: Place, deps: Deps) {
  let skip = fromByte;
  try {
    for await (const unit of writeZip(zipInputs(files, place, deps))) {
      const wanted: Bytes[] = [];
      for (const chunk of unit) {
        if (chunk.length > skip) wanted.push(chunk.subarray(skip));
        skip = Math.max(0, skip - chunk.length);
      }
      if (wanted.length > 0) yield wanted;
    }
  } catch (error) {
    throw fetchFailure(files[place.get().index]?.name ?? '', error);
  }
}

/**
 * A zip as it is read, never packed much ahead of the reader. A failure comes before the zip's directory, so that what
 * arrived opens nowhere.
 * @param fromByte of the zip, where another worker that packed it came to an end: the same files make the same bytes, so
 * earlier files are packed again and left out
 */
export function openZip({ files }: ZipEntry, fromByte: number, deps: OpenDeps): Opened {
  const place = createPlace();
  const units = zipUnits(files, fromByte, place, { retryDelaysMs: RETRY_DELAYS_MS, ...deps });
  return { units, place: place.get };
}
