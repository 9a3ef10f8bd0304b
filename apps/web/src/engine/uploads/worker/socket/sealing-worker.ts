import { decodeHeader } from '@satchel/container/format';
import { createSealer } from '@satchel/container/seal';
import { AppError, toAppError } from '@satchel/contract/errors';
import { releaseChunk } from '../../../../lib/browser/release-chunk.ts';
import { createPlainFile } from '../bytes/plain-file.ts';
import { createSealedFile, type VirtualFile } from '../bytes/virtual-file.ts';
import type { FromSealing, SealedChunkTag, ToSealing } from './sealing-messages.ts';

/**
 * Makes the bytes of one upload in a thread of its own. crypto.subtle blocks the thread that calls it (CONTAINER §4), and
 * the thread that sends has to refill the socket all the time.
 */

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;
const tell = (message: FromSealing, transfer: Transferable[] = []) => scope.postMessage(message, transfer);

async function openFile({ file, keys, prefix }: Extract<ToSealing, { type: 'open' }>): Promise<VirtualFile> {
  if (prefix === null) return createPlainFile(file);
  const decoded = decodeHeader(prefix);
  if (!decoded || !keys) throw new AppError('upload.no_header');
  return createSealedFile(await createSealer(keys, decoded, releaseChunk), file);
}

async function make(
  opened: Promise<VirtualFile>,
  { start, end, buffer }: Extract<ToSealing, { type: 'make' }>,
): Promise<void> {
  const tags: SealedChunkTag[] = [];
  const bytes = new Uint8Array(buffer, 0, end - start);
  let at = 0;
  const virtual = await opened;
  await virtual.range(start, end, {
    onChunk: (index, tag) => tags.push({ index, tag }),
    write(part) {
      bytes.set(part, at);
      at += part.length;
    },
  });
  if (at !== bytes.length) throw new AppError('upload.stream_size');
  tell({ type: 'made', buffer, tags }, [buffer]);
}

let opened: Promise<VirtualFile> = Promise.reject(new AppError('unexpected'));
opened.catch(() => undefined);
/** A virtual file has one cursor: ranges are made one after the other. */
let last: Promise<unknown> = Promise.resolve();

scope.addEventListener('message', ({ data }: MessageEvent<ToSealing>) => {
  if (data.type === 'open') {
    opened = openFile(data);
    opened.catch(() => undefined);
    return;
  }
  const fail = (error: unknown) => tell({ type: 'failed', error: toAppError(error).toWire() });
  last = last.then(() => make(opened, data)).catch(fail);
});
