import type { Writable } from 'node:stream';
import { KIB, MIB } from '@satchel/contract/limits';

/** Memory for the buffers of all downloads: clients that don't read must not fill the memory. */
export interface SendBudget {
  readonly budgetBytes: number;
  readonly maxBytes: number;
  readonly minBytes: number;
}

// Two buffers for a download: measured as fast as nginx, and five times as fast as a stream of 64 KiB.
export const DISK_BUDGET: SendBudget = { budgetBytes: 32 * MIB, maxBytes: 512 * KIB, minBytes: 16 * KIB };

/** Runs a send, which asks before each read how large its buffer may be: the more sends run, the smaller. */
export type WithBuffers = (send: (bufferBytes: () => number) => Promise<void>) => Promise<void>;

export function createSendBudget({ budgetBytes, maxBytes, minBytes }: SendBudget): WithBuffers {
  let sends = 0;
  const bufferBytes = () => Math.max(minBytes, Math.min(maxBytes, Math.floor(budgetBytes / (2 * sends))));
  return async (send) => {
    sends += 1;
    try {
      await send(bufferBytes);
    } finally {
      sends -= 1;
    }
  };
}

/** Writes `bytes` to the sink; resolves when the sink is done with them, so that their memory may be reused. */
export function putTo(sink: Writable, bytes: Uint8Array): Promise<void> {
  const taken = new Promise<void>((resolve, reject) => {
    // A response queued behind another one on its connection never calls back when the connection closes.
    const onClose = () => reject(new Error('The receiver is gone'));
    sink.once('close', onClose);
    sink.write(bytes, (error) => {
      sink.off('close', onClose);
      if (error) reject(error);
      else resolve();
    });
  });
  // Awaited only when its buffer is needed again; until then a failure has no listener.
  taken.catch(() => undefined);
  return taken;
}
