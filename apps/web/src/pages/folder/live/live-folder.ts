import { plural } from '@lingui/core/macro';
import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry } from '@satchel/contract/entities';
import { queryClient } from '../../../account/session/query-client.ts';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { type FolderPlace, filesQueryKey } from '../../../engine/files/list-files.ts';
import { deletedHere } from '../../../engine/folders/deleted-here.ts';
import { followFolder } from '../../../engine/folders/live/follow-folder.ts';
import { areAll, readSince } from '../../../engine/folders/live/read-since.ts';
import { isFinal } from '../../../engine/folders/load-folder.ts';
import { ownNames } from '../../../engine/uploads/own-names.ts';
import type { FolderFiles } from '../../../features/files/use-folder-files.ts';
import { folderQueryKey } from '../../../features/folder/use-folder.ts';
import { isUploadingTo } from '../../../features/upload/use-folder-activity.ts';
import { announce } from '../../../lib/base/announce.ts';

/** What a page does when its folder changed elsewhere. */

type ShownFile = Pick<FileItem, 'entry'>;

export interface LivePage {
  readonly receivedAtMs: number;
  readonly onChanged: () => Promise<boolean>;
  readonly files: Pick<FolderFiles, 'reload'> & { readonly files: readonly ShownFile[] };
}

export interface LiveFolder {
  /** The page shows these files. */
  readonly drawn: (files: readonly ShownFile[]) => void;
  readonly stop: () => void;
}

/** While a folder changes all the time, only what is new is read; the whole list, if need be, once it is quiet for so long. */
const QUIET_MS = 4000;
/** What was read is drawn by then. */
const DRAWN_MS = 500;

const namesOf = (files: readonly ShownFile[]): Set<string> => new Set(files.map(({ entry }) => entry.name));

/** Whether the folder's facts say that it is there no more: then the page shows that, and has no list to read. */
function hasEnded(slug: string): boolean {
  const { data, error } = queryClient.getQueryState<FolderCompleteData | ExpiredFolder>(folderQueryKey(slug)) ?? {};
  return (error ? isFinal(error) : false) || (data !== undefined && !('folder_id' in data));
}

/**
 * Reads the folder's facts, and the files that are newer than its list.
 * @returns whether the list is now exactly what the folder has
 */
async function readNews({ folderId, slug, ...place }: LiveFolderPlace, page: LivePage): Promise<boolean> {
  const queryKey = filesQueryKey(folderId);
  const known = queryClient.getQueryData<FileEntry[]>(queryKey);
  const isAnswered = await page.onChanged();
  if (hasEnded(slug)) return true;
  if (!isAnswered || known === undefined) return false;
  const since = await readSince(place, known);
  // The list may have changed since: by a file that was deleted here, or by a reading of the whole.
  const isSame = queryClient.getQueryData(queryKey) === known && queryClient.isFetching({ queryKey }) === 0;
  const folder = queryClient.getQueryData<FolderCompleteData | ExpiredFolder>(folderQueryKey(slug));
  if (since === null || !isSame || !folder || !('folder_size_bytes' in folder)) return false;
  queryClient.setQueryData(queryKey, since.entries);
  return areAll(since, folder.folder_size_bytes);
}

/** When this document began; taken by the first folder that it shows. */
let beganAtMs = performance.timeOrigin;

/**
 * When a page's data was asked for, at the earliest: what changed after that may be missing in it. Its list may be older than its
 * facts. The first folder's answers may have lain here since the document began, until the code came that reads them.
 */
function createAge({ folderId }: LiveFolderPlace, page: () => LivePage): () => number {
  const earliestMs = beganAtMs;
  beganAtMs = Number.POSITIVE_INFINITY;
  const listedAtMs = () => queryClient.getQueryState(filesQueryKey(folderId))?.dataUpdatedAt ?? 0;
  return () => Math.min(earliestMs, page().receivedAtMs, listedAtMs());
}

interface LiveFolderPlace extends FolderPlace {
  readonly folderId: string;
  readonly slug: string;
}

export function startLiveFolder(at: LiveFolderPlace, page: () => LivePage): LiveFolder {
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let isOwed = false;
  let isOver = false;
  let known = namesOf(page().files.files);
  /** Looks that are under way, or just drawn: only their changes are announced, not what the person does here. */
  let looks = 0;

  async function catchUp(mayWait: boolean): Promise<void> {
    looks += 1;
    try {
      isOwed = !(await readNews(at, page()).catch(() => false));
      if (isOwed && !mayWait && !isOver && !deletedHere.has(at.folderId)) {
        isOwed = false;
        await page().files.reload(true);
      }
    } catch {
      // The list says its own failures.
    }
    setTimeout(() => {
      looks -= 1;
    }, DRAWN_MS);
  }

  function look(): void {
    // The page reads what it uploads itself, and a folder that it deletes no more. Should one of them fail, this is owed.
    const isOwnAct = isUploadingTo(at.folderId) || deletedHere.has(at.folderId);
    if (isOwnAct) isOwed = true;
    else void catchUp(quiet !== undefined);
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      quiet = undefined;
      if (!isOwed) return;
      if (isOwnAct) look();
      else void catchUp(false);
    }, QUIET_MS);
  }

  const unfollow = followFolder(at.slug, { lookedAtMs: createAge(at, page), look });
  return {
    drawn(files) {
      if (files.length === known.size) return;
      const [before, now] = [known, namesOf(files)];
      known = now;
      const isNews = (name: string) => before.has(name) !== now.has(name) && !ownNames.has(name);
      if (looks === 0 || ![...before, ...now].some(isNews)) return;
      const count = files.length;
      announce(
        plural(count, { one: 'The folder has changed: # file now', other: 'The folder has changed: # files now' }),
      );
    },
    stop() {
      isOver = true;
      clearTimeout(quiet);
      unfollow();
    },
  };
}
