import { useMemo, useState } from 'react';
import type { FileItem } from './file-model.ts';
import { arrange, type Filter, type Sort } from './file-order.ts';

/** Which files are looked at, and in which order: the grid's, and the viewer's after it. */
export interface FileView {
  readonly shown: readonly FileItem[];
  readonly filter: Filter;
  readonly sort: Sort;
  readonly onFilter: (filter: Filter) => void;
  readonly onSort: (sort: Sort) => void;
}

export function useFileView(files: readonly FileItem[]): FileView {
  const [filter, onFilter] = useState<Filter>('All');
  const [sort, onSort] = useState<Sort>('Added');
  const shown = useMemo(() => arrange(files, filter, sort), [files, filter, sort]);
  return { shown, filter, sort, onFilter, onSort };
}
