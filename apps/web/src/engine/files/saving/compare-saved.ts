import type { Opened } from '@satchel/client/open/delivery-stream';

export interface CompareOptions {
  /** Called with how many bytes are the same so far. */
  readonly onProgress: (sameBytes: number) => void;
  readonly signal: AbortSignal;
}

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at]);

/**
 * Compares a saved file with what is in the folder, which is opened once more.
 * @returns whether they are the same, byte for byte
 * @throws AppError download.file_failed, open.*; the signal's reason
 */
export async function compareSaved(
  file: Blob,
  opened: Opened,
  { onProgress, signal }: CompareOptions,
): Promise<boolean> {
  let at = 0;
  try {
    for await (const unit of opened.units)
      for (const chunk of unit) {
        signal.throwIfAborted();
        const piece = new Uint8Array(await file.slice(at, at + chunk.length).arrayBuffer());
        if (!same(piece, chunk)) return false;
        at += chunk.length;
        onProgress(at);
      }
  } finally {
    await opened.units.return(undefined).catch(() => {}); // it may have failed
  }
  return at === file.size;
}
