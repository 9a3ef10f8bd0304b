import type { BrowserContext, Response } from 'playwright-core';

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
  watch(context: BrowserContext): void;
}

const isText = (response: Response) => /json|html|text/.test(response.headers()['content-type'] ?? '');

async function textOf(response: Response): Promise<Recorded> {
  // The body of a redirect, or of a page that was left, is not available.
  const body = isText(response) ? await response.text().catch(() => '') : '';
  const text = [response.url(), JSON.stringify(response.headers()), body].join('\n');
  return { path: new URL(response.url()).pathname, text };
}

export function createRecorder(): Recorder {
  const sent: Recorded[] = [];
  const received: Promise<Recorded>[] = [];
  return {
    sent,
    received: () => Promise.all(received),
    watch(context) {
      context.on('request', (request) => {
        const body = request.postDataBuffer()?.toString('latin1') ?? '';
        const text = [request.url(), JSON.stringify(request.headers()), body].join('\n');
        sent.push({ path: new URL(request.url()).pathname, text });
      });
      context.on('response', (response) => received.push(textOf(response)));
    },
  };
}
