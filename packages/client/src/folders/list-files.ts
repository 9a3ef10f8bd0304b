import type { FileEntry } from '@satchel/contract/entities';
import { isHiddenEntry } from '@satchel/contract/naming';
import { PATHS } from '@satchel/contract/paths';
import type { Api } from '../api.ts';
import { listRequest, PAGE_ENTRIES } from './list-request.ts';

type Page = (offset: number, limit: number) => Promise<readonly FileEntry[]>;

const READINGS_MAX = 5;

interface Reading {
  readonly known: readonly FileEntry[];
  readonly limit: number;
  /** A list that changes with every reading is taken as it is. */
  readonly isLast: boolean;
}

/**
 * Null when an entry before the page was deleted, or added late: the entries after it moved, and the next page would skip
 * one or repeat one.
 */
async function readPages(page: Page, { known, limit, isLast }: Reading): Promise<FileEntry[] | null> {
  const entries = new Map(known.map((entry) => [entry.id, entry]));
  let before = known.at(-1);
  // Each page begins with the entry that the one before it ended with.
  for (let offset = Math.max(0, known.length - 1); ; offset += limit - 1) {
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
 * @param known an earlier list, to read on from: where its last entry is still at its place, only entries after it are read
 */
export async function collectPages(
  page: Page,
  limit: number = PAGE_ENTRIES,
  known: readonly FileEntry[] = [],
): Promise<FileEntry[]> {
  const more = known.length > 0 ? await readPages(page, { known, limit, isLast: false }) : null;
  if (more) return more;
  for (let reading = 1; ; reading++) {
    const entries = await readPages(page, { known: [], limit, isLast: reading === READINGS_MAX });
    if (entries) return entries;
  }
}

export interface FolderPlace {
  readonly bucket: string;
  readonly storagePath: string;
}

export interface ListOptions {
  readonly signal?: AbortSignal;
  /** See {@link collectPages}. */
  readonly known?: readonly FileEntry[];
}

/**
 * All files of a folder, oldest first.
 * @throws AppError what the server said, else files.load_failed
 */
export function listFiles(
  { sendJson }: Pick<Api, 'sendJson'>,
  { bucket, storagePath }: FolderPlace,
  { signal, known }: ListOptions = {},
): Promise<FileEntry[]> {
  const path = `${PATHS.list}/${encodeURIComponent(bucket)}`;
  const options = { fallback: 'files.load_failed', ...(signal ? { signal } : {}) } as const;
  const readPage: Page = (offset, limit) =>
    sendJson<FileEntry[]>('POST', path, listRequest(storagePath, offset, limit), options);
  return collectPages(readPage, PAGE_ENTRIES, known);
}
