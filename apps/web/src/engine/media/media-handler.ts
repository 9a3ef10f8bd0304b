import { BYTES_TYPE } from '../files/render-type.ts';
import { openZip } from '../zip/zip-stream.ts';
import { type DeliveryStreamDeps, deliveryStream, type Opened } from './delivery-stream.ts';
import { type Delivery, isZip, type MediaEntry, type Offer, type ZipEntry } from './media-protocol.ts';
import { attachmentHeader, createReadAhead, parseRange } from './media-range.ts';
import { type OpenDeps, openRange } from './open-range.ts';
import { type OpeningLink, openRemotely } from './opening/opening-link.ts';

export interface MediaHandlerDeps {
  /** Of this site. */
  readonly origin: string;
  /** What is known of a file, asked from the pages when the worker has lost it. */
  readonly lookup: (id: string) => Promise<Offer | null>;
  /** The opening worker of the page that offers a file; null where there is none, and files are opened here. */
  readonly linkOf?: (id: string) => OpeningLink | null;
  readonly fetch: typeof fetch;
  /** See {@link OpenDeps}. */
  readonly retryDelaysMs?: OpenDeps['retryDelaysMs'];
  /** See {@link DeliveryStreamDeps}. */
  readonly begin?: DeliveryStreamDeps['begin'];
  readonly release?: DeliveryStreamDeps['release'];
  /** How far a download is; of media, failures only, since a player gives up ranges all the time. */
  readonly onDelivery: (id: string, delivery: Delivery) => void;
}

const ROUTE = /^\/(dl|media)\/([\w-]+)$/;
/** User bytes never run, are never sniffed and never kept (DESIGN §6). */
const GUARDED: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Answers `/dl/{id}` and `/media/{id}` with opened files, and the former with zips, too. */
export function createMediaHandler(deps: MediaHandlerDeps) {
  const { origin, lookup, linkOf, fetch, retryDelaysMs, begin, release, onDelivery: report } = deps;
  const openDeps = (signal: AbortSignal): OpenDeps => ({ fetch, signal, ...(retryDelaysMs && { retryDelaysMs }) });
  /** Zips being sent, each with its abort controller. */
  const running = new Map<string, AbortController>();
  const readAhead = createReadAhead();
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

  function fileStream(
    id: string,
    entry: MediaEntry,
    [start, end]: [number, number],
    onDelivery: (delivery: Delivery) => void,
  ) {
    const open = opener(id, start, end, (from, signal) => openRange(entry, from, end, openDeps(signal)));
    return deliveryStream({ open, sizeBytes: end - start, onDelivery, begin, release });
  }

  function download(id: string, entry: MediaEntry, withBody: boolean): Response {
    const onDelivery = (delivery: Delivery) => report(id, delivery);
    const body = withBody ? fileStream(id, entry, [0, entry.sizeBytes], onDelivery) : null;
    return new Response(body, {
      headers: {
        ...GUARDED,
        'Content-Type': BYTES_TYPE,
        'Content-Length': String(entry.sizeBytes),
        'Content-Disposition': attachmentHeader(entry.name),
        'Accept-Ranges': 'none',
      },
    });
  }

  function zip(id: string, entry: ZipEntry, withBody: boolean): Response {
    const control = new AbortController();
    const onDelivery = (delivery: Delivery) => {
      if (delivery.state !== 'active' && running.get(id) === control) running.delete(id);
      report(id, delivery);
    };
    if (withBody) {
      running.get(id)?.abort();
      running.set(id, control);
    }
    const open = opener(id, 0, null, (from, signal) => openZip(entry, from, openDeps(signal)));
    const body = withBody
      ? deliveryStream({ open, sizeBytes: null, onDelivery, signal: control.signal, begin, release })
      : null;
    return new Response(body, {
      headers: {
        ...GUARDED,
        'Content-Type': BYTES_TYPE,
        'Content-Disposition': attachmentHeader(entry.name),
        'Accept-Ranges': 'none',
      },
    });
  }

  function media(id: string, entry: MediaEntry, range: string | null, withBody: boolean): Response {
    const { sizeBytes, type, decoded } = entry;
    const asked = parseRange(range, sizeBytes, (start) => readAhead(id, start, decoded.header.chunkSize));
    if (asked.kind === 'unsatisfiable') return refuse(416, { 'Content-Range': `bytes */${sizeBytes}` });
    const { start, end } = asked.kind === 'part' ? asked : { start: 0, end: sizeBytes };
    const onDelivery = (delivery: Delivery) => {
      if (delivery.state === 'failed') report(id, delivery);
    };
    return new Response(withBody ? fileStream(id, entry, [start, end], onDelivery) : null, {
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
      const withBody = request.method === 'GET';
      if (isZip(entry)) return kind === 'dl' ? zip(id, entry, withBody) : refuse(404);
      if (kind === 'dl') return download(id, entry, withBody);
      return media(id, entry, request.headers.get('Range'), withBody);
    });
  }

  /** Ends a zip that is being sent; the browser then shows a failed download. */
  const cancel = (id: string): void => running.get(id)?.abort(new DOMException('Cancelled', 'AbortError'));

  return { handle, cancel };
}
