import type { Delivery } from '@satchel/client/open/delivery-stream';
import { type MediaEntry, readMediaEntry } from '@satchel/client/open/media-entry';
import { openRange } from '@satchel/client/open/open-range';
import { watchStandstill } from '@satchel/client/open/standstill';
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
 * @param signal aborted to end it
 * @returns whether there was anything to save, and it was not ended
 * @throws open.foreign for a file that is not of this folder; else what saveOpened throws
 */
export async function saveFile(
  item: FileItem,
  opener: Pick<FileOpener, 'send'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { id, entry, url, name, opened, proof, sizeBytes } = item;
  if (item.badge === 'foreign') throw new AppError('open.foreign');
  if (!item.encrypted) {
    saveAs(url, name);
    return true;
  }
  if (proof === null) return false;
  const offer = () => readMediaEntry({ url, entry, name, proof, signal }, READING);
  const open = (file: MediaEntry, givenUp: AbortSignal) =>
    openRange(file, 0, file.sizeBytes, { ...PAGE_LINE, signal: givenUp });
  if (opened?.blob) {
    saveBlob(opened.blob, opened.name);
    offerToCompare({ name, sizeBytes, open: async (givenUp) => open(await offer(), givenUp) });
    return true;
  }
  let isShown = false;
  const show = (phase: 'waiting' | 'decrypting', deliveredBytes: number) => {
    isShown = true;
    const percent = Math.floor((100 * deliveredBytes) / Math.max(1, sizeBytes));
    opener.send({ type: 'progress', id, phase, percent });
  };
  const hide = () => {
    if (isShown) opener.send({ type: 'ended', id });
    isShown = false;
  };
  /** Nothing is delivered yet, so no report would say that it stands still. */
  async function watchedOffer(): Promise<MediaEntry> {
    const watch = watchStandstill(() => show('waiting', 0));
    try {
      return await offer();
    } finally {
      watch.stop();
      hide();
    }
  }
  const onReport = ({ state, deliveredBytes }: Delivery) =>
    show(state === 'waiting' ? 'waiting' : 'decrypting', deliveredBytes);
  try {
    await saveOpened({ name, offer: watchedOffer, open, onReport, signal });
    return true;
  } catch (error) {
    if (isGivenUp(error)) return false;
    throw error;
  } finally {
    hide();
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
