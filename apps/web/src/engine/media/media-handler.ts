import { type Delivery, deliveryStream, isOver, type Opened } from '@satchel/client/open/delivery-stream';
import type { MediaEntry } from '@satchel/client/open/media-entry';
import { type OpenDeps, type OpeningLine, openRange } from '@satchel/client/open/open-range';
import { BYTES_TYPE } from '@satchel/client/open/render-type';
import { openZip, type ZipEntry } from '@satchel/client/open/zip-stream';
import { pause } from '@satchel/client/pause';
import type { Bytes } from '@satchel/container/format';
import { isZip, type Offer } from './media-protocol.ts';
import { attachmentHeader, parseRange, pieceEnds } from './media-range.ts';
import { type OpeningLink, openRemotely } from './opening/opening-link.ts';
import { type StreamLock, TAKEOVER_MS } from './stream-lock.ts';

export interface MediaHandlerDeps extends OpeningLine {
  /** Of this site. */
  readonly origin: string;
  /** What is known of a file, asked from the pages when the worker has lost it. */
  readonly lookup: (id: string) => Promise<Offer | null>;
  /** The opening worker of the page that offers a file; null where there is none, and files are opened here. */
  readonly linkOf?: (id: string) => OpeningLink | null;
  /** See {@link OpenDeps}. */
  readonly retryDelaysMs?: OpenDeps['retryDelaysMs'];
  /** Called before bytes are streamed. See {@link StreamLock.begin}. */
  readonly begin?: StreamLock['begin'];
  /** Waits before the browser is sent to the same address again. */
  readonly sleep?: (delayMs: number) => Promise<void>;
  /** How far a download is; of media, failures only, since a player gives up ranges all the time. */
  readonly onDelivery: (id: string, delivery: Delivery) => void;
}

/** Browsers follow as many (https://fetch.spec.whatwg.org/#http-redirect-fetch), of which others may have led here. */
const REDIRECTS_MAX = 20;
/** A browser that is led to the same address again and again waits for {@link TAKEOVER_MS} and more. */
const ASK_AGAIN_MS = TAKEOVER_MS / (REDIRECTS_MAX - 8);
const ROUTE = /^\/(dl|media)\/([\w-]+)$/;
/** User bytes never run, are never sniffed and never kept. */
const GUARDED: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Calls `onOver` before the report that a delivery is over. */
const endingWith =
  (onOver: () => void, onDelivery: (delivery: Delivery) => void) =>
  (delivery: Delivery): void => {
    if (isOver(delivery)) onOver();
    onDelivery(delivery);
  };

