import { OPENING_DELAYS_MS } from '@satchel/client/open/fetch-stored';
import { type OpenRequest, openFile } from '@satchel/client/open/open-file';
import { toAppError } from '@satchel/contract/errors';
import { PAGE_LINE } from '../page-line.ts';
import type { OpenReply } from './open-protocol.ts';

/** Opens one file at a time, away from the page's thread. The page ends the worker to give a file up. */

const say = (reply: OpenReply): void => globalThis.postMessage(reply);

function createReporter(): (progress: { phase: 'downloading' | 'decrypting'; percent: number }) => void {
  let last = '';
  return (progress) => {
    const step = `${progress.phase} ${progress.percent}`;
    if (step === last) return;
    last = step;
    say({ type: 'progress', progress });
  };
}

globalThis.addEventListener('message', async ({ data }: MessageEvent<OpenRequest>) => {
  try {
    const onProgress = createReporter();
    const content = await openFile(data, { ...PAGE_LINE, onProgress, retryDelaysMs: OPENING_DELAYS_MS });
    say({ type: 'opened', content });
  } catch (error) {
    say({ type: 'failed', error: toAppError(error, 'open.failed').toWire() });
  }
});
