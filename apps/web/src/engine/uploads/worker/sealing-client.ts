import type { Ingredients, Made, WindowMaker } from '@satchel/client/send/window-maker';
import { AppError, fromWire } from '@satchel/contract/errors';
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

/** Makes windows in a worker, which starts with the first one. It answers in the order in which it was asked. */
export function createSealing(ingredients: Ingredients, createWorker: () => Worker = startWorker): WindowMaker {
  let asked: PromiseWithResolvers<Made>[] = [];
  let worker: Worker | null = null;

  function end(): void {
    worker?.terminate();
    worker = null;
    const left = asked;
    asked = [];
    for (const one of left) one.reject(new AppError('unexpected'));
  }

  function start(): Worker {
    const started = createWorker();
    started.onmessage = ({ data }: MessageEvent<FromSealing>) => {
      const one = asked.shift();
      if (data.type === 'made') one?.resolve(data);
      else one?.reject(fromWire(data.error) ?? new AppError('unexpected'));
    };
    started.onerror = (event) => {
      event.preventDefault();
      end();
    };
    started.postMessage({ type: 'open', ...ingredients } satisfies ToSealing);
    return started;
  }

  return {
    make(from, to, buffer) {
      worker ??= start();
      const answer = Promise.withResolvers<Made>();
      asked.push(answer);
      worker.postMessage({ type: 'make', start: from, end: to, buffer } satisfies ToSealing, [buffer]);
      return answer.promise;
    },
    close: end,
  };
}
