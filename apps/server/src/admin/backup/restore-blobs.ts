import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { MIB } from '@satchel/contract/limits';
import { type BlobPart, type BlobStore, WHOLE, wholeBlob } from '../../platform/blobs/blobs.ts';
import { isMissing } from '../../platform/durable-file.ts';
import { linesOf } from './line-files.ts';
import { BlobLine, blobFile, blobListFile } from './manifest.ts';

/** Stores the blobs of a backup, in whichever store the site has now. */

export interface StoredBlobs {
  readonly blobs: number;
  readonly bytes: number;
  /** Keys of blobs whose bytes are not those of the backup. */
  readonly damaged: readonly string[];
  /** The parts that need rows. */
  readonly parts: readonly (BlobPart & { readonly blob_key: string })[];
}

const AT_ONCE = 8;
/** Blobs up to this size are stored in one piece. */
const PIECE_BYTES = MIB;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** @returns the parts that need rows, or null for bytes that are not those of the backup */
async function storeBlob(store: BlobStore, path: string, blob: BlobLine): Promise<readonly BlobPart[] | null> {
  const { blob_key: blobKey, bytes } = blob;
  const size = await stat(path).then(
    (found) => found.size,
    (error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    },
  );
  if (size !== bytes) return null;
  if (bytes <= PIECE_BYTES) {
    const content = await readFile(path);
    if (sha256(content) !== blob.sha256) return null;
    await store.put(blobKey, [content]);
    return [];
  }
  const writer = await store.append({ blobKey, epoch: 1, offsetBytes: 0, last: { start: 0, name: WHOLE } });
  const hash = createHash('sha256');
  let parts: readonly BlobPart[];
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      hash.update(chunk);
      await writer.write([chunk]);
    }
    parts = await writer.sync(bytes);
  } finally {
    await writer.close();
  }
  if (hash.digest('hex') === blob.sha256) return parts;
  const failed = await store.delete([{ ...wholeBlob(blobKey), parts }]);
  for (const reason of failed.values()) throw reason;
  return null;
}

export async function storeBlobs(store: BlobStore, dir: string): Promise<StoredBlobs> {
  let blobs = 0;
  let bytes = 0;
  const damaged: string[] = [];
  const parts: (BlobPart & { blob_key: string })[] = [];
  for await (const lines of linesOf(blobListFile(dir), AT_ONCE)) {
    const some = lines.map((line) => BlobLine.parse(JSON.parse(line)));
    const stored = await Promise.all(some.map((blob) => storeBlob(store, blobFile(dir, blob.blob_key), blob)));
    for (const [at, own] of stored.entries()) {
      const { blob_key, bytes: size } = some[at]!;
      if (own === null) {
        damaged.push(blob_key);
        continue;
      }
      blobs += 1;
      bytes += size;
      parts.push(...own.map((part) => ({ ...part, blob_key })));
    }
  }
  return { blobs, bytes, damaged, parts };
}
