import { toAppError } from '@satchel/contract/errors';
import { useEffect, useMemo, useRef } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { loadTexts } from '../../lib/language.ts';
import { notify } from '../../lib/toast.ts';
import { countForeign, type FileItem } from './file-model.ts';
import type { FileOpener } from './file-opener.ts';
import type { FolderPlace } from './list-files.ts';
import { saveFile, zipFiles } from './save-file.ts';
import { sayFailure } from './say-failure.ts';

export interface FileActionsInput {
  readonly folderId: string;
  /** What a zip of these files is called, without its extension. */
  readonly title: string;
  readonly place: FolderPlace;
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
      const { opener, onDownloaded } = latest.current;
      try {
        if (await saveFile(item, opener)) onDownloaded?.(item.entry.name);
      } catch (error) {
        const failure = toAppError(error, 'download.failed_with');
        opener.send({ type: 'failed', id, error: failure });
        sayFailure(item, failure);
      }
    }

    async function downloadZip(ids: readonly string[]): Promise<void> {
      const { title, onDownloaded } = latest.current;
      const items = itemsOf(ids);
      const files = zipFiles(items);
      if (files.length === 0) return;
      try {
        // Not patiently: who asked for a zip is told when its code can't be had.
        const [{ runZip }] = await Promise.all([import('./zip-run.ts'), loadTexts('later')]);
        if (await runZip({ name: `${title}.zip`, files }, countForeign(items))) onDownloaded?.(null);
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
