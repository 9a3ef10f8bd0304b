import { KIB, MIB } from '@satchel/contract/limits';
import { type BlobParts, type BlobStore, partsOf, type StoredPart, WHOLE } from './blobs.ts';
import { createDirectStore } from './direct/direct-store.ts';
import { createHeldMemory } from './held-memory.ts';
import { createS3Objects } from './s3-objects.ts';
import { openS3Blob } from './s3-reads.ts';
import type { S3Settings } from './s3-settings.ts';
import { createS3Writer } from './s3-writer.ts';
import { createSendBudget, type SendBudget } from './sending.ts';

/**
 * Blobs in an S3-compatible store: each part is an object, also the short tail of a slow sender, since parts of a
 * multipart upload must have 5 MiB and are no object before its completion. Any node reads and writes every blob.
 */

/** Memory for bytes that are on their way to the store, of all uploads. */
const HELD_BYTES = 64 * MIB;
/** For bytes that are on their way from the store to readers: windows are larger than the disk's, as each is a request. */
const READ_BUDGET: SendBudget = { budgetBytes: 64 * MIB, maxBytes: 2 * MIB, minBytes: 64 * KIB };
/** Each checkpoint of a slow sender is an object: fewer of them than the disk's. */
const CHECKPOINT_MS = 5000;
const BLOB_NAME_LENGTH = 36;

export interface S3Blobs extends BlobStore {
  /** @returns why the bucket can't be used, or null */
  problem(): Promise<string | null>;
}

/** @param answerMs how long the store may take to answer */
export async function createS3Blobs(settings: S3Settings, answerMs?: number): Promise<S3Blobs> {
  const objects = await createS3Objects(settings, answerMs);
  const memory = createHeldMemory(HELD_BYTES);
  const withBuffers = createSendBudget(READ_BUDGET);
  const keyOf = (blobKey: string, name: string) => `${settings.prefix}${blobKey}/${name}`;

  async function deleteBlobs(blobs: readonly BlobParts[]): Promise<ReadonlyMap<string, unknown>> {
    const owners = new Map<string, string>();
    for (const blob of blobs) {
      for (const { name } of partsOf(blob)) owners.set(keyOf(blob.blobKey, name), blob.blobKey);
    }
    const failed = await objects.delete([...owners.keys()]);
    return new Map([...failed].map(([key, reason]) => [owners.get(key)!, reason]));
  }

  async function* list(prefix: string): AsyncGenerator<StoredPart> {
    for await (const { key, sizeBytes, ageMs } of objects.list(settings.prefix + prefix)) {
      const path = key.slice(settings.prefix.length);
      const name = path.slice(BLOB_NAME_LENGTH + 1);
      if (path[BLOB_NAME_LENGTH] !== '/' || name === '') continue;
      yield { blob_key: path.slice(0, BLOB_NAME_LENGTH), name, sizeBytes, ageMs };
    }
  }

  return {
    isLocal: false,
    checkpointMs: CHECKPOINT_MS,
    async put(blobKey, chunks) {
      const bytes = Buffer.concat(chunks);
      await memory.take(bytes.length);
      await objects.put(keyOf(blobKey, WHOLE), bytes).finally(() => memory.giveBack(bytes.length));
    },
    append: async (where) =>
      createS3Writer(
        {
          memory,
          put: (name, bytes, signal) => objects.put(keyOf(where.blobKey, name), bytes, signal),
          remove: (names) => objects.delete(names.map((name) => keyOf(where.blobKey, name))),
        },
        where,
      ),
    open: (blob, sizeBytes) =>
      openS3Blob({ blob, sizeBytes, objects, keyOf: (name) => keyOf(blob.blobKey, name), withBuffers }),
    delete: deleteBlobs,
    async deleteParts(parts) {
      const failed = await objects.delete(parts.map(({ blob_key, name }) => keyOf(blob_key, name)));
      for (const reason of failed.values()) throw reason;
    },
    direct: async () => createDirectStore({ place: await objects.place(), keyOf }),
    list,
    problem: objects.problem,
  };
}
