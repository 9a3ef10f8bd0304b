import { type DecodedHeader, encodeHeader } from '@satchel/container/format';
import type { FolderKeys } from '@satchel/container/key';
import { hashHeader, sealLabel } from '@satchel/container/label';
import { type FileProof, proveFile } from '@satchel/container/proof';
import { createHeader, createSealer, sealStream } from '@satchel/container/seal';
import type { FileEntry } from '@satchel/contract/entities';

type Bytes = Uint8Array<ArrayBuffer>;

/** A file as an upload leaves it: its container, its label, and the stored name that the label is bound to. */
export interface SealedForTest {
  readonly storedName: string;
  readonly sealed: string;
  readonly container: Bytes;
  readonly decoded: DecodedHeader;
}

export interface FileForTest {
  readonly name: string;
  readonly type: string;
  readonly storedName?: string;
  readonly modifiedMs?: number;
}

export async function sealForTest(
  keys: FolderKeys,
  plain: Bytes,
  { name, type, storedName = `${name}_1772366400000_abcdef12.enc`, ...dated }: FileForTest,
): Promise<SealedForTest> {
  const sizeBytes = plain.length;
  const decoded = encodeHeader(createHeader({ sizeBytes, name, type, hidesName: true }));
  const label = { name, type, sizeBytes, header: await hashHeader(decoded.prefix), ...dated };
  const parts: Bytes[] = [decoded.prefix];
  for await (const unit of sealStream(await createSealer(keys, decoded), new Blob([plain]))) {
    for (const { bytes } of unit) parts.push(bytes);
  }
  const container = (await new Blob(parts).bytes()) as Bytes;
  return { storedName, sealed: await sealLabel(keys, label, storedName), container, decoded };
}

/** What the folder's key says of it. */
export const proofForTest = (
  keys: FolderKeys,
  { storedName, sealed }: Pick<SealedForTest, 'storedName' | 'sealed'>,
): Promise<FileProof> => proveFile({ keys: [keys] }, { storedName, sealed });

/** How the server lists it. @param size bytes of its container */
export const listedForTest = (name: string, size: number): FileEntry => ({
  id: '3f0c1a0e-7a0e-4bb5-9b44-3f9f2b8f1d11',
  name,
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  metadata: { size, mimetype: 'application/octet-stream', eTag: '"1"' },
});
