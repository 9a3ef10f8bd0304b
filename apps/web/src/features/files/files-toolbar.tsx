import { ArrowDownUp } from 'lucide-react';
import { BadgeLegend } from './badge-legend.tsx';
import type { FileItem } from './file-model.ts';
import { countByFilter, FILTERS, type Filter, SORTS, type Sort } from './file-order.ts';

interface FilesToolbarProps {
  files: readonly FileItem[];
  filter: Filter;
  sort: Sort;
  onFilter: (filter: Filter) => void;
  onSort: (sort: Sort) => void;
}

/** The browser's own select: the phone's own picker, and type-ahead, for free. */
const SortSelect = ({ sort, onSort }: Pick<FilesToolbarProps, 'sort' | 'onSort'>) => (
  <label className="relative inline-flex h-8 items-center rounded-control text-muted transition-colors focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-focus hover:bg-raised hover:text-ink">
    <ArrowDownUp
      size={15}
      strokeWidth={1.75}
      aria-hidden
      className="pointer-events-none absolute left-2.5 max-sm:left-2"
    />
    <span className="sr-only">Sort by</span>
    <select
      value={sort}
      onChange={(event) => onSort(SORTS.find((name) => name === event.target.value) ?? 'Added')}
      className="h-8 cursor-pointer appearance-none rounded-control bg-transparent pr-2.5 pl-8 text-xs focus-visible:outline-none max-sm:w-8 max-sm:text-transparent [&>option]:bg-surface [&>option]:text-ink"
    >
      {SORTS.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  </label>
);

export function FilesToolbar({ files, filter, sort, onFilter, onSort }: FilesToolbarProps) {
  const counts = countByFilter(files);
  const anySealed = files.some(({ encrypted }) => encrypted);
  return (
    <div className="mb-4 flex items-center gap-2">
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that filter are no form fields */}
      <div role="group" aria-label="Show" className="-mx-1 flex min-w-0 gap-0.5 overflow-x-auto px-1 py-1">
        {FILTERS.map((name) => {
          if (counts[name] === 0 && name !== filter) return null;
          return (
            <button
              key={name}
              type="button"
              aria-pressed={filter === name}
              onClick={() => onFilter(name)}
              className="inline-flex h-8 shrink-0 items-center gap-1.5 rounded-control px-2.5 text-xs text-muted transition-colors hover:text-ink focus-visible:rounded-control aria-pressed:bg-raised aria-pressed:text-ink"
            >
              {name} <span className="text-subtle tabular max-sm:hidden">{counts[name].toLocaleString('en')}</span>
            </button>
          );
        })}
      </div>
      <div className="ml-auto flex shrink-0 items-center gap-1">
        {anySealed && <BadgeLegend />}
        <SortSelect sort={sort} onSort={onSort} />
      </div>
    </div>
  );
}
