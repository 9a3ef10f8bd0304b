import { createBearer } from '@satchel/client/send/bearer';
import { createWindowMaker } from '@satchel/client/send/bytes/window-maker';
import { type Transfer, transfer } from '@satchel/client/send/transfer';
import { fromWire, toAppError } from '@satchel/contract/errors';
import { releaseChunk } from '../../../lib/browser/release-chunk.ts';
import { recallFolder } from '../../keys/key-store.ts';
import { holdUploadLock } from '../log/upload-lock.ts';
import { openUploadLog } from '../log/upload-log.ts';
import { browserNetwork } from '../network.ts';
import type { FromWorker, ToWorker } from '../upload-messages.ts';
import { createSealing } from './sealing-client.ts';

/**
 * One upload at a time, in its own thread: sealing blocks whichever thread it runs on. After one that was completed the
 * page may start another; after any other end it ends the worker.
 */

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;
const tell = (message: FromWorker) => scope.postMessage(message);

type Started = Extract<ToWorker, { type: 'start' }>;

let running: Transfer | null = null;
let asked: PromiseWithResolvers<string> | null = null;

function askToken(renew: boolean): Promise<string> {
  asked ??= Promise.withResolvers<string>();
  tell({ type: 'ask-token', renew });
  return asked.promise;
}

async function start({ order, online, mayUseSocket }: Started): Promise<void> {
  const mine = transfer({
    order,
    recallFolder,
    openLog: openUploadLog,
    hold: holdUploadLock,
    createMaker: (ingredients, isSmall) =>
      isSmall ? createWindowMaker(ingredients, releaseChunk) : createSealing(ingredients),
    release: releaseChunk,
    network: browserNetwork(mayUseSocket),
    bearer: createBearer(askToken),
    isOnline: online,
    emit: tell,
  });
  running = mine;
  try {
    await mine.done;
  } catch (error) {
    tell({ type: 'error', error: toAppError(error).toWire() });
  }
}

function settleToken(message: Extract<ToWorker, { type: 'token' | 'no-token' }>): void {
  if (message.type === 'token') asked?.resolve(message.token);
  else asked?.reject(fromWire(message.error) ?? new Error('no token'));
  asked = null;
}

scope.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'start') void start(data);
  else if (data.type === 'token' || data.type === 'no-token') settleToken(data);
  else running?.tell(data);
});
