import { COMPARED_MAX_BYTES, type ExistingFile } from '@satchel/client/send/list/collisions';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';

/** Whether a file of the folder has the content of a chosen one: told here, so that the server learns nothing of either. */

const PART_BYTES = MIB;

async function isEqual(a: Blob, b: Blob): Promise<boolean> {
  if (a.size !== b.size) return false;
  for (let at = 0; at < a.size; at += PART_BYTES) {
    const part = (blob: Blob) => blob.slice(at, at + PART_BYTES).arrayBuffer();
    const [one, other] = (await Promise.all([part(a), part(b)])).map((bytes) => new Uint8Array(bytes));
    if (!one?.every((byte, place) => byte === other?.[place])) return false;
  }
  return true;
}

async function contentOf({ url, entry, name, proof, opened }: ExistingFile, signal: AbortSignal): Promise<Blob> {
  if (opened?.blob) return opened.blob;
  if (proof !== null) {
    const { openWhole } = await import('../../files/open/open-client.ts');
    return (await openWhole({ url: new URL(url, location.origin).href, entry, name, proof, signal })).blob;
  }
  const response = await fetch(url, { signal });
  if (!response.ok) throw new AppError('download.failed');
  return response.blob();
}

/**
 * Compares a file of the folder, verified and opened, with a chosen one. False also where the folder's file can't be opened:
 * then it is another content as far as anyone can tell.
 */
export async function hasSameContent(existing: ExistingFile, file: File, signal: AbortSignal): Promise<boolean> {
  if (existing.sizeBytes !== file.size || file.size > COMPARED_MAX_BYTES) return false;
  return contentOf(existing, signal).then(
    (content) => isEqual(content, file),
    () => false,
  );
}