/** Reads units on while their reader takes its time. Only for what fits into memory. @param onOver called once all are read */
async function* readAhead(units: Opened['units'], onOver: () => void): AsyncGenerator<readonly Bytes[]> {
  const read: (readonly Bytes[])[] = [];
  let wake = () => {};
  let isOver = false;
  const reading = (async () => {
    for await (const unit of units) {
      read.push(unit);
      wake();
    }
  })().finally(() => {
    isOver = true;
    onOver();
    wake();
  });
  reading.catch(() => {}); // it is awaited once the units before the failure are handed out
  for (;;) {
    const unit = read.shift();
    if (unit) yield unit;
    else if (isOver) break;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  await reading;
}

/** Answers `/dl/{id}` and `/media/{id}` with opened files, and the former with zips, too. */
export function createMediaHandler(deps: MediaHandlerDeps) {
  const { origin, lookup, linkOf, fetch, isThere, retryDelaysMs, release, onDelivery: report } = deps;
  const { begin = async () => () => {}, sleep = pause } = deps;
  const openDeps = (signal: AbortSignal): OpenDeps => ({
    fetch,
    isThere,
    signal,
    ...(release && { release }),
    ...(retryDelaysMs && { retryDelaysMs }),
  });
  /** What is being saved, each with its abort controller. */
  const running = new Map<string, AbortController>();
  const refuse = (status: number, headers: Record<string, string> = {}): Response =>
    new Response(null, { status, headers: { ...GUARDED, ...headers } });

  /** Opens in the page's worker while there is one, else here. */
  function opener(
    id: string,
    start: number,
    end: number | null,
    openHere: (from: number, signal: AbortSignal) => Opened,
  ) {
    return (signal: AbortSignal): Opened => {
      const link = linkOf?.(id);
      if (!link) return openHere(start, signal);
      return openRemotely({ link, start, end, signal, openHere: (from) => openHere(from, signal) });
    };
  }

  const openFile = (id: string, entry: MediaEntry, start: number, end: number) =>
    opener(id, start, end, (from, signal) => openRange(entry, from, end, openDeps(signal)));

  /**
   * A range in pieces, each fetched once the one before it was read. A player asks for a file to its end and leaves much
   * of it unread: that holds no connection to the server, of which a browser has few.
   */
  async function* playedUnits(
    id: string,
    entry: MediaEntry,
    [start, end]: [number, number],
    signal: AbortSignal,
  ): AsyncGenerator<readonly Bytes[]> {
    let from = start;
    for (const to of pieceEnds(start, end, entry.decoded.header.chunkSize)) {
      const begun = begin();
      // A player that is cut short asks for the rest by itself: begun or not.
      const onOver = () => void begun.then((over) => over?.());
      yield* readAhead(openFile(id, entry, from, to)(signal).units, onOver);
      from = to;
    }
  }

  /** @param end called at the end; null for an answer without its body */
  function savedBody(
    id: string,
    open: (signal: AbortSignal) => Opened,
    sizeBytes: number | null,
    end: (() => void) | null,
  ): ReadableStream<Bytes> | null {
    if (end === null) return null;
    const control = new AbortController();
    // Of a file, a browser may ask twice.
    if (sizeBytes === null) running.get(id)?.abort();
    running.set(id, control);
    const onOver = () => {
      end();
      if (running.get(id) === control) running.delete(id);
    };
    const onDelivery = endingWith(onOver, (delivery) => report(id, delivery));
    return deliveryStream({ open, sizeBytes, onDelivery, signal: control.signal, release });
  }

  /** @param end as in {@link savedBody} */
  function download(id: string, entry: MediaEntry, end: (() => void) | null): Response {
    const { sizeBytes } = entry;
    const body = savedBody(id, openFile(id, entry, 0, sizeBytes), sizeBytes, end);
    return new Response(body, {
      headers: {
        ...GUARDED,
        'Content-Type': BYTES_TYPE,
        'Content-Length': String(sizeBytes),
        'Content-Disposition': attachmentHeader(entry.name),
        'Accept-Ranges': 'none',
      },
    });
  }

  /** @param end as in {@link savedBody} */
  function zip(id: string, entry: ZipEntry, end: (() => void) | null): Response {
    const open = opener(id, 0, null, (from, signal) => openZip(entry, from, openDeps(signal)));
    return new Response(savedBody(id, open, null, end), {
      headers: {
        ...GUARDED,
        'Content-Type': BYTES_TYPE,
        'Content-Disposition': attachmentHeader(entry.name),
        'Accept-Ranges': 'none',
      },
    });
  }

  function media(id: string, entry: MediaEntry, range: string | null, withBody: boolean): Response {
    const { sizeBytes, type } = entry;
    const asked = parseRange(range, sizeBytes);
    if (asked.kind === 'unsatisfiable') return refuse(416, { 'Content-Range': `bytes */${sizeBytes}` });
    const { start, end } = asked.kind === 'part' ? asked : { start: 0, end: sizeBytes };
    const onDelivery = (delivery: Delivery) => {
      if (delivery.state === 'failed') report(id, delivery);
    };
    const open = (signal: AbortSignal): Opened => ({ units: playedUnits(id, entry, [start, end], signal) });
    const body = withBody ? deliveryStream({ open, sizeBytes: end - start, onDelivery, release }) : null;
    return new Response(body, {
      status: asked.kind === 'part' ? 206 : 200,
      headers: {
        ...GUARDED,
        'Content-Type': type,
        'Content-Length': String(end - start),
        'Accept-Ranges': 'bytes',
        ...(asked.kind === 'part' ? { 'Content-Range': `bytes ${start}-${end - 1}/${sizeBytes}` } : {}),
      },
    });
  }

  /** A file or zip to save; where a newer worker is about to serve the site, the browser is led to that by the same address. */
  async function save(request: Request, id: string, entry: Offer): Promise<Response> {
    const end = request.method === 'GET' ? await begin() : null;
    if (request.method === 'GET' && end === null) {
      await sleep(ASK_AGAIN_MS);
      return Response.redirect(request.url, 307);
    }
    return isZip(entry) ? zip(id, entry, end) : download(id, entry, end);
  }

  /** The answer to a request; null for a request that the worker leaves to the network. */
  function handle(request: Request): Promise<Response> | null {
    const url = new URL(request.url);
    const [, kind, id] = ROUTE.exec(url.pathname) ?? [];
    if (url.origin !== origin || kind === undefined || id === undefined) return null;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return Promise.resolve(refuse(405, { Allow: 'GET, HEAD' }));
    return lookup(id).then((entry) => {
      // An unknown download answers 204: the page that navigated to it stays. 404 would replace the page.
      if (entry === null) return refuse(kind === 'dl' ? 204 : 404);
      if (kind === 'dl') return save(request, id, entry);
      if (isZip(entry)) return refuse(404);
      return media(id, entry, request.headers.get('Range'), request.method === 'GET');
    });
  }

  /** Ends what is being saved; the browser then shows a failed download. */
  const cancel = (id: string): void => running.get(id)?.abort(new DOMException('Cancelled', 'AbortError'));

  return { handle, cancel };
}
