import { watchLine } from '../send/line/line.ts';

/** How requests for stored bytes are sent. */
export interface WatchedLine {
  readonly fetch: typeof globalThis.fetch;
  /** Whether the server answers: asked where a request is silent for long. */
  readonly isThere: () => Promise<boolean>;
}

/**
 * Fetches over a line on which silence is noticed within 20 seconds: a line that swallows everything lets a request wait for its
 * answer, or for the rest of it, for minutes, and reports nothing. The request then fails as one that broke. A line that is
 * only slow is waited for, and nothing is awaited of the line while nobody reads the answer.
 */
export async function watchedFetch({ fetch, isThere }: WatchedLine, url: string, init: RequestInit): Promise<Response> {
  const silent = new AbortController();
  const giveUp = () => silent.abort(new TypeError('The line is silent'));
  const signal = init.signal ? AbortSignal.any([init.signal, silent.signal]) : silent.signal;

  async function awaited<Result>(work: Promise<Result>): Promise<Result> {
    const watch = watchLine(isThere, giveUp, Number.POSITIVE_INFINITY);
    try {
      return await work;
    } finally {
      watch.stop();
    }
  }

  const response = await awaited(fetch(url, { ...init, signal }));
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const watched = bytesOf(body, awaited) ?? chunksOf(body, awaited);
  return new Response(watched, { status, statusText, headers });
}

type Awaited = <Result>(work: Promise<Result>) => Promise<Result>;

/** The memory of a read whose reader gave no buffer. */
const OWN_BUFFER_BYTES = 64 * 1024;

/** The body as a stream that fills the buffers of its reader, so that no byte is copied; null where a body can't. */
function bytesOf(body: ReadableStream<Uint8Array>, awaited: Awaited): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: 'byob' });
  } catch {
    return null;
  }
  return new ReadableStream({
    type: 'bytes',
    autoAllocateChunkSize: OWN_BUFFER_BYTES,
    async pull(controller) {
      const request = controller.byobRequest!; // there is always one, since the stream allocates where its reader does not
      const { value, done } = await awaited(reader.read(request.view as Uint8Array<ArrayBuffer>));
      if (done) controller.close();
      if (value) request.respondWithNewView(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function chunksOf(body: ReadableStream<Uint8Array>, awaited: Awaited): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await awaited(reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
