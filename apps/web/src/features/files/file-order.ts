import type { FileItem } from '../../engine/files/file-model.ts';

/** Filter and sort of the file area. */

type Shown = Pick<FileItem, 'name' | 'sizeBytes' | 'category'>;

export const FILTERS = ['All', 'Images', 'Videos', 'Other'] as const;
export type Filter = (typeof FILTERS)[number];

export const SORTS = ['Added', 'Name', 'Size'] as const;
export type Sort = (typeof SORTS)[number];

const CATEGORY = { Images: 'image', Videos: 'video', Other: 'default' } as const;

export const matchesFilter = (file: Pick<Shown, 'category'>, filter: Filter): boolean =>
  filter === 'All' || file.category === CATEGORY[filter];

/** Number of files a filter. */
export function countByFilter(files: readonly Pick<Shown, 'category'>[]): Record<Filter, number> {
  const counts = { All: 0, Images: 0, Videos: 0, Other: 0 };
  for (const file of files) for (const filter of FILTERS) if (matchesFilter(file, filter)) counts[filter] += 1;
  return counts;
}

// Natural order: "clip 2" comes before "clip 10".
const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The files to show, sorted. 'Added' keeps the server's order. */
export function arrange<F extends Shown>(files: readonly F[], filter: Filter, sort: Sort): readonly F[] {
  const shown = files.filter((file) => matchesFilter(file, filter));
  if (sort === 'Name') return shown.toSorted((a, b) => byName.compare(a.name, b.name));
  if (sort === 'Size') return shown.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  return shown;
}
