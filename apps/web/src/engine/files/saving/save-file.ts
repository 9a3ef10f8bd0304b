import type { Delivery } from '@satchel/client/open/delivery-stream';
import { type MediaEntry, readMediaEntry } from '@satchel/client/open/media-entry';
import { openRange } from '@satchel/client/open/open-range';
import type { ZipFile } from '@satchel/client/open/zip-stream';
import { AppError } from '@satchel/contract/errors';
import { directoryBelow } from '@satchel/contract/files/path-parts';
import { saveAs, saveBlob } from '../../../lib/browser/save-link.ts';
import { READING } from '../../media/media-client.ts';
import { canOpen, type FileItem } from '../file-model.ts';
import type { FileOpener } from '../file-opener.ts';
import { PAGE_LINE } from '../page-line.ts';
import { isGivenUp, saveOpened } from './save-opened.ts';
import { offerToCompare } from './to-compare.ts';

/**
 * Plain files come straight from the server, opened ones from memory, sealed ones as saving-way.ts says.
 * @returns whether there was anything to save
 * @throws open.foreign for a file that is not of this folder; else what saveOpened throws
 */
export async function saveFile(item: FileItem, opener: Pick<FileOpener, 'send'>): Promise<boolean> {
  const { id, entry, url, name, opened, proof, sizeBytes } = item;
  if (item.badge === 'foreign') throw new AppError('open.foreign');
  if (!item.encrypted) {
    saveAs(url, name);
    return true;
  }
  if (proof === null) return false;
  const offer = () => readMediaEntry({ url, entry, name, proof }, READING);
  const open = (file: MediaEntry, signal: AbortSignal) => openRange(file, 0, file.sizeBytes, { ...PAGE_LINE, signal });
  if (opened?.blob) {
    saveBlob(opened.blob, opened.name);
    offerToCompare({ name, sizeBytes, open: async (signal) => open(await offer(), signal) });
    return true;
  }
  let isShown = false;
  const onReport = ({ deliveredBytes }: Delivery) => {
    isShown = true;
    opener.send({
      type: 'progress',
      id,
      phase: 'decrypting',
      percent: Math.floor((100 * deliveredBytes) / Math.max(1, sizeBytes)),
    });
  };
  try {
    await saveOpened({ name, offer, open, onReport });
    return true;
  } catch (error) {
    if (isGivenUp(error)) return false;
    throw error;
  } finally {
    if (isShown) opener.send({ type: 'ended', id });
  }
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
