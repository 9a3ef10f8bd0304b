import { AppError, fromWire } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { encodeFrames, type StillFrame } from '@satchel/contract/wire/still-frames';
import { pause } from '../../../lib/browser/pause.ts';
import { loadShelf } from '../../files/stills/known-stills.ts';
import { uploadActivity } from '../upload-activity.ts';
import type { MadeStill } from './encode-still.ts';
import { pictureClient } from './still-client.ts';
import type { StillKind } from './still-kind.ts';
import { createStillMaker } from './still-maker.ts';
import { createStillSender, type SentFile } from './still-sender.ts';

/** A page that is never idle still gets its stills, later. */
const IDLE_WAIT_MS = 3000;

/** Safari has no idle callbacks. */
const whenIdle = () =>
  new Promise<void>((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: IDLE_WAIT_MS });
    else setTimeout(resolve, 100);
  });

async function draw(kind: StillKind, file: File, signal: AbortSignal): Promise<MadeStill> {
  if (kind === 'film') return (await import('./film-frame.ts')).makeFilmStill(file, signal);
  return pictureClient.make({ kind, file }, signal);
}

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
