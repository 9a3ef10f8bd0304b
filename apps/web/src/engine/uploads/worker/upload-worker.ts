import { createBearer } from '@satchel/client/send/bearer';
import { explainReadFailure } from '@satchel/client/send/bytes/virtual-file';
import { createWindowMaker } from '@satchel/client/send/bytes/window-maker';
import type { UploadOrder } from '@satchel/client/send/order';
import { requirePlain } from '@satchel/client/send/plain-guard';
import type { UploadLog } from '@satchel/client/send/ports';
import { type Transfer, transfer } from '@satchel/client/send/transfer';
import { fromWire, toAppError } from '@satchel/contract/errors';
import { releaseChunk } from '../../../lib/browser/release-chunk.ts';
import { readType } from '@satchel/client/open/transport-stream';
import { recallFolder } from '../../keys/key-store.ts';
import { holdUploadLock } from '../log/upload-lock.ts';
import { openUploadLog } from '../log/upload-log.ts';
import { asSent } from '@satchel/client/send/metadata/strip-metadata';
import { browserNetwork } from '../network.ts';
import type { FromWorker, ToWorker } from '../upload-messages.ts';
import { createSealing } from './sealing-client.ts';

/**
 * One upload at a time, in a thread of its own: sealing blocks whichever thread it runs on. After one that was completed the
 * page may start another; after any other end it ends the worker.
 */

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;
const tell = (message: FromWorker) => scope.postMessage(message);

type Started = Extract<ToWorker, { type: 'start' }>;
type Control = Parameters<Transfer['tell']>[0];

let running: Transfer | null = null;
/** What the page said before the upload could be told. */
let untold: Control[] = [];
let asked: PromiseWithResolvers<string> | null = null;

function askToken(renew: boolean): Promise<string> {
  asked ??= Promise.withResolvers<string>();
  tell({ type: 'ask-token', renew });
  return asked.promise;
}

/** Without IndexedDB an upload still works; only a reload then ends it. */
async function openLog(): Promise<UploadLog | null> {
  return openUploadLog().catch(() => null);
}

/**
 * The order with a file that tells nothing of its maker, if the person wants that. Header, label and size are those of this
 * file.
 * @throws upload.changed_file
 */
async function withoutMetadata(order: UploadOrder): Promise<UploadOrder> {
  const { file, stripping } = await asSent(order.file, order.strips);
  if (stripping === 'none') return order;
  tell({ type: 'stripping', stripping, sizeBytes: file.size });
  return { ...order, file, chosen: order.chosen ?? order.file };
}

/**
 * The order, with the file's type by its bytes where its ending is ambiguous.
 * @throws upload.changed_file
 */
async function withReadType(order: UploadOrder): Promise<UploadOrder> {
  const { file } = order;
  const type = await readType(file).catch((error: unknown) => {
    throw explainReadFailure(error);
  });
  if (type === file.type) return order;
  return { ...order, file: new File([file], file.name, { type, lastModified: file.lastModified }), chosen: file };
}

const canSealApart = 'Worker' in scope;

async function start({ order, online, mayUseSocket }: Started): Promise<void> {
  let log: UploadLog | null = null;
  try {
    await requirePlain(order, recallFolder);
    log = await openLog();
    const mine = transfer({
      order: await withoutMetadata(await withReadType(order)),
      log,
      hold: holdUploadLock,
      createMaker: (ingredients, isSmall) =>
        isSmall || !canSealApart ? createWindowMaker(ingredients, releaseChunk) : createSealing(ingredients),
      release: releaseChunk,
      network: browserNetwork(mayUseSocket && canSealApart),
      bearer: createBearer(askToken),
      isOnline: online,
      emit: tell,
      onOpened: (uploadId) => tell({ type: 'opened', uploadId }),
      onIdle: () => tell({ type: 'idle' }),
      onSocketRefused: () => tell({ type: 'socket-refused' }),
    });
    running = mine;
    for (const control of untold) mine.tell(control);
    untold = [];
    // The page may hand the worker its next file as soon as it hears that this one is completed.
    await mine.done.finally(() => {
      running = null;
    });
  } catch (error) {
    tell({ type: 'error', error: toAppError(error).toWire() });
  } finally {
    log?.close();
  }
}

function settleToken(message: Extract<ToWorker, { type: 'token' | 'no-token' }>): void {
  if (message.type === 'token') asked?.resolve(message.token);
  else asked?.reject(fromWire(message.error) ?? new Error('no token'));
  asked = null;
}

scope.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'start') {
    untold = [];
    void start(data);
  } else if (data.type === 'token' || data.type === 'no-token') settleToken(data);
  else if (running) running.tell(data);
  else untold.push(data);
});
