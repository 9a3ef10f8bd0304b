import './window-shim.ts';
import { fromWire, toAppError } from '@satchel/contract/errors';
import { readType } from '../../files/content/transport-stream.ts';
import { recallFolder } from '../../keys/key-store.ts';
import { openUploadLog, type UploadLog } from '../log/upload-log.ts';
import { removeStaleSlots } from '../log/upload-slots.ts';
import { asSent } from '../metadata/strip-metadata.ts';
import type { FromWorker, ToWorker, UploadOrder } from '../upload-messages.ts';
import { createBearer } from './bearer.ts';
import { explainReadFailure } from './bytes/virtual-file.ts';
import { type Control, createControl } from './control.ts';
import { requirePlain } from './plain-guard.ts';
import { transfer } from './transfer.ts';

/**
 * One upload at a time, in a thread of its own: sealing blocks whichever thread it runs on (CONTAINER §4). After one that
 * was completed the page may start another; after any other end it ends the worker.
 */

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;
const tell = (message: FromWorker) => scope.postMessage(message);

let control: Control | null = null;
let asked: PromiseWithResolvers<string> | null = null;

function askToken(renew: boolean): Promise<string> {
  asked ??= Promise.withResolvers<string>();
  tell({ type: 'ask-token', renew });
  return asked.promise;
}

/** Once in a worker's life is enough. */
let purged: Promise<void> | null = null;

/** Without IndexedDB an upload still works; only a reload then ends it. */
async function openLog(): Promise<UploadLog | null> {
  try {
    const log = await openUploadLog();
    purged ??= log.purgeExpired(Date.now());
    await purged;
    return log;
  } catch {
    return null;
  }
}

/** Likewise. */
let tidied: Promise<void> | null = null;

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

async function start(order: UploadOrder, running: Control, mayUseSocket: boolean): Promise<void> {
  let log: UploadLog | null = null;
  try {
    tidied ??= removeStaleSlots().catch(() => undefined);
    await tidied;
    await requirePlain(order, { recallFolder });
    log = await openLog();
    await transfer({
      order: await withoutMetadata(await withReadType(order)),
      log,
      control: running,
      bearer: createBearer(askToken),
      origin: scope.location.origin,
      emit: tell,
      onOpened: (uploadId) => tell({ type: 'opened', uploadId }),
      onIdle: () => tell({ type: 'idle' }),
      mayUseSocket: mayUseSocket && 'WebSocket' in scope && 'Worker' in scope,
      onSocketRefused: () => tell({ type: 'socket-refused' }),
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
    control = createControl(data.online);
    void start(data.order, control, data.mayUseSocket);
  }
  if (data.type === 'pause') control?.pause();
  if (data.type === 'resume') control?.resume();
  if (data.type === 'online') control?.setOnline(data.online);
  if (data.type === 'token' || data.type === 'no-token') settleToken(data);
});
