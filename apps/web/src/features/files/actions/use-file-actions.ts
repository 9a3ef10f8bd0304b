import type { FolderPlace } from '@satchel/client/folders/list-files';
import { toAppError } from '@satchel/contract/errors';
import { splitPath } from '@satchel/contract/files/path-parts';
import { useEffect, useMemo, useRef } from 'react';
import { countForeign, type FileItem } from '../../../engine/files/file-model.ts';
import type { FileOpener } from '../../../engine/files/file-opener.ts';
import { notify } from '../../../lib/base/toast.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { importWithTexts } from '../../../lib/texts/import-with-texts.ts';
import { loadTexts } from '../../../lib/texts/language.ts';
import type { Renaming } from '../rename/rename-files.ts';
import { sayFailure } from './say-failure.ts';

export interface FileActionsInput {
  readonly folderId: string;
  /** Name of a zip of the folder's files, without extension. */
  readonly title: string;
  readonly place: FolderPlace;
  readonly files: readonly FileItem[];
  readonly opener: FileOpener;
  /**
   * Called with the stored name of a saved file, or null for a zip. A plain file goes straight from the server to
   * the browser, which does not report its end, so it counts when it begins.
   */
  readonly onDownloaded?: ((object: string | null) => void) | undefined;
  /** Files were deleted, and the folder's figures changed. */
  readonly onDeleted?: (() => void) | undefined;
}

export interface FileActions {
  readonly download: (id: string) => Promise<void>;
  /** Saves again what stands still on its way into a download, and opens again what was opened. */
  readonly retry: (id: string) => void;
  readonly downloadZip: (ids: readonly string[], directory: string) => Promise<void>;
  readonly remove: (ids: readonly string[]) => Promise<readonly string[]>;
  readonly rename: (renamings: readonly Renaming[]) => Promise<string | null>;
}

/** Save and delete, with failures as toasts and save failures on the file's card. The functions keep their identity. */
export function useFileActions(input: FileActionsInput): FileActions {
  const latest = useRef(input);
  useEffect(() => {
    latest.current = input;
  });
  return useMemo(() => {
    /** The saves that are under way, by the ids of their files. */
    const saves = new Map<string, AbortController>();
    const itemsOf = (ids: readonly string[]) => {
      const wanted = new Set(ids);
      return latest.current.files.filter(({ id }) => wanted.has(id));
    };

    async function download(id: string): Promise<void> {
      const [item] = itemsOf([id]);
      if (!item) return;
      const { opener, onDownloaded } = latest.current;
      const control = new AbortController();
      saves.set(id, control);
      try {
        const { saveAsked } = await import('../saving/ask-first.ts');
        if (await saveAsked(item, opener, control.signal)) onDownloaded?.(item.entry.name);
      } catch (error) {
        const failure = toAppError(error, 'download.failed_with');
        opener.send({ type: 'failed', id, error: failure });
        sayFailure(item, failure);
      } finally {
        if (saves.get(id) === control) saves.delete(id);
      }
    }

    function retry(id: string): void {
      const save = saves.get(id);
      save?.abort();
      if (save) void download(id);
      else latest.current.opener.retry(id);
    }

    async function downloadZip(ids: readonly string[], directory: string): Promise<void> {
      const { onDownloaded } = latest.current;
      const title = splitPath(directory).name || latest.current.title;
      const items = itemsOf(ids);
      try {
        const { zipAsked } = await import('../saving/ask-first.ts');
        const files = await zipAsked(items, directory);
        if (files.length === 0) return;
        // No retries: the person who clicked gets the error when the zip code fails to load.
        const [{ runZip }] = await Promise.all([import('../zip/zip-run.ts'), loadTexts('later')]);
        if (await runZip({ name: `${title}.zip`, files }, countForeign(items))) onDownloaded?.(null);
      } catch (error) {
        const failure = toAppError(error, 'download.failed_with');
        notify(() => errorText(failure), 'error');
      }
    }

    async function remove(ids: readonly string[]): Promise<readonly string[]> {
      const { deleteFiles } = await import('./delete-files.ts');
      return deleteFiles(itemsOf(ids), latest.current);
    }

    async function rename(renamings: readonly Renaming[]): Promise<string | null> {
      const { renameFiles } = await importWithTexts('later', () => import('../rename/rename-files.ts'));
      return renameFiles(renamings, latest.current);
    }

    return { download, retry, downloadZip, remove, rename };
  }, []);
}
