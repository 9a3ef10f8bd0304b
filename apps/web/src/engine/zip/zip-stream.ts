import type { Bytes } from '@satchel/container/format';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { makeZip } from 'client-zip';
import { type FetchStoredDeps, fetchFailure, fetchStored } from '../files/open/fetch-stored.ts';
import { openProven } from '../files/open/open-proven.ts';
import type { Opened } from '../media/delivery-stream.ts';
import type { ZipEntry, ZipFile, ZipPlace } from '../media/media-protocol.ts';
import { createZipNames } from './zip-names.ts';

/** One zip of many files, made while they are fetched and opened (DESIGN-UX §7.9). */

export interface OpenZipDeps {
  readonly fetch: typeof fetch;
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

async function* zipInputs(files: readonly ZipFile[], place: Place, deps: FetchStoredDeps) {
  const nameOf = createZipNames();
  const contents = contentsOf(files, deps);
  for (const [index, { entry }] of files.entries()) {
    place.begin(index);
    const content = await contents.next();
    if (content.done) return;
    const { name, bytes } = content.value;
    yield { name: nameOf(name), lastModified: new Date(entry.updated_at), input: place.counted(bytes) };
  }
}

async function* zipUnits(files: readonly ZipFile[], fromByte: number, place: Place, deps: FetchStoredDeps) {
  const zip = makeZip(zipInputs(files, place, deps), { buffersAreUTF8: true }).getReader();
  let skip = fromByte;
  try {
    for (let read = await zip.read(); !read.done; read = await zip.read()) {
      const chunk = read.value as Bytes;
      if (chunk.length > skip) yield [skip === 0 ? chunk : chunk.subarray(skip)];
      skip = Math.max(0, skip - chunk.length);
    }
  } catch (error) {
    throw fetchFailure(files[place.get().index]?.name ?? '', error);
  } finally {
    zip.cancel().catch(() => {}); // its inputs were given up, and say so
  }
}

/**
 * A zip as it is read, never packed much ahead of the reader. A failure comes before the zip's directory, so that what
 * arrived opens nowhere.
 * @param fromByte of the zip, where another worker that packed it came to an end: the same files make the same bytes, so
 * those before it are packed again and left out
 */
export function openZip({ files }: ZipEntry, fromByte: number, deps: OpenZipDeps): Opened {
  const place = createPlace();
  const units = zipUnits(files, fromByte, place, { retryDelaysMs: RETRY_DELAYS_MS, ...deps });
  return { units, place: place.get };
}
