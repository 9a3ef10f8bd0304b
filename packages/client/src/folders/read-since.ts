import type { FileEntry } from '@satchel/contract/entities';
import { isHiddenEntry } from '@satchel/contract/naming';
import { PATHS } from '@satchel/contract/paths';
import type { Api } from '../api.ts';
import type { FolderPlace } from './list-files.ts';
import { listRequest, PAGE_ENTRIES } from './list-request.ts';

/** Reads what was added to a folder, or changed, since its list was read: the whole list of a large folder is 850 KB. */

/** The files that were updated last, newest first. */
type Newest = (limit: number) => Promise<readonly FileEntry[]>;

/** A part of the list by time, oldest first. */
type Part = (offset: number, limit: number) => Promise<readonly FileEntry[]>;

/** Nearly every change is of a few files; a change of more than a page of the list is read with the whole. */
const LIMITS = [25, PAGE_ENTRIES];
/** Files that uploads add while others are under way come this near to the end of the list. */
const END_ENTRIES = 25;

export interface Since {
  readonly entries: readonly FileEntry[];
  /** These are all the folder has. Otherwise some may be there that were deleted. */
  readonly isAll: boolean;
}

/** As the list itself has them. */
const inOrder = (one: FileEntry, other: FileEntry): number => {
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? -1 : 1;
  return one.name < other.name ? -1 : 1;
};

/** @returns null when more has changed than is read this way */
export async function mergeNewest(newest: Newest, known: readonly FileEntry[]): Promise<Since | null> {
  const entries = new Map(known.map((entry) => [entry.id, entry]));
  for (const limit of LIMITS) {
    const got = await newest(limit);
    const isAll = got.length < limit;
    const last = got.at(-1);
    // The server gives each change a later time than all before it, so what is behind an unchanged file is unchanged.
    if (!isAll && (last === undefined || entries.get(last.id)?.updated_at !== last.updated_at)) continue;
    if (isAll) entries.clear();
    for (const entry of got) if (!isHiddenEntry(entry.name)) entries.set(entry.id, entry);
    return { entries: [...entries.values()].sort(inOrder), isAll };
  }
  return null;
}

/**
 * Whether entries are exactly a folder's files. They have all of them, and perhaps some that were deleted; then the sum of
 * the sizes is another one than the folder's.
 */
export function areAll({ entries, isAll }: Since, folderSizeBytes: number): boolean {
  if (isAll) return true;
  const sizes = entries.map(({ metadata }) => metadata.size);
  return !sizes.includes(0) && sizes.reduce((sum, size) => sum + size, 0) === folderSizeBytes;
}

/**
 * Reads the end of a list that has all of a folder's files, and perhaps some that were deleted. Where the first file of the end is
 * at its place, none before it was. Uploads continue between the answers of facts and files, whose sizes then differ.
 * @returns all of the folder's files; null when one was deleted, or more were added than are read this way
 */
export async function mergeEnd(part: Part, entries: readonly FileEntry[]): Promise<readonly FileEntry[] | null> {
  const from = Math.max(0, entries.length - END_ENTRIES);
  const limit = 2 * END_ENTRIES;
  const got = await part(from, limit);
  if (got.length === limit || got[0]?.id !== entries[from]?.id) return null;
  return [...entries.slice(0, from), ...got.filter(({ name }) => !isHiddenEntry(name))];
}

type Asks = Pick<Api, 'sendJson'>;

const askFor = <Body>({ sendJson }: Asks, { bucket }: FolderPlace, body: Body) =>
  sendJson<FileEntry[]>('POST', `${PATHS.list}/${encodeURIComponent(bucket)}`, body, { fallback: 'files.load_failed' });

/** @throws AppError what the server said, else files.load_failed */
export function readSince(api: Asks, place: FolderPlace, known: readonly FileEntry[]): Promise<Since | null> {
  const sortBy = { column: 'updated_at', order: 'desc' };
  return mergeNewest((limit) => askFor(api, place, { prefix: place.storagePath, limit, offset: 0, sortBy }), known);
}

/** @throws AppError what the server said, else files.load_failed */
export const readEnd = (
  api: Asks,
  place: FolderPlace,
  entries: readonly FileEntry[],
): Promise<readonly FileEntry[] | null> =>
  mergeEnd((offset, limit) => askFor(api, place, listRequest(place.storagePath, offset, limit)), entries);
