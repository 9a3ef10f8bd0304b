import { plural } from '@lingui/core/macro';
import { createCatchUp, type Lack } from '@satchel/client/folders/catch-up';
import type { FolderPlace } from '@satchel/client/folders/list-files';
import { PAGE_ENTRIES } from '@satchel/client/folders/list-request';
import { isFinal } from '@satchel/client/folders/load-folder';
import { areAll, readEnd, readSince } from '@satchel/client/folders/read-since';
import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry } from '@satchel/contract/entities';
import { queryClient } from '../../../account/session/query-client.ts';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { followFolder } from '../../../engine/folders/live/follow-folder.ts';
import { ignoresNewsOf, isOwnFile } from '../../../engine/folders/own-changes.ts';
import { uploadActivity } from '../../../engine/uploads/upload-activity.ts';
import { filesQueryKey } from '../../../features/files/files-query-key.ts';
import type { FolderFiles } from '../../../features/files/use-folder-files.ts';
import { folderQueryKey } from '../../../features/folder/use-folder.ts';
import { isUploadingTo } from '../../../features/upload/use-folder-activity.ts';
import { sendJson } from '../../../lib/api/api.ts';
import { announce } from '../../../lib/base/announce.ts';

/** What a page does when its folder changed elsewhere. */

type ShownFile = Pick<FileItem, 'entry'>;

export interface LivePage {
  readonly receivedAtMs: number;
  readonly onChanged: () => Promise<boolean>;
  /** Reads the facts and the end of the list soon, together with what this page's own uploads have it read. */
  readonly readOwn: () => void;
  readonly files: Pick<FolderFiles, 'reload'> & { readonly files: readonly ShownFile[] };
}

export interface LiveFolder {
  /** The page shows these files. */
  readonly drawn: (files: readonly ShownFile[]) => void;
  readonly stop: () => void;
}

/** What was read is drawn by then. */
const DRAWN_MS = 500;
/** What this page's uploads have it read is read and drawn by then. */
const OWN_DRAWN_MS = 2000;
/** How long the page waits before it looks whether its own change of the folder has ended. */
const CHANGED_MS = 1000;

const namesOf = (files: readonly ShownFile[]): Set<string> => new Set(files.map(({ entry }) => entry.name));

/** Whether the folder's facts say that it is there no more: then the page shows that, and has no list to read. */
function hasEnded(slug: string): boolean {
  const { data, error } = queryClient.getQueryState<FolderCompleteData | ExpiredFolder>(folderQueryKey(slug)) ?? {};
  return (error ? isFinal(error) : false) || (data !== undefined && !('folder_id' in data));
}

/** Reads the folder's facts, and the files that are newer than its list. */
async function readNews({ folderId, slug, ...place }: LiveFolderPlace, page: LivePage): Promise<Lack> {
  const queryKey = filesQueryKey(folderId);
  const known = queryClient.getQueryData<FileEntry[]>(queryKey);
  const isAnswered = await page.onChanged();
  if (hasEnded(slug)) return 'nothing';
  if (!isAnswered || known === undefined) return 'pages';
  const since = await readSince({ sendJson }, place, known);
  if (since === null) return 'pages';
  const folder = queryClient.getQueryData<FolderCompleteData | ExpiredFolder>(folderQueryKey(slug));
  const isAll = folder !== undefined && 'folder_size_bytes' in folder && areAll(since, folder.folder_size_bytes);
  const isLarge = since.entries.length > PAGE_ENTRIES;
  const all = isAll ? since.entries : isLarge ? await readEnd({ sendJson }, place, since.entries) : null;
  // The list may have changed since: by a file that was deleted here, or by a reading of the whole.
  const isSame = queryClient.getQueryData(queryKey) === known && queryClient.isFetching({ queryKey }) === 0;
  if (isSame) queryClient.setQueryData(queryKey, all ?? since.entries);
  if (isSame && all) return 'nothing';
  return isLarge ? 'pages' : 'a_page';
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
  let later: ReturnType<typeof setTimeout> | undefined;
  /** Something was told of while this page did something itself. */
  let isOwed = false;
  let known = namesOf(page().files.files);
  /** Readings that are under way, or just drawn: only their changes are announced, not what the person does here. */
  let readings = 0;

  async function announcing<Result>(reading: Promise<Result>, drawnMs = DRAWN_MS): Promise<Result> {
    readings += 1;
    const end = () => {
      setTimeout(() => {
        readings -= 1;
      }, drawnMs);
    };
    return await reading.finally(end);
  }

  const catchUp = createCatchUp({
    readNews: () => announcing(readNews(at, page())),
    readWhole: async () => {
      if (ignoresNewsOf(at.folderId)) look();
      else await announcing(page().files.reload(true));
    },
  });

  function look(): void {
    clearTimeout(later);
    isOwed = true;
    // The page reads the news later: after it has changed the link, or failed to delete the folder.
    if (ignoresNewsOf(at.folderId)) later = setTimeout(look, CHANGED_MS);
    else if (isUploadingTo(at.folderId)) {
      // One reading for many files. It shows no new label of a file: that is owed until the uploads end.
      void announcing(Promise.resolve(page().readOwn()), OWN_DRAWN_MS);
    } else {
      isOwed = false;
      catchUp.look();
    }
  }

  const isAlone = () => isUploadingTo(at.folderId);
  const unfollow = followFolder(at.slug, { lookedAtMs: createAge(at, page), look, isAlone });
  const unsubscribe = uploadActivity.subscribe(() => {
    if (isOwed && !isUploadingTo(at.folderId)) look();
  });
  return {
    drawn(files) {
      if (files.length === known.size) return;
      const [before, now] = [known, namesOf(files)];
      known = now;
      const isNews = (name: string) => before.has(name) !== now.has(name) && !isOwnFile(name);
      if (readings === 0 || ![...before, ...now].some(isNews)) return;
      const count = files.length;
      announce(
        plural(count, { one: 'The folder has changed: # file now', other: 'The folder has changed: # files now' }),
      );
    },
    stop() {
      clearTimeout(later);
      catchUp.stop();
      unsubscribe();
      unfollow();
    },
  };
}
