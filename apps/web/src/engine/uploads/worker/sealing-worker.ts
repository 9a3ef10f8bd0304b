import { createWindowMaker, type WindowMaker } from '@satchel/client/send/bytes/window-maker';
import { toAppError } from '@satchel/contract/errors';
import { releaseChunk } from '../../../lib/browser/release-chunk.ts';
import type { FromSealing, ToSealing } from './sealing-messages.ts';

/**
 * Makes the bytes of one upload in its own thread. crypto.subtle blocks the thread that calls it, and the thread that
 * sends has to refill the socket all the time.
 */

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;
const tell = (message: FromSealing, transfer: Transferable[] = []) => scope.postMessage(message, transfer);

let maker: WindowMaker | null = null;

scope.addEventListener('message', ({ data }: MessageEvent<ToSealing>) => {
  if (data.type === 'open') {
    maker = createWindowMaker(data, releaseChunk);
    return;
  }
  maker?.make(data.start, data.end, data.buffer).then(
    (made) => tell({ type: 'made', ...made }, [made.buffer]),
    (error: unknown) => tell({ type: 'failed', error: toAppError(error).toWire() }),
  );
});
