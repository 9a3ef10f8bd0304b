import { containerSize, decodeHeader } from '@satchel/container/format';
import type { UploadEntry } from '../../lib/upload-log.ts';
import type { UploadOrder } from '../../lib/upload-messages.ts';

function headerFits(prefix: Uint8Array, entry: UploadEntry, sizeBytes: number): boolean {
  try {
    const decoded = decodeHeader(prefix);
    return decoded?.header.originalSize === sizeBytes && containerSize(decoded) === entry.bytesTotal;
  } catch {
    return false;
  }
}

/**
 * Whether an earlier upload of this file may go on (§4: only if the stored size equals the current one). What may not is
 * ended, and the file begins afresh. That the content is the same is found out later, chunk by chunk (CONTAINER §5).
 */
export function mayResume(entry: UploadEntry, { file, folder }: Omit<UploadOrder, 'userId' | 'keys'>, nowMs: number) {
  if (entry.url === null || entry.expiresAtMs <= nowMs) return false;
  if (!entry.objectName.startsWith(`${folder.bucket_storage_path}/`)) return false;
  if (folder.link_mode === 'plain') return entry.prefix === null && entry.bytesTotal === file.size;
  // The owner may have changed "Hide file names" since: the name must follow what is set now.
  if (entry.prefix === null || (entry.sealed !== null) !== folder.hide_names) return false;
  return headerFits(entry.prefix, entry, file.size);
}
