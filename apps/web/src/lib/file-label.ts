import type { Header } from '@satchel/container/format';
import type { FolderKeys } from '@satchel/container/key';
import { type FileLabel, openLabel } from '@satchel/container/label';

/**
 * Name and type of a file by its own header (CONTAINER §2): the sealed ones where there are any.
 * @throws open.corrupted when the label does not open with these keys
 */
export async function labelOf(keys: FolderKeys, header: Header): Promise<FileLabel> {
  if (header.sealed !== null) return openLabel(keys, header.sealed);
  return { name: header.originalName, type: header.originalType };
}
