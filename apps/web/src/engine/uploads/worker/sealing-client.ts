import {
  createWindowMaker,
  type Ingredients,
  type Made,
  type WindowMaker,
} from '@satchel/client/send/bytes/window-maker';
import { AppError, fromWire } from '@satchel/contract/errors';
import { releaseChunk } from '../../../lib/browser/release-chunk.ts';
import type { TrustedTypes } from '../../worker-addresses.ts';
import type { FromSealing, ToSealing } from './sealing-messages.ts';
import sealingWorker from './sealing-worker.ts?worker&url';

/**
 * The CSP of this worker's script names this policy (apps/server/src/http/web/web.ts): it starts the sealing worker, and
 * no other.
 */
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('satchel-sealing', {
  createScriptURL(address) {
    if (address !== sealingWorker) throw new TypeError(`${address} is not the sealing worker`);
    return address;
  },
});
const startWorker = () =>
  new Worker((policy ? policy.createScriptURL(sealingWorker) : sealingWorker) as string, { type: 'module' });

interface Asked extends PromiseWithResolvers<Made> {
  readonly from: number;
  readonly to: number;
  readonly bufferBytes: number;
}

/**
 * Makes windows in a worker, which starts with the first one and answers in the order in which it was asked. Where its script
 * can't be had, windows are made in this thread.
 */
export function createSealing(ingredients: Ingredients, createWorker: () => Worker = startWorker): WindowMaker {
  let asked: Asked[] = [];
  let worker: Worker | null = null;
  let hasAnswered = false;
  let own: WindowMaker | null = null;

  function end(): void {
    worker?.terminate();
    worker = null;
    const left = asked;
    asked = [];
    for (const one of left) one.reject(new AppError('unexpected'));
    own?.close();
  }

  /** The buffers that the worker was given are lost with it. */
  function makeHere(): void {
    worker?.terminate();
    worker = null;
    const maker = createWindowMaker(ingredients, releaseChunk);
    own = maker;
    for (const { from, to, bufferBytes, resolve, reject } of asked)
      maker.make(from, to, new ArrayBuffer(bufferBytes)).then(resolve, reject);
    asked = [];
  }

  function start(): Worker {
    const started = createWorker();
    started.onmessage = ({ data }: MessageEvent<FromSealing>) => {
      hasAnswered = true;
      const one = asked.shift();
      if (data.type === 'made') one?.resolve(data);
      else one?.reject(fromWire(data.error) ?? new AppError('unexpected'));
    };
    started.onerror = (event) => {
      event.preventDefault();
      if (hasAnswered) end();
      else makeHere();
    };
    started.postMessage({ type: 'open', ...ingredients } satisfies ToSealing);
    return started;
  }

  return {
    make(from, to, buffer) {
      if (own) return own.make(from, to, buffer);
      worker ??= start();
      const answer = { ...Promise.withResolvers<Made>(), from, to, bufferBytes: buffer.byteLength };
      asked.push(answer);
      worker.postMessage({ type: 'make', start: from, end: to, buffer } satisfies ToSealing, [buffer]);
      return answer.promise;
    },
    close: end,
  };
}
