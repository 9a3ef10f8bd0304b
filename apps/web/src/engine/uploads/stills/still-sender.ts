import type { UploadFolder } from '@satchel/client/send/order';
import type { FolderKeys } from '@satchel/container/key';
import { AppError } from '@satchel/contract/errors';
import { frameBytes, type StillFrame } from '@satchel/contract/wire/still-frames';
import { STILLS_BODY_MAX_BYTES, STILLS_STORED_MAX } from '@satchel/contract/wire/still-limits';
import { stillKey } from '../../files/stills/still-ref.ts';
import type { MadeStill } from './encode-still.ts';
import { isItsOwnStill } from './still-kind.ts';

/** Stills of uploaded files: made, sealed with the key that the file was sealed with, and sent in batches. */

/** A file that is in its folder now. */
export interface SentFile {
  readonly file: File;
  /** Whether place, camera and the like were taken out of it. */
  readonly strips: boolean;
  readonly storedName: string;
  readonly folder: Pick<UploadFolder, 'bucket' | 'bucket_storage_path'>;
  /** What its container was sealed with, and its header's hash; null in a plain folder. */
  readonly seal: { readonly keys: FolderKeys; readonly header: string } | null;
  /** Gets a bearer; `renew` when the server has refused the last one. */
  readonly token: (renew: boolean) => Promise<string>;
}

export interface StillSenderDeps {
  readonly make: (file: File) => Promise<MadeStill | null>;
  readonly seal: (still: MadeStill, file: SentFile) => Promise<StillFrame>;
  /** @returns the names whose stills are stored @throws AppError what the server said */
  readonly put: (file: SentFile, frames: readonly StillFrame[], token: string) => Promise<readonly string[]>;
  readonly sleep: (delayMs: number) => Promise<void>;
  /** This page's shelf of stills. */
  readonly shelf: {
    readonly expect: (key: string) => void;
    readonly bring: (key: string, still: MadeStill) => void;
    readonly settle: (key: string, isStored: boolean) => void;
  };
}

/** Batches follow each other at this distance. */
const BATCH_EVERY_MS = 1000;
/** Pauses before a batch is sent again. */
const RETRY_MS = [2000, 10_000, 60_000];
/** The server won't change its mind about these. */
const isRefused = (error: unknown): boolean =>
  error instanceof AppError &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 429 &&
  error.status !== 401;

interface Ready {
  readonly sent: SentFile;
  readonly frame: StillFrame;
}

export const keyOf = ({ folder, storedName, seal }: SentFile): string =>
  stillKey({ bucket: folder.bucket, storagePath: folder.bucket_storage_path }, storedName, seal?.header ?? null);

/** The first stills of one folder that fit into one request. */
export function nextBatch(ready: readonly Ready[]): readonly Ready[] {
  const batch: Ready[] = [];
  let bytes = 0;
  for (const one of ready) {
    if (one.sent.folder.bucket_storage_path !== ready[0]?.sent.folder.bucket_storage_path) continue;
    bytes += frameBytes(one.frame);
    if (bytes > STILLS_BODY_MAX_BYTES || batch.length === STILLS_STORED_MAX) break;
    batch.push(one);
  }
  return batch;
}

export function createStillSender({ make, seal, put, sleep, shelf }: StillSenderDeps) {
  let ready: readonly Ready[] = [];
  let isSending = false;

  /** Resolves to the names that are stored; none when the server can't be reached or refuses. */
  async function send([first, ...rest]: readonly Ready[]): Promise<readonly string[]> {
    if (!first) return [];
    const frames = [first, ...rest].map(({ frame }) => frame);
    let mustRenew = false;
    for (let tries = 0; ; tries += 1) {
      try {
        return await put(first.sent, frames, await first.sent.token(mustRenew));
      } catch (error) {
        const delayMs = RETRY_MS[tries];
        if (isRefused(error) || delayMs === undefined) return [];
        mustRenew = error instanceof AppError && error.status === 401;
        await sleep(delayMs);
      }
    }
  }

  async function sendAll(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (ready.length > 0) {
      // More may be ready by then: one request for many costs the server less.
      await sleep(BATCH_EVERY_MS);
      const batch = nextBatch(ready);
      ready = ready.filter((one) => !batch.includes(one));
      const stored = new Set(await send(batch));
      for (const { sent } of batch) shelf.settle(keyOf(sent), stored.has(sent.storedName));
    }
    isSending = false;
  }

  /** A file was uploaded: its still follows when it is made. Without one, the file is as complete as with it. */
  async function add(sent: SentFile): Promise<void> {
    const key = keyOf(sent);
    const { file } = sent;
    shelf.expect(key);
    if (isItsOwnStill(file)) {
      shelf.bring(key, { small: file, large: file });
      // Nothing of it is on its way.
      return shelf.settle(key, true);
    }
    const still = await make(file);
    const frame = still && (await seal(still, sent).catch(() => null));
    if (!still || !frame) return shelf.settle(key, false);
    shelf.bring(key, still);
    ready = [...ready, { sent, frame }];
    await sendAll();
  }

  return { add };
}
