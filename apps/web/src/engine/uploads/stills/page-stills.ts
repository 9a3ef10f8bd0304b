import { pause } from '@satchel/client/pause';
import { AppError, fromWire } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { encodeFrames, type StillFrame } from '@satchel/contract/wire/still-frames';
import { whenIdle } from '../../../lib/browser/when-idle.ts';
import { canvasTellsTruth } from '../../files/stills/canvas-truth.ts';
import { drawFilmFrame } from '../../files/stills/film-frame.ts';
import { loadShelf } from '../../files/stills/known-stills.ts';
import { newWorker } from '../../worker-addresses.ts';
import { uploadActivity } from '../upload-activity.ts';
import { encodeStill, type MadeStill } from './encode-still.ts';
import type { StillKind } from './still-kind.ts';
import { createStillMaker } from './still-maker.ts';
import type { StillOrder, StillReply } from './still-messages.ts';
import { createStillSender, type SentFile } from './still-sender.ts';

/** An idle worker is ended after this, with what memory its decoders keep. */
const IDLE_MS = 5000;

interface StillClient {
  /** @throws when the file can't be drawn, or the signal's reason */
  make(order: StillOrder, signal: AbortSignal): Promise<MadeStill>;
}

/** Has a worker make stills, one after the other. */
function createStillClient(createWorker: () => Worker): StillClient {
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

const pictureClient = createStillClient(() => newWorker('still'));

/** By the page's own player, which no worker has. */
async function drawFilm(file: File, signal: AbortSignal): Promise<MadeStill> {
  if (!canvasTellsTruth()) throw new Error('the canvas gives other pixels than it was given');
  const src = URL.createObjectURL(file);
  try {
    return await drawFilmFrame(src, signal, encodeStill);
  } finally {
    URL.revokeObjectURL(src);
  }
}

const draw = (kind: StillKind, file: File, signal: AbortSignal): Promise<MadeStill> =>
  kind === 'film' ? drawFilm(file, signal) : pictureClient.make({ kind, file }, signal);

const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());

async function seal(still: MadeStill, { storedName, seal }: SentFile): Promise<StillFrame> {
  const [small, large] = await Promise.all([bytesOf(still.small), bytesOf(still.large)]);
  if (!seal) return { name: storedName, small, large };
  const { sealStill } = await import('@satchel/container/still');
  const binding = { storedName, header: seal.header };
  return {
    name: storedName,
    small: await sealStill(seal.keys, { size: 'small', bytes: small }, binding),
    large: await sealStill(seal.keys, { size: 'large', bytes: large }, binding),
  };
}

async function put({ folder }: SentFile, frames: readonly StillFrame[], token: string): Promise<readonly string[]> {
  const path = [folder.bucket, ...folder.bucket_storage_path.split('/')].map(encodeURIComponent).join('/');
  const response = await fetch(`${PATHS.still}/${path}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' },
    body: encodeFrames(frames),
    credentials: 'same-origin',
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw fromWire(body) ?? new AppError('unexpected');
  return (body as { stored: readonly string[] }).stored;
}

/** Stills of this page's files, for the queue and for the folder. */
export const stillMaker = createStillMaker({
  draw,
  whenIdle,
  isBusy: () => uploadActivity.get().some(({ isBusy }) => isBusy),
  sleep: pause,
  nowMs: () => performance.now(),
});

/** Loads what knows of stills that are still to be made. */
export const prepare = (): void => void loadShelf().catch(() => undefined);

/** Sends the stills of uploaded files after them. */
export const stillSender = createStillSender({
  make: stillMaker.take,
  seal,
  put,
  sleep: pause,
  shelf: {
    expect: (key) => void loadShelf().then((shelf) => shelf.expect(key)),
    bring: (key, still) => void loadShelf().then((shelf) => shelf.bring(key, still)),
    settle: (key, isStored) => void loadShelf().then((shelf) => shelf.settle(key, isStored)),
  },
});
