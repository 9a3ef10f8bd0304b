import type { OpenRequest } from '@satchel/client/open/open-file';
import contentWorker from '../../src/engine/files/content/content-worker.ts?worker&url';
import type { OpenReply } from '../../src/engine/files/open/open-protocol.ts';
import type { PassphraseReply } from '../../src/engine/passphrase/passphrase-client.ts';
import type { FromWorker, ToWorker } from '../../src/engine/uploads/upload-messages.ts';
import type { WorkerName } from '../../src/engine/worker-addresses.ts';
import type { Given } from './state.ts';

/**
 * In the place of engine/worker-addresses: workers that say what the state gives them. What is in an opened file is read by the
 * real worker, which asks no server.
 */

let given: Pick<Given, 'opened' | 'uploads'> = {};
export const giveWorkers = (next: typeof given): void => {
  given = next;
};

type Order = Partial<Extract<ToWorker, { type: 'start' }> & OpenRequest>;

function repliesTo(name: WorkerName, order: Order): readonly (FromWorker | OpenReply | PassphraseReply)[] {
  if (name === 'upload' && order.type === 'start') return given.uploads?.[order.order?.name ?? ''] ?? [];
  if (name === 'passphrase') return [{ type: 'derived', passphraseKey: new Uint8Array(32) }];
  const blob = name === 'open' ? given.opened?.[order.name ?? ''] : undefined;
  if (!blob) return [];
  return [{ type: 'opened', content: { name: order.name!, type: blob.type, blob, sizeBytes: blob.size } }];
}

class GivenWorker {
  readonly #name: WorkerName;
  onmessage: ((event: Pick<MessageEvent, 'data'>) => void) | null = null;
  constructor(name: WorkerName) {
    this.#name = name;
  }
  postMessage(order: Order): void {
    for (const data of repliesTo(this.#name, order)) setTimeout(() => this.onmessage?.({ data }));
  }
  terminate(): void {}
  addEventListener(): void {}
}

export const workerAddress = (name: WorkerName): string => `/${name}.js`;
export const newWorker = (name: WorkerName): Worker =>
  name === 'content' ? new Worker(contentWorker, { type: 'module' }) : (new GivenWorker(name) as unknown as Worker);
