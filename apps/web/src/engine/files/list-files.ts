import type { FileEntry } from '@satchel/contract/entities';
import { LIST_LIMIT } from '@satchel/contract/limits';
import { isHiddenEntry } from '@satchel/contract/naming';
import { PATHS } from '@satchel/contract/paths';
import { sendJson } from '../../lib/api/api.ts';

type Page = (offset: number, limit: number) => Promise<readonly FileEntry[]>;

/** A list that changes with every reading is taken as it is. */
const READINGS_MAX = 5;

/** Null when an entry was deleted during the reading: the entries after it moved up, and the next page would skip one. */
async function readPages(page: Page, limit: number, isLast: boolean): Promise<FileEntry[] | null> {
  const entries = new Map<string, FileEntry>();
  let before: FileEntry | undefined;
  // Each page begins with the entry that the one before it ended with.
  for (let offset = 0; ; offset += limit - 1) {
    const got = await page(offset, limit);
    if (before && got[0]?.id !== before.id && !isLast) return null;
    for (const entry of got) if (!isHiddenEntry(entry.name)) entries.set(entry.id, entry);
    if (got.length < limit) return [...entries.values()];
    before = got.at(-1);
  }
}

/**
 * Reads page by page until one is not full, and again from the start when a file was deleted in between. Entries that a
 * listing never shows, or that came twice, are left out.
 */
export async function collectPages(page: Page, limit: number = LIST_LIMIT): Promise<FileEntry[]> {
  for (let reading = 1; ; reading++) {
    const entries = await readPages(page, limit, reading === READINGS_MAX);
    if (entries) return entries;
  }
}

export interface FolderPlace {
  readonly bucket: string;
  readonly storagePath: string;
}

/**
 * All files of a folder, oldest first.
 * @throws AppError what the server said, else files.load_failed
 */
export function listFiles({ bucket, storagePath }: FolderPlace, signal?: AbortSignal): Promise<FileEntry[]> {
  // By time: a file that is added in between comes after the pages already read.
  const sortBy = { column: 'created_at', order: 'asc' };
  return collectPages((offset, limit) =>
    sendJson<FileEntry[]>(
      'POST',
      `${PATHS.list}/${encodeURIComponent(bucket)}`,
      { prefix: storagePath, limit, offset, sortBy },
      {
        fallback: 'files.load_failed',
        ...(signal ? { signal } : {}),
      },
    ),
  );
}

/** Query key of a folder's file list, cached for a minute. */
export const filesQueryKey = (folderId: string): readonly string[] => ['files', folderId];
