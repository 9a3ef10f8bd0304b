import type { Bytes, DecodedHeader } from '@satchel/container/format';
import type { FileLabel } from '@satchel/container/label';
import { openContainer } from '@satchel/container/open';
import { checkHeader, type FileProof } from '@satchel/container/proof';

export interface ProvenFile {
  readonly label: FileLabel;
  readonly decoded: DecodedHeader;
  readonly plaintext: AsyncGenerator<Bytes[]>;
}

/**
 * Opens a container, provided that it is the one that its label names (CONTAINER §6).
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
