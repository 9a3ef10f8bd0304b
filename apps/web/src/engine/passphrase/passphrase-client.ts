import type { DerivePassphraseKey } from '@satchel/client/keys/derive-passphrase-key';
import { AppError, fromWire, type WireError } from '@satchel/contract/errors';
import { newWorker } from '../worker-addresses.ts';

/** Derives keys from passphrases, each in its own worker that ends afterwards: no copy stays (docs/container.md §3). */

type Bytes = Uint8Array<ArrayBuffer>;

export type PassphraseReply =
  | { readonly type: 'derived'; readonly passphraseKey: Bytes }
  | { readonly type: 'failed'; readonly error: WireError };

/** Derives passphrase keys, each in its own worker. */
export function createPassphraseClient(createWorker: () => Worker): DerivePassphraseKey {
  /** @throws key.passphrase_failed when the worker can't be loaded or has no memory; the signal's reason */
  return async (request, signal) => {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Bytes>();
    const worker = startWorker(createWorker);
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    worker.onmessage = ({ data }: MessageEvent<PassphraseReply>) => {
      if (data.type === 'derived') resolve(data.passphraseKey);
      else reject(fromWire(data.error) ?? new AppError('key.passphrase_failed'));
    };
    worker.onerror = (event) => {
      // Its code could not be fetched, or it ran out of memory.
      event.preventDefault();
      reject(new AppError('key.passphrase_failed'));
    };
    worker.postMessage(request);
    return promise.finally(() => {
      signal?.removeEventListener('abort', onAbort);
      worker.terminate();
    });
  };
}

function startWorker(createWorker: () => Worker): Worker {
  try {
    return createWorker();
  } catch (error) {
    throw new AppError('key.passphrase_failed', {}, { cause: error });
  }
}

export const derivePassphraseKey = createPassphraseClient(() => newWorker('passphrase'));
