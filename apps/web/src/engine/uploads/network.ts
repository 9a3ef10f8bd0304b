import type { Bytes, HttpAnswer, HttpRequest, Network, Socket } from '@satchel/client/send/ports';
import { isServerThere } from '../../lib/api/server-there.ts';
import { hurryCollector } from '../../lib/browser/hurry-collector.ts';

let joined: Bytes = new Uint8Array(0);

/**
 * One array of all parts, which the browser copies as it is sent. Of a Blob, Chromium's main process would keep the bytes
 * until the collector of this thread comes upon it.
 */
function bodyOf(parts: readonly Bytes[]): Bytes | null {
  const [only = null] = parts;
  if (parts.length <= 1) return only;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (joined.length < length) joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined.subarray(0, length);
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
function send({ method, url, headers, body, signal, onProgress }: HttpRequest): Promise<HttpAnswer> {
  const answered = Promise.withResolvers<HttpAnswer>();
  const request = new XMLHttpRequest();
  const abort = () => {
    request.abort();
    answered.reject(signal?.reason);
  };
  request.open(method, url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  if (body) request.upload.onprogress = ({ loaded }) => onProgress?.(loaded);
  request.onload = () => answered.resolve(answerOf(request));
  request.onerror = () => answered.reject(new TypeError('Network error'));
  if (signal?.aborted) return Promise.reject(signal.reason);
  signal?.addEventListener('abort', abort, { once: true });
  request.send(bodyOf(body ?? []));
  return answered.promise.finally(() => {
    signal?.removeEventListener('abort', abort);
    if (body) collectAfter(body);
  });
}

/** The network of a page or its worker. */
export const browserNetwork = (mayUseSocket: boolean): Network => ({
  origin: location.origin,
  request: send,
  openSocket:
    mayUseSocket && 'WebSocket' in globalThis ? (url, protocol) => new WebSocket(url, protocol) as Socket : null,
  isThere: isServerThere,
});
