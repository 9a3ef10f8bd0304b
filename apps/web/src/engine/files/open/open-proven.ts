import type { Bytes, Header } from '@satchel/container/format';
import type { FileLabel } from '@satchel/container/label';
import { openContainer } from '@satchel/container/open';
import { checkHeader, type FileProof } from '@satchel/container/proof';

export interface ProvenFile {
  readonly label: FileLabel;
  readonly header: Header;
  readonly plaintext: AsyncGenerator<Bytes[]>;
}

/**
 * Opens a container, provided that it is the one that its label names (CONTAINER §6).
 * @throws open.foreign when it is another, before any chunk is opened; else what openContainer throws
 */
export async function openProven(proof: FileProof, stream: ReadableStream<Bytes>): Promise<ProvenFile> {
  const checked = Promise.withResolvers<FileLabel>();
  const { decoded, plaintext } = await openContainer(proof.keys, stream, {
    check: async (head) => checked.resolve(await checkHeader(proof, head)),
  });
  return { label: await checked.promise, header: decoded.header, plaintext };
}
