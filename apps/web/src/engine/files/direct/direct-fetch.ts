import type { Bytes } from '@satchel/container/format';
import { PARTS_TYPE, type PartAddress, type PartAddresses } from '@satchel/contract/wire/direct-reads';
import { createRest, type Rest } from './store-rest.ts';

/**
 * Fetching stored bytes from the store itself where the server leads there, and from the server where it doesn't or where the
 * store can't be reached. Callers see one answer either way. All bytes are verified when they are opened.
 */

/** A server's answer with the addresses of a file's parts, kept while it is valid. */
interface KnownParts {
  readonly sizeBytes: number;
  readonly eTag: string;
  readonly parts: readonly PartAddress[];
  /** By `performance.now()`. */
  readonly untilMs: number;
}

/** Addresses are used for this much shorter than they are valid: a request takes a moment to arrive. */
const SPARE_MS = 5000;
/** A player reads a film by many ranges, a page plays few films. */
const KEPT = 4;

const isAddress = (part: unknown): part is PartAddress => {
  const { start, end, url } = (part ?? {}) as Partial<PartAddress>;
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && typeof url === 'string';
};

/** @returns null for an answer that holds no addresses: its body is the file's bytes */
async function readParts(answer: Response, askedAtMs: number): Promise<KnownParts | null> {
  if (!answer.ok || !answer.headers.get('Content-Type')?.startsWith(PARTS_TYPE)) return null;
  const { size_bytes, valid_seconds, parts } = (await answer.json()) as PartAddresses;
  if (!Number.isSafeInteger(size_bytes) || !Array.isArray(parts) || !parts.every(isAddress)) {
    throw new TypeError('Not the addresses of a file');
  }
  const untilMs = askedAtMs + valid_seconds * 1000 - SPARE_MS;
  return { sizeBytes: size_bytes, eTag: answer.headers.get('ETag') ?? '', parts, untilMs };
}

/** The part that has the byte at `position`. */
const partAt = ({ parts }: KnownParts, position: number): PartAddress | null =>
  parts.find(({ start, end }) => start <= position && position < end) ?? null;

/** Answers of the last files that were asked for. */
function createKnownParts() {
  const known = new Map<string, KnownParts>();
  return {
    find(url: string, position: number): KnownParts | null {
      const found = known.get(url);
      return found && found.untilMs > performance.now() && partAt(found, position) ? found : null;
    },
    keep(url: string, parts: KnownParts): void {
      known.delete(url);
      known.set(url, parts);
      const [oldest] = known.keys();
      if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
    },
    drop: (url: string): void => void known.delete(url),
  };
}

type Fetch = typeof fetch;

interface Source {
  readonly reader: ReadableStreamDefaultReader<Bytes>;
  /** Where it ends in the file. */
  readonly stop: number;
  readonly close: () => void;
}

/** How long the store may say nothing, before the server is asked for the rest. */
const SILENT_MS = 6000;

export interface DirectDeps {
  readonly fetch: Fetch;
  readonly rest?: Rest;
  readonly silentMs?: number;
}

interface Wanted {
  readonly start: number;
  /** Null: up to the end of the file. */
  readonly end: number | null;
}

