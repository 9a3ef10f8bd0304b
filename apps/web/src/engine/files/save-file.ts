import type { ZipFile } from '@satchel/client/open/zip-stream';
import { AppError } from '@satchel/contract/errors';
import { directoryBelow } from '@satchel/contract/files/path-parts';
import { saveAs, saveBlob } from '../../lib/browser/save-link.ts';
import { canOpen, type FileItem } from './file-model.ts';
import type { FileOpener } from './file-opener.ts';

/**
 * Plain files come straight from the server, opened ones from memory, sealed ones through the service worker.
 * @returns whether there was anything to save
 * @throws open.foreign for a file that is not of this folder; else what downloadOpened throws
 */
export async function saveFile(item: FileItem, opener: Pick<FileOpener, 'send'>): Promise<boolean> {
  const { id, entry, url, name, opened, proof } = item;
  if (item.badge === 'foreign') throw new AppError('open.foreign');
  if (!item.encrypted) {
    saveAs(url, name);
    return true;
  }
  if (proof === null) return false;
  if (opened?.blob) {
    saveBlob(opened.blob, opened.name);
    return true;
  }
  let isWhole = false;
  const { downloadOpened } = await import('../media/media-client.ts');
  await downloadOpened({
    url,
    entry,
    name,
    proof,
    onProgress: ({ phase, percent }) => {
      isWhole = true;
      opener.send({ type: 'progress', id, phase, percent });
    },
  });
  if (isWhole) opener.send({ type: 'ended', id });
  return true;
}

/**
 * The files of a zip: all that can be opened. Addresses are absolute, as the worker requires.
 * @param base the directory that the zip is of: paths begin below it
 */
export const zipFiles = (items: readonly FileItem[], base = ''): ZipFile[] =>
  items.filter(canOpen).map(({ url, entry, name, directory, proof }) => ({
    url: new URL(url, location.origin).href,
    entry,
    name,
    directory: directoryBelow(directory, base),
    proof,
  }));
