import { type DecodedHeader, decodeHeader, type Header } from '@satchel/container/format';
import type { FolderKeys } from '@satchel/container/key';
import { type BoundLabel, openLabel } from '@satchel/container/label';
import { storedNameIn } from './identity.ts';
import type { UploadEntry } from './ports.ts';

/** What an entry of the log says of its file. */

/** Null in a plain folder, and where the log holds something else. */
export function headerOf({ prefix }: Pick<UploadEntry, 'prefix'>): DecodedHeader | null {
  try {
    return prefix && decodeHeader(prefix);
  } catch {
    return null;
  }
}

/** A header that hides its file's name looks like this (docs/container.md, "Header"). */
export const hidesName = ({ originalName, originalType }: Header): boolean =>
  originalName === 'file' && originalType === 'application/octet-stream';

/** Null when these keys did not seal it for this stored name. */
export async function labelOf({ sealed, objectName }: UploadEntry, keys: FolderKeys): Promise<BoundLabel | null> {
  return sealed === null ? null : openLabel(keys, sealed, storedNameIn(objectName)).catch(() => null);
}