/** @returns null for what only the server answers */
function wantedOf(headers: Headers): Wanted | null {
  if (headers.has('If-Range') || headers.has('If-None-Match')) return null;
  const range = headers.get('Range');
  if (range === null) return { start: 0, end: null };
  const [, start, last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
  return start === undefined ? null : { start: Number(start), end: last === '' ? null : Number(last) + 1 };
}

/** Gives up what takes longer. */
async function within<Result>(ms: number, giveUp: () => void, work: Promise<Result>): Promise<Result> {
  const timer = setTimeout(giveUp, ms);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/** @returns a fetch that takes the same requests for stored files as the browser's */
export function createDirectFetch({ fetch, rest = createRest(), silentMs = SILENT_MS }: DirectDeps): Fetch {
  const known = createKnownParts();

  /** Begins to read the file at the byte `at`, up to the end of the part there. */
  async function openPart(parts: KnownParts, at: number, end: number, signal: AbortSignal | null): Promise<Source> {
    const part = partAt(parts, at);
    if (!part) throw new TypeError('No address for these bytes');
    const stop = Math.min(end, part.end);
    const leaving = new AbortController();
    const close = () => {
      signal?.removeEventListener('abort', close);
      leaving.abort();
    };
    signal?.addEventListener('abort', close);
    if (signal?.aborted) close();
    try {
      const request = fetch(part.url, {
        headers: { Range: `bytes=${at - part.start}-${stop - part.start - 1}` },
        signal: leaving.signal,
        mode: 'cors',
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      });
      const response = await within(silentMs, close, request);
      if (response.status !== 206 || response.body === null)
        throw new TypeError(`The store answered ${response.status}`);
      return { reader: (response.body as ReadableStream<Bytes>).getReader(), stop, close };
    } catch (error) {
      close();
      if (!signal?.aborted) rest.begin();
      throw error;
    }
  }

  return async (input, init = {}) => {
    const url = String(input);
    const headers = new Headers(init.headers);
    const wanted = wantedOf(headers);
    const signal = init.signal ?? null;
    if (wanted === null || rest.isOn()) return fetch(input, init);

    /** @returns the server's own answer where it has no addresses */
    async function ask(at: number, end: number | null): Promise<KnownParts | Response> {
      const asking = new Headers(headers);
      asking.set('Accept', PARTS_TYPE);
      if (at > 0 || end !== null) asking.set('Range', `bytes=${at}-${end === null ? '' : end - 1}`);
      const askedAtMs = performance.now();
      const answer = await fetch(input, { ...init, headers: asking });
      const parts = await readParts(answer, askedAtMs);
      if (parts === null) return answer;
      known.keep(url, parts);
      return parts;
    }

    let parts = known.find(url, wanted.start);
    if (parts === null) {
      const answer = await ask(wanted.start, wanted.end);
      if (answer instanceof Response) return answer;
      parts = answer;
      if (await rest.isOnElsewhere()) return fetch(input, init);
    }
    const { sizeBytes, eTag } = parts;
    const end = Math.min(wanted.end ?? sizeBytes, sizeBytes);
    let at = wanted.start;
    let source: Source | null = null;
    let isFromServer = false;

    function fallBack(error: unknown): void {
      source?.close();
      source = null;
      if (signal?.aborted) throw signal.reason ?? error;
      known.drop(url);
      isFromServer = true;
    }

    try {
      source = await openPart(parts, at, end, signal);
    } catch (error) {
      fallBack(error);
      return fetch(input, init);
    }

    /** The rest of the same version, from the server. */
    async function openAtServer(): Promise<Source> {
      const resumed = new Headers({ Range: `bytes=${at}-${end - 1}`, 'If-Range': eTag });
      const response = await fetch(input, { ...init, headers: resumed, cache: 'no-store' });
      if (response.status !== 206 || response.body === null) {
        await response.body?.cancel();
        throw new TypeError(`The rest can't be had: ${response.status}`);
      }
      return { reader: (response.body as ReadableStream<Bytes>).getReader(), stop: end, close: () => {} };
    }

    async function openNext(): Promise<Source> {
      if (isFromServer) return openAtServer();
      let next = known.find(url, at);
      if (next === null) {
        const answer = await ask(at, end);
        // Another version, or no addresses any more: what the server then sends has to be of this one.
        if (answer instanceof Response) await answer.body?.cancel();
        if (answer instanceof Response || answer.eTag !== eTag) {
          isFromServer = true;
          return openAtServer();
        }
        next = answer;
      }
      return openPart(next, at, end, signal);
    }

    /** The next bytes; null where the store failed, and the server continues. */
    async function readOn(): Promise<Bytes | null> {
      try {
        source ??= await openNext();
        const { reader, close, stop } = source;
        const read = reader.read();
        const { value, done } = await (isFromServer ? read : within(silentMs, close, read));
        if (done || at + value.length > stop) throw new TypeError('The store sent other bytes than it was asked for');
        at += value.length;
        if (at === stop) {
          await reader.cancel().catch(() => undefined);
          close();
          source = null;
        }
        return value;
      } catch (error) {
        if (isFromServer) throw error;
        fallBack(error);
        return null;
      }
    }

    const body = new ReadableStream<Bytes>(
      {
        async pull(controller) {
          let bytes = await readOn();
          bytes ??= await readOn();
          if (bytes !== null) controller.enqueue(bytes);
          if (at === end) controller.close();
        },
        async cancel() {
          await source?.reader.cancel().catch(() => undefined);
          source?.close();
        },
      },
      { highWaterMark: 0 },
    );
    const answered = new Headers({ ETag: eTag, 'Content-Length': String(end - at) });
    const isRange = headers.has('Range');
    if (isRange) answered.set('Content-Range', `bytes ${at}-${end - 1}/${sizeBytes}`);
    return new Response(body, { status: isRange ? 206 : 200, headers: answered });
  };
}

/** The direct fetch of this page or worker. */
export const directFetch: Fetch = createDirectFetch({ fetch: (...request) => globalThis.fetch(...request) });
