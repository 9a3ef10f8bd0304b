import { plural, t } from '@lingui/core/macro';
import { zipFileName } from '@satchel/client/open/zip-names';
import type { ZipEntry } from '@satchel/client/open/zip-stream';
import { toAppError } from '@satchel/contract/errors';
import { isGivenUp } from '../../../engine/files/saving/save-opened.ts';
import { downloadZip, type ZipProgress } from '../../../engine/zip/zip-client.ts';
import { nextZip, startZip, type ZipEvent } from '../../../engine/zip/zip-state.ts';
import { zipStore } from '../../../engine/zip/zip-store.ts';
import { announce } from '../../../lib/base/announce.ts';
import { notify } from '../../../lib/base/toast.ts';

let control: AbortController | null = null;

function send(event: ZipEvent): void {
  const state = zipStore.get();
  if (state !== null) zipStore.set(nextZip(state, event));
}

const savedText = (name: string, leftOut: number): string =>
  leftOut === 0
    ? t`${name} is saved`
    : plural(leftOut, {
        one: `${name} is saved, without # file that is not from this folder`,
        other: `${name} is saved, without # files that are not from this folder`,
      });

/**
 * Saves files as one zip, and reports the result. True when it is saved. A running zip is not interrupted.
 * @param leftOut how many files were asked for that are not from this folder
 */
export async function runZip({ name, files }: ZipEntry, leftOut: number): Promise<boolean> {
  if (control !== null) return false;
  const own = new AbortController();
  control = own;
  const zip: ZipEntry = { name: zipFileName(name), files };
  const packed = files.map((file) => ({ name: file.name, storedBytes: file.entry.metadata.size }));
  const decrypts = files.some(({ proof }) => proof !== null);
  zipStore.set(startZip({ name: zip.name, files: packed, leftOut, decrypts }));
  announce(t`Packing ${zip.name}`);
  try {
    const onProgress = (progress: ZipProgress) => send({ type: 'progress', ...progress, atMs: Date.now() });
    const isTold = await downloadZip(zip, { onProgress, signal: own.signal });
    zipStore.set(null);
    // Else the page asks for the saved file, and says nothing of it before.
    if (isTold) notify(() => savedText(zip.name, leftOut));
    return true;
  } catch (error) {
    if (isGivenUp(error)) {
      zipStore.set(null);
      announce(t`Cancelled. No zip was saved.`);
    } else send({ type: 'failed', error: toAppError(error, 'download.failed') });
    return false;
  } finally {
    control = null;
  }
}

/** Ends the zip that is being saved, or dismisses the message of one that failed. */
export function endZip(): void {
  if (control === null) zipStore.set(null);
  else control.abort(new DOMException('Cancelled', 'AbortError'));
}
