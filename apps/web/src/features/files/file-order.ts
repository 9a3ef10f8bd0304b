import { pathKey } from '@satchel/contract/files/path-parts';
import { extensionOf, storedAtMs } from '@satchel/contract/naming';
import type { FileItem, FileKind } from '../../engine/files/file-model.ts';

/** Filter, search and sort of the file area. */

type Shown = Pick<FileItem, 'name' | 'sizeBytes' | 'kind'>;

export const FILTERS = ['All', 'Images', 'Videos', 'Audio', 'Other'] as const;
export type Filter = (typeof FILTERS)[number];

export const SORTS = ['Added', 'Name', 'Size', 'Type'] as const;
export type Sort = (typeof SORTS)[number];

const FILTER_OF: Readonly<Partial<Record<FileKind, Filter>>> = { image: 'Images', video: 'Videos', audio: 'Audio' };

export const matchesFilter = ({ kind }: Pick<Shown, 'kind'>, filter: Filter): boolean =>
  filter === 'All' || (FILTER_OF[kind] ?? 'Other') === filter;

/** Number of files a filter. */
export function countByFilter(files: readonly Pick<Shown, 'kind'>[]): Record<Filter, number> {
  const counts = { All: 0, Images: 0, Videos: 0, Audio: 0, Other: 0 };
  for (const file of files) for (const filter of FILTERS) if (matchesFilter(file, filter)) counts[filter] += 1;
  return counts;
}

/** Keeps what has every word of the query in its name, in any order and case. */
export function search<Named extends { readonly name: string }>(
  items: readonly Named[],
  query: string,
): readonly Named[] {
  const words = pathKey(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items.filter(({ name }) => {
    const key = pathKey(name);
    return words.every((word) => key.includes(word));
  });
}

// Natural order: "clip 2" comes before "clip 10".
const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

type Named = Pick<Shown, 'name'>;
export const compareNames = (a: Named, b: Named): number => byName.compare(a.name, b.name);

type Added = Named & Pick<FileItem, 'entry'>;

/** In the order in which they were chosen; parallel uploads end in any. Files of one moment by their names. */
export function inAddedOrder<F extends Added>(files: readonly F[]): readonly F[] {
  const timed = files.map((file) => {
    const { name, created_at: createdAt } = file.entry;
    return { file, atMs: storedAtMs(name) ?? Date.parse(createdAt) };
  });
  return timed.sort((a, b) => a.atMs - b.atMs || compareNames(a.file, b.file)).map(({ file }) => file);
}

const COMPARE = {
  Name: compareNames,
  Size: (a: Shown, b: Shown) => b.sizeBytes - a.sizeBytes,
  Type: (a: Shown, b: Shown) => byName.compare(extensionOf(a.name), extensionOf(b.name)) || compareNames(a, b),
} as const;

export interface Arrangement {
  readonly sort: Sort;
  /** Names from Z to A, the smallest or the newest first. */
  readonly isReversed: boolean;
}

/** The files, sorted. 'Added' keeps their own order: see {@link inAddedOrder}. */
export function arrange<F extends Shown>(files: readonly F[], { sort, isReversed }: Arrangement): readonly F[] {
  const sorted = sort === 'Added' ? files : files.toSorted(COMPARE[sort]);
  return isReversed ? sorted.toReversed() : sorted;
}
