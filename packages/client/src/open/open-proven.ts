import type { Bytes, DecodedHeader } from '@satchel/container/format';
import type { FileLabel } from '@satchel/container/label';
import { openContainer } from '@satchel/container/open';
import { checkHeader, type FileProof } from '@satchel/container/proof';
import { AppError } from '@satchel/contract/errors';
import type { StoredFile } from './fetch-stored.ts';
import { type OpenDeps, openRange } from './open-range.ts';

export interface ProvenFile {
  readonly label: FileLabel;
  readonly decoded: DecodedHeader;
  readonly plaintext: AsyncGenerator<Bytes[]>;
}

/**
 * Opens a container, provided that it is the one that its label names (docs/container.md §6).
 * @throws open.foreign when it is another, before any chunk is opened; else what openContainer throws
 */
export async function openProven(
  proof: FileProof,
  stream: ReadableStream<Bytes>,
  release?: (chunk: Bytes) => void,
): Promise<ProvenFile> {
  const checked = Promise.withResolvers<FileLabel>();
  const { decoded, plaintext } = await openContainer(proof.keys, stream, {
    check: async (head) => checked.resolve(await checkHeader(proof, head)),
    ...(release && { release }),
  });
  return { label: await checked.promise, decoded, plaintext };
}

/** A file that is opened from its beginning. */
interface Begun extends StoredFile, Pick<ProvenFile, 'decoded' | 'plaintext'> {
  readonly proof: FileProof;
}

/** The plaintext of a sealed file. After a broken connection it continues with the rest, while tries are left. */
export async function* wholeUnits(file: Begun, deps: OpenDeps): AsyncGenerator<readonly Bytes[]> {
  const { url, name, proof, decoded, plaintext } = file;
  const { sizeBytes } = proof;
  let at = 0;
  try {
    for await (const unit of plaintext) {
      for (const chunk of unit) at += chunk.length;
      yield unit;
    }
  } catch (error) {
    if (error instanceof AppError || deps.signal.aborted || deps.retryDelaysMs?.length === 0) throw error;
    const entry = { url, keys: proof.keys, decoded, name, type: '', sizeBytes };
    yield* openRange(entry, at, sizeBytes, deps).units;
  }
}
