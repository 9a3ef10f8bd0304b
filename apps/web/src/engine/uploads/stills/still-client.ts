import { newWorker } from '../../worker-addresses.ts';
import type { MadeStill } from './encode-still.ts';
import type { StillOrder, StillReply } from './still-messages.ts';

/** Has a worker make stills, one after the other. */

/** An idle worker is ended after this, with what memory its decoders keep. */
const IDLE_MS = 5000;

export interface StillClient {
  /** @throws when the file can't be drawn, or the signal's reason */
  make(order: StillOrder, signal: AbortSignal): Promise<MadeStill>;
}

export function createStillClient(createWorker: () => Worker): StillClient {
  let worker: Worker | null = null;
  let idle: ReturnType<typeof setTimeout> | undefined;

  function end(): void {
    worker?.terminate();
    worker = null;
  }

  return {
    async make(order, signal) {
      signal.throwIfAborted();
      clearTimeout(idle);
      worker ??= createWorker();
      const { promise, resolve, reject } = Promise.withResolvers<StillReply>();
      // pdf.js greets the page on the worker's own channel, so replies have another.
      const { port1: answers, port2: reply } = new MessageChannel();
      answers.onmessage = ({ data }: MessageEvent<StillReply>) => resolve(data);
      worker.onerror = (event) => {
        // Could not be loaded, or ran out of memory.
        event.preventDefault();
        reject(new Error('the worker failed'));
      };
      const giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      worker.postMessage(order, [reply]);
      try {
        const made = await promise;
        if (!made) throw new TypeError('no still can be made');
        return made;
      } catch (error) {
        // A decoder that hangs or failed badly ends with its worker; a plain "can't" leaves the worker as it was.
        if (!(error instanceof TypeError)) end();
        throw error;
      } finally {
        signal.removeEventListener('abort', giveUp);
        answers.close();
        idle = setTimeout(end, IDLE_MS);
      }
    },
  };
}

export const pictureClient = createStillClient(() => newWorker('still'));
