import type { RangeReader } from '@satchel/client/open/read-range';
import { newWorker } from '../../worker-addresses.ts';
import {
  type BytesRead,
  type BytesWanted,
  type ContentAnswers,
  type ContentFault,
  type ContentOrder,
  type ContentOrderName,
  type ContentOrders,
  type ContentReply,
  FILE_PORT,
} from './content-messages.ts';

/** The page's side of the content worker: one for each content that is looked at. */

/** What takes longer is not shown; while bytes of the file are on their way, the clock stands still. */
export const GIVE_UP_MS = 15_000;

type Fault = ContentFault | 'slow' | 'unread';

export class ContentError extends Error {
  /** Why there is nothing to show: beside what the worker says, it took too long, or bytes could not be read. */
  readonly fault: Fault;
  constructor(fault: Fault, options?: ErrorOptions) {
    super(fault, options);
    this.fault = fault;
  }
}

export interface ContentDeps {
  readonly createWorker: () => Worker;
  /** Reads plaintext of the file. */
  readonly read: RangeReader;
  readonly giveUpMs?: number;
}

export type ContentClient = ReturnType<typeof createContentClient>;

/** Ends what takes too long; stands still while bytes are read. */
function createClock(giveUpMs: number, onEnd: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [readings, isRunning] = [0, false];
  function set(): void {
    clearTimeout(timer);
    if (isRunning && readings === 0) timer = setTimeout(onEnd, giveUpMs);
  }
  return {
    run(runs: boolean): void {
      isRunning = runs;
      set();
    },
    async pauseFor<T>(reading: Promise<T>): Promise<T> {
      readings += 1;
      set();
      try {
        return await reading;
      } finally {
        readings -= 1;
        set();
      }
    },
  };
}

export function createContentClient({ createWorker, read, giveUpMs = GIVE_UP_MS }: ContentDeps) {
  const ended = new AbortController();
  let worker: Worker | null = null;
  let failOrder: (error: unknown) => void = () => {};
  /** Orders wait for the one before: each has the whole time. */
  let last: Promise<unknown> = Promise.resolve();

  /** What is under way fails; the next order gets a new worker. */
  function fail(error: unknown): void {
    worker?.terminate();
    worker = null;
    failOrder(error);
  }

  const clock = createClock(giveUpMs, () => fail(new ContentError('slow')));

  function serveBytes(port: MessagePort): void {
    port.onmessage = async ({ data: { id, fromByte, toByte } }: MessageEvent<BytesWanted>) => {
      try {
        const bytes = await clock.pauseFor(read(fromByte, toByte, ended.signal));
        port.postMessage({ id, bytes } satisfies BytesRead, [bytes.buffer]);
      } catch (error) {
        failOrder(new ContentError('unread', { cause: error }));
        port.postMessage({ id, bytes: null } satisfies BytesRead);
      }
    };
  }

  function started(): Worker {
    if (worker) return worker;
    worker = createWorker();
    worker.onerror = (event) => {
      // It could not be loaded, or ran out of memory.
      event.preventDefault();
      fail(new ContentError('unreadable'));
    };
    const { port1: own, port2: theirs } = new MessageChannel();
    serveBytes(own);
    worker.postMessage(FILE_PORT, [theirs]);
    return worker;
  }

  async function run<Name extends ContentOrderName>(message: ContentOrder<Name>): Promise<ContentAnswers[Name]> {
    ended.signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<ContentAnswers[Name]>();
    const { port1: own, port2: theirs } = new MessageChannel();
    failOrder = reject;
    own.onmessage = ({ data }: MessageEvent<ContentReply>) => {
      // The worker answers an order with what the order is for.
      if (data.type === 'done') resolve(data.answer as ContentAnswers[Name]);
      else reject(new ContentError(data.fault));
    };
    started().postMessage(message, [theirs]);
    clock.run(true);
    try {
      return await promise;
    } finally {
      clock.run(false);
      own.close();
    }
  }

  return {
    /**
     * Has the worker read something.
     * @param signal an order that still waits for others is given up
     * @throws ContentError; the reason of the end, or of the signal
     */
    ask<Name extends ContentOrderName>(
      name: Name,
      order: ContentOrders[Name],
      signal?: AbortSignal,
    ): Promise<ContentAnswers[Name]> {
      const before = last;
      const answer = (async () => {
        await before;
        signal?.throwIfAborted();
        return run({ name, order });
      })();
      last = answer.catch(() => {});
      return answer;
    },
    /** The content is no longer looked at. */
    end(): void {
      ended.abort();
      fail(ended.signal.reason);
    },
  };
}

export const openContent = (read: RangeReader): ContentClient =>
  createContentClient({ createWorker: () => newWorker('content'), read });
