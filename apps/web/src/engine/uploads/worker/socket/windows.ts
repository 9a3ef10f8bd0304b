import type { FolderKeys } from '@satchel/container/key';
import { AppError, fromWire } from '@satchel/contract/errors';
import type { TrustedTypes } from '../../../worker-addresses.ts';
import type { TagLedger } from '../bytes/tag-ledger.ts';
import type { FromSealing, ToSealing } from './sealing-messages.ts';
import sealingWorker from './sealing-worker.ts?worker&url';

type Bytes = Uint8Array<ArrayBuffer>;

/** The bytes of an upload, made by a worker of their own in pieces that reuse a few buffers. */
export interface Windows {
  readonly size: number;
  /**
   * The bytes from `start` on, as many as a buffer holds. Their tags are on disk when this resolves.
   * @throws StartAfresh when a tag differs from the logged one; AppError when the file can't be read
   */
  make(start: number): Promise<Bytes>;
  /** Gives the buffer back, once its bytes are sent. */
  giveBack(bytes: Bytes): void;
  close(): void;
}

export interface WindowsDeps {
  readonly file: Blob;
  readonly keys: FolderKeys | null;
  readonly prefix: Bytes | null;
  /** Bytes of what is stored. */
  readonly size: number;
  readonly ledger: Pick<TagLedger, 'take' | 'flush'>;
  /** Hears up to which byte the file has been sealed. */
  readonly onSealed: (bytes: number) => void;
  readonly createWorker?: () => Worker;
  readonly windowBytes?: number;
}

/** One strict write of the log covers at least a window; smaller ones wait for the disk more often. */
export const WINDOW_BYTES = 6 * 1024 * 1024;

type Made = Extract<FromSealing, { type: 'made' }>;

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
const startSealing = () =>
  new Worker((policy ? policy.createScriptURL(sealingWorker) : sealingWorker) as string, { type: 'module' });

/** The worker, started with the first window. It answers in the order in which it was asked. */
function createSealing({ file, keys, prefix, createWorker = startSealing }: WindowsDeps) {
  let asked: PromiseWithResolvers<Made>[] = [];
  let worker: Worker | null = null;

  /** Ends the worker, and rejects every request that it has not answered. */
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
    started.postMessage({ type: 'open', file, keys, prefix } satisfies ToSealing);
    return started;
  }

  return {
    make(from: number, to: number, buffer: ArrayBuffer): Promise<Made> {
      worker ??= start();
      const answer = Promise.withResolvers<Made>();
      asked.push(answer);
      worker.postMessage({ type: 'make', start: from, end: to, buffer } satisfies ToSealing, [buffer]);
      return answer.promise;
    },
    close: end,
  };
}

export function createWindows(deps: WindowsDeps): Windows {
  const { size, ledger, onSealed, windowBytes = WINDOW_BYTES } = deps;
  const sealing = createSealing(deps);
  const free: ArrayBuffer[] = [];
  let last: Promise<unknown> = Promise.resolve();

  async function take(made: Promise<Made>, before: Promise<unknown>): Promise<Made> {
    // A window may begin in a chunk whose tag came with the window before: that one has to be in the ledger.
    await before;
    const done = await made;
    for (const { index, tag } of done.tags) ledger.take(index, tag);
    return done;
  }

  return {
    size,
    async make(start) {
      const end = Math.min(size, start + windowBytes);
      const made = sealing.make(start, end, free.pop() ?? new ArrayBuffer(windowBytes));
      made.catch(() => undefined);
      const taken = take(made, last);
      last = taken;
      const { buffer } = await taken;
      await ledger.flush();
      onSealed(end);
      return new Uint8Array(buffer, 0, end - start);
    },
    giveBack: ({ buffer }) => void free.push(buffer),
    close: sealing.close,
  };
}
