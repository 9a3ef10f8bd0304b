import { SMALL_FILE_BYTES } from '@satchel/client/send/order';
import type { Bytes, HttpAnswer, HttpRequest, Network, Socket } from '@satchel/client/send/ports';
import { isServerThere } from '../../lib/api/server-there.ts';
import { hurryCollector } from '../../lib/browser/hurry-collector.ts';
import { type BodySlot, openBodySlot } from './worker/body-slot.ts';

/** A body that is larger than any small file goes by way of the disk. */
const LARGE_BYTES = 2 * SMALL_FILE_BYTES;
let slot: Promise<BodySlot | null> | null = null;

interface Body {
  readonly content: Blob | Bytes | null;
  readonly end: () => Promise<void>;
}

async function bodyOf(parts: readonly Bytes[]): Promise<Body> {
  const [first = null] = parts;
  const keepsNothing = async () => undefined;
  if (parts.length <= 1 && (first?.length ?? 0) <= LARGE_BYTES) return { content: first, end: keepsNothing };
  slot ??= openBodySlot();
  const open = await slot;
  const file = await open?.fill(parts).catch(() => null);
  if (!open || !file) return { content: new Blob([...parts]), end: keepsNothing };
  return { content: file, end: () => open.empty().catch(() => undefined) };
}

/** Bodies until the collector looks; by itself it would after 64 MiB of buffers, and six workers send at once. */
const COLLECTED_BYTES = 4 * 1024 * 1024;
let uncollectedBytes = 0;

function collectAfter(parts: readonly Bytes[]): void {
  for (const { length } of parts) uncollectedBytes += length;
  if (uncollectedBytes < COLLECTED_BYTES) return;
  uncollectedBytes = 0;
  hurryCollector();
}

function answerOf(request: XMLHttpRequest): HttpAnswer {
  const { status, statusText, responseText } = request;
  return { status, statusText, body: responseText, header: (name) => request.getResponseHeader(name) };
}

/** By XMLHttpRequest, which alone says how much of a body has left. */
function askWithBody(
  { method, url, headers, signal, onProgress }: HttpRequest,
  body: Blob | Bytes | null,
): Promise<HttpAnswer> {
  const answered = Promise.withResolvers<HttpAnswer>();
  const request = new XMLHttpRequest();
  const abort = () => {
    request.abort();
    answered.reject(signal?.reason);
  };
  request.open(method, url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded }) => onProgress?.(loaded);
  request.onload = () => answered.resolve(answerOf(request));
  request.onerror = () => answered.reject(new TypeError('Network error'));
  if (signal?.aborted) return Promise.reject(signal.reason);
  signal?.addEventListener('abort', abort, { once: true });
  request.send(body);
  return answered.promise.finally(() => signal?.removeEventListener('abort', abort));
}

async function askWithoutBody({ method, url, headers, signal }: HttpRequest): Promise<HttpAnswer> {
  const response = await fetch(url, { method, headers, credentials: 'same-origin', signal: signal ?? null });
  const { status, statusText } = response;
  return { status, statusText, body: await response.text(), header: (name) => response.headers.get(name) };
}

async function send(request: HttpRequest): Promise<HttpAnswer> {
  const { body: parts } = request;
  if (!parts) return askWithoutBody(request);
  const { content, end } = await bodyOf(parts);
  try {
    return await askWithBody(request, content);
  } finally {
    await end();
    collectAfter(parts);
  }
}

/** The network of a page or its worker. */
export const browserNetwork = (mayUseSocket: boolean): Network => ({
  origin: location.origin,
  request: send,
  openSocket:
    mayUseSocket && 'WebSocket' in globalThis ? (url, protocol) => new WebSocket(url, protocol) as Socket : null,
  isThere: isServerThere,
});
