import { useMemo, useState } from 'react';
import type { FileItem } from '../../engine/files/file-model.ts';
import { arrange, type Filter, type Sort } from './file-order.ts';

/** Filter and sort order of the grid; the viewer uses the same order. */
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
