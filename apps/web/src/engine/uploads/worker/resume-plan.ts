import { containerSize, type DecodedHeader, decodeHeader, type Header } from '@satchel/container/format';
import type { FolderKeys } from '@satchel/container/key';
import { type BoundLabel, hashHeader, openLabel } from '@satchel/container/label';
import { storedNameOf, type UploadEntry } from '../log/upload-log.ts';
import type { UploadOrder } from '../upload-messages.ts';

function decodedHeader(prefix: Uint8Array): DecodedHeader | null {
  try {
    return decodeHeader(prefix);
  } catch {
    return null;
  }
}

/** A header that hides its file's name looks like this (CONTAINER §2). */
const hidesName = ({ originalName, originalType }: Header): boolean =>
  originalName === 'file' && originalType === 'application/octet-stream';

/** What the entry's label says; null when these keys didn't seal it for this stored name. */
async function labelOf({ sealed, objectName }: UploadEntry, keys: FolderKeys): Promise<BoundLabel | null> {
  return sealed === null ? null : openLabel(keys, sealed, storedNameOf(objectName)).catch(() => null);
}

async function mayResumeSealed(
  entry: UploadEntry,
  { file, folder, keys }: Omit<UploadOrder, 'userId'>,
): Promise<boolean> {
  const decoded = entry.prefix && decodedHeader(entry.prefix);
  if (!decoded || !keys) return false;
  if (decoded.header.originalSize !== file.size || containerSize(decoded) !== entry.bytesTotal) return false;
  // The owner may have changed "Hide file names" since: the name must follow what is set now.
  if (hidesName(decoded.header) !== folder.hide_names) return false;
  // The folder may have a newer key since: the container would then be under another key than its label.
  const label = await labelOf(entry, keys);
  return label?.sizeBytes === file.size && label.header === (await hashHeader(decoded.prefix));
}

/**
 * Whether an earlier upload of this file may go on (§4: only if the stored size equals the current one). What may not is
 * ended, and the file begins afresh. That the content is the same is found out later, chunk by chunk (CONTAINER §5).
 */
export async function mayResume(
  entry: UploadEntry,
  order: Omit<UploadOrder, 'userId'>,
  nowMs: number,
): Promise<boolean> {
  const { file, folder } = order;
  if (entry.url === null || entry.expiresAtMs <= nowMs) return false;
  if (!entry.objectName.startsWith(`${folder.bucket_storage_path}/`)) return false;
  if (folder.link_mode === 'plain') return entry.prefix === null && entry.bytesTotal === file.size;
  return mayResumeSealed(entry, order);
}
