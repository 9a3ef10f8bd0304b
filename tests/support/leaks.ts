import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page, Response } from 'playwright-core';
import { openDatabase } from '../../apps/server/src/platform/database/db.ts';
import { databaseFiles } from '../../apps/server/test/support/database/kept-bytes.ts';
import type { Site } from './site.ts';

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

type Canaries = Readonly<Record<string, string | Buffer>>;

async function filesUnder(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Searches all that the server stores (blobs, database files, key shares, secrets) and its log.
 * Returns lines of `canary in place`; with `shares`, the key shares themselves, too.
 */
export async function findInStore(
  site: Site,
  canaries: Canaries,
  what: 'canaries' | 'shares' = 'canaries',
): Promise<string[]> {
  const files = await filesUnder(site.dataDir);
  if (what === 'shares') {
    // The journal of what was taken back lies beside them.
    const isShare = (path: string) => path.startsWith(join(site.dataDir, 'keys')) && !path.includes('taken-back');
    const shares = files.filter(isShare);
    return Promise.all(shares.map(async (path) => shareText(await readFile(path))));
  }
  const found: string[] = [];
  const look = (bytes: Buffer, place: string) => {
    for (const [name, canary] of Object.entries(canaries))
      if (bytes.includes(canary)) found.push(`${name} in ${place}`);
  };
  for (const path of files) look(await readFile(path), path.slice(site.dataDir.length + 1));
  const { db, close } = await openDatabase({ url: site.databaseUrl });
  for await (const { path, bytes } of databaseFiles(db, null)) look(bytes, `the database: ${path}`);
  await close();
  look(Buffer.from(site.logs()), 'the log');
  return found;
}

/** A share file holds the share's base64url text, padded with zeros to a block. */
const shareText = (bytes: Buffer): string => bytes.toString('utf8').replace(/\0+$/, '');
