import type { FolderKeys } from '@satchel/container/key';
import { toAppError } from '@satchel/contract/errors';
import { useEffect, useMemo, useRef } from 'react';
import { errorText } from '../../lib/error-text.ts';
import type { ZipFile } from '../../lib/media-protocol.ts';
import { saveAs, saveBlob } from '../../lib/save-link.ts';
import { notify } from '../../lib/toast.ts';
import type { FileItem } from './file-model.ts';
import type { FileOpener } from './file-opener.ts';
import type { FolderPlace } from './list-files.ts';
import { sayFailure } from './say-failure.ts';

export interface FileActionsInput {
  readonly folderId: string;
  /** What a zip of these files is called, without its extension. */
  readonly title: string;
  readonly place: FolderPlace;
  readonly keys: FolderKeys | null;
  readonly files: readonly FileItem[];
  readonly opener: FileOpener;
  /**
   * A file has been saved, by its stored name, or a zip of several: null. A plain file goes straight from the server to
   * the browser, which says nothing of its end: it counts when it begins.
   */
  readonly onDownloaded?: ((object: string | null) => void) | undefined;
  /** Files are gone, and the folder's figures with them. */
  readonly onRemoved?: (() => void) | undefined;
}

export interface FileActions {
  readonly download: (id: string) => Promise<void>;
  readonly downloadZip: (ids: readonly string[]) => Promise<void>;
  readonly remove: (ids: readonly string[]) => Promise<readonly string[]>;
}

/**
 * Plain files come straight from the server, opened ones from memory, sealed ones through the service worker.
 * @returns whether there was anything to save
 */
async function saveFile(item: FileItem, keys: FolderKeys | null, opener: FileOpener): Promise<boolean> {
  const { id, entry, url, name, opened } = item;
  if (!item.encrypted) {
    saveAs(url, name);
    return true;
  }
  if (keys === null) return false;
  if (opened?.blob) {
    saveBlob(opened.blob, opened.name);
    return true;
  }
  let isWhole = false;
  const { downloadOpened } = await import('../../lib/media-client.ts');
  await downloadOpened({
    url,
    entry,
    name,
    keys,
    onProgress: ({ phase, percent }) => {
      isWhole = true;
      opener.send({ type: 'progress', id, phase, percent });
    },
  });
  if (isWhole) opener.send({ type: 'ended', id });
  return true;
}

/** What goes into a zip: everything but sealed files without a key. Addresses are absolute, as the worker takes them. */
const zipFiles = (items: readonly FileItem[], keys: FolderKeys | null): ZipFile[] =>
  items
    .filter(({ badge }) => badge !== 'none')
    .map(({ url, entry, name, encrypted }) => ({
      url: new URL(url, location.origin).href,
      entry,
      name,
      keys: encrypted ? keys : null,
    }));

/** Saving and removing, with failures said aloud, and those of saving on the file's card. The functions stay the same for good. */
export function useFileActions(input: FileActionsInput): FileActions {
  const latest = useRef(input);
  useEffect(() => {
    latest.current = input;
  });
  return useMemo(() => {
    const itemsOf = (ids: readonly string[]) => {
      const wanted = new Set(ids);
      return latest.current.files.filter(({ id }) => wanted.has(id));
    };

    async function download(id: string): Promise<void> {
      const [item] = itemsOf([id]);
      if (!item) return;
      const { keys, opener, onDownloaded } = latest.current;
      try {
        if (await saveFile(item, keys, opener)) onDownloaded?.(item.entry.name);
      } catch (error) {
        const failure = toAppError(error, 'download.failed_with');
        opener.send({ type: 'failed', id, error: failure });
        sayFailure(item, failure);
      }
    }

    async function downloadZip(ids: readonly string[]): Promise<void> {
      const { title, keys, onDownloaded } = latest.current;
      const files = zipFiles(itemsOf(ids), keys);
      if (files.length === 0) return;
      try {
        const { runZip } = await import('./zip-run.ts');
        if (await runZip({ name: `${title}.zip`, files })) onDownloaded?.(null);
      } catch (error) {
        notify(errorText(toAppError(error, 'download.failed_with')), 'error');
      }
    }

    async function remove(ids: readonly string[]): Promise<readonly string[]> {
      const { removeItems } = await import('./remove-items.ts');
      return removeItems(itemsOf(ids), latest.current);
    }

    return { download, downloadZip, remove };
  }, []);
}
