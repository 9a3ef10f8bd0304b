import { watchLine } from '../send/line/line-watch.ts';

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
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array<ArrayBuffer>>(
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
  return new Response(watched, { status, statusText, headers });
}
