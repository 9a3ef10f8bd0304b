import { SMALL_FILE_BYTES } from '@satchel/client/send/order';
import type { Bytes, HttpAnswer, HttpRequest, Network, Socket } from '@satchel/client/send/ports';
import { PATHS } from '@satchel/contract/paths';

/** How long the server may take to say that it is there. */
const THERE_MS = 8000;

/**
 * A large body is a Blob: Chromium takes one of a typed array at 8 MB/s, a Blob at 130. A small body is an array: Chromium's
 * main process keeps every Blob until the collector of this thread comes upon it, of an array nothing.
 */
const bodyOf = (bytes: Bytes): Blob | Bytes => (bytes.length > 2 * SMALL_FILE_BYTES ? new Blob([bytes]) : bytes);

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
  request.send(body ? bodyOf(body) : null);
  return answered.promise.finally(() => signal?.removeEventListener('abort', abort));
}

/** Whether the server answers, asked past every cache. */
export const isServerThere = (): Promise<boolean> =>
  fetch(PATHS.healthz, { cache: 'no-store', signal: AbortSignal.timeout(THERE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** The network of a page or its worker. */
export const browserNetwork = (mayUseSocket: boolean): Network => ({
  origin: location.origin,
  request: send,
  openSocket:
    mayUseSocket && 'WebSocket' in globalThis ? (url, protocol) => new WebSocket(url, protocol) as Socket : null,
  isThere: isServerThere,
});
