import type { FolderKeys } from '@satchel/container/key';
import type { FileEntry } from '@satchel/contract/entities';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { useEffect, useMemo, useRef } from 'react';
import { downloadOpened, saveAs, saveBlob } from '../../lib/media-client.ts';
import { openedCache } from '../../lib/opened-cache.ts';
import { queryClient } from '../../lib/query-client.ts';
import { accessToken } from '../../lib/session.ts';
import { notify } from '../../lib/toast.ts';
import type { FileItem } from './file-model.ts';
import type { FileOpener } from './file-opener.ts';
import { type FolderPlace, filesQueryKey, removeFile } from './list-files.ts';

export interface FileActionsInput {
  readonly folderId: string;
  readonly place: FolderPlace;
  readonly keys: FolderKeys | null;
  readonly files: readonly FileItem[];
  readonly opener: FileOpener;
}

export interface FileActions {
  readonly download: (id: string) => Promise<void>;
  readonly remove: (id: string) => Promise<boolean>;
}

/** Plain files come straight from the server, opened ones from memory, sealed ones through the service worker. */
async function saveFile(item: FileItem, keys: FolderKeys | null, opener: FileOpener): Promise<void> {
  const { id, entry, url, name, opened } = item;
  if (!item.encrypted) return saveAs(url, name);
  if (keys === null) return;
  if (opened?.blob) return saveBlob(opened.blob, opened.name);
  let isWhole = false;
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
}

/** Saving and removing, with failures said aloud, and those of saving on the file's card. The functions stay the same for good. */
export function useFileActions(input: FileActionsInput): FileActions {
  const latest = useRef(input);
  useEffect(() => {
    latest.current = input;
  });
  return useMemo(() => {
    const itemOf = (id: string) => latest.current.files.find((item) => item.id === id);

    function say(item: FileItem, { message }: AppError): void {
      notify(message.includes(item.name) ? message : `${item.name}: ${message}`, 'error');
    }

    async function download(id: string): Promise<void> {
      const item = itemOf(id);
      if (!item) return;
      try {
        await saveFile(item, latest.current.keys, latest.current.opener);
      } catch (error) {
        const failure = toAppError(error, 'download.failed');
        latest.current.opener.send({ type: 'failed', id, error: failure });
        say(item, failure);
      }
    }

    async function remove(id: string): Promise<boolean> {
      const item = itemOf(id);
      if (!item) return false;
      const { folderId, place, opener } = latest.current;
      try {
        await removeFile(place, item.entry.name, await accessToken());
      } catch (error) {
        // Not on its card: there the error would stand for good, and its Retry would open the file instead.
        say(item, toAppError(error, 'unexpected'));
        return false;
      }
      opener.giveUp(id);
      openedCache.remove(id);
      queryClient.setQueryData<FileEntry[]>(filesQueryKey(folderId), (entries) =>
        entries?.filter((entry) => entry.id !== id),
      );
      return true;
    }

    return { download, remove };
  }, []);
}
