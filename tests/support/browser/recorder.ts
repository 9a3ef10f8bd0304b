import type { BrowserContext, Page, Response } from 'playwright-core';

/** All network traffic of a browser profile, including its workers: to search for secrets. */

export interface Recorded {
  readonly path: string;
  /** Address, headers and body; bytes as Latin-1. */
  readonly text: string;
}

export interface Recorder {
  readonly sent: readonly Recorded[];
  /** Text and JSON answers only; file bytes are checked in storage. */
  received(): Promise<readonly Recorded[]>;
  watch(context: BrowserContext): Promise<void>;
}

const STREAM = 'text/event-stream';
const isText = (response: Response) =>
  /json|html|text\/(?!event-stream)/.test(response.headers()['content-type'] ?? '');

async function textOf(response: Response): Promise<Recorded> {
  // The body of a redirect, or of a page that was left, is not available.
  const body = isText(response) ? await response.text().catch(() => '') : '';
  const text = [response.url(), JSON.stringify(response.headers()), body].join('\n');
  return { path: new URL(response.url()).pathname, text };
}

/** A stream ends with its page, which may stay open: what it said is recorded piece by piece. */
interface Stream {
  readonly url: string;
  text: string;
  /** Once what came before this recorder asked for it is in the text. */
  begun: Promise<void>;
}

const asLatin1 = (base64: string) => Buffer.from(base64, 'base64').toString('latin1');

async function recordStreams(page: Page, onStream: (stream: Stream) => void): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const streams = new Map<string, Stream>();
  devtools.on('Network.responseReceived', ({ requestId, response: { url, mimeType } }) => {
    if (mimeType !== STREAM) return;
    const stream: Stream = { url, text: '', begun: Promise.resolve() };
    stream.begun = devtools.send('Network.streamResourceContent', { requestId }).then(
      ({ bufferedData }) => {
        stream.text = asLatin1(bufferedData) + stream.text;
      },
      // The page was left at once.
      () => {},
    );
    streams.set(requestId, stream);
    onStream(stream);
  });
  devtools.on('Network.dataReceived', ({ requestId, data = '' }) => {
    const stream = streams.get(requestId);
    if (stream) stream.text += asLatin1(data);
  });
  await devtools.send('Network.enable');
}

async function streamed(stream: Stream): Promise<Recorded> {
  await stream.begun;
  return { path: new URL(stream.url).pathname, text: `${stream.url}\n${stream.text}` };
}

export function createRecorder(): Recorder {
  const sent: Recorded[] = [];
  const received: Promise<Recorded>[] = [];
  const streams: Stream[] = [];
  return {
    sent,
    received: () => Promise.all([...received, ...streams.map(streamed)]),
    async watch(context) {
      context.on('request', (request) => {
        const body = request.postDataBuffer()?.toString('latin1') ?? '';
        const text = [request.url(), JSON.stringify(request.headers()), body].join('\n');
        sent.push({ path: new URL(request.url()).pathname, text });
      });
      context.on('response', (response) => received.push(textOf(response)));
      await Promise.all(context.pages().map((page) => recordStreams(page, (stream) => streams.push(stream))));
    },
  };
}
