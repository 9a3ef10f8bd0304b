import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { ArrowDownUp, CircleHelp, FileArchive, LayoutGrid, List, Search } from 'lucide-react';
import { type ToggleEvent, useId, useState } from 'react';
import type { FileItem } from '../../engine/files/file-model.ts';
import { useShortcuts } from '../../lib/browser/shortcut.ts';
import { Button, IconButton } from '../../ui/base/button.tsx';
import { KeyBadge, KeyHelp, type KeyState } from '../../ui/states/badge.tsx';
import { countByFilter, FILTERS, type Filter, SORTS, type Sort } from './file-order.ts';
import type { FileView } from './use-file-view.ts';

const FILTER_TEXT: Readonly<Record<Filter, MessageDescriptor>> = {
  All: msg`All`,
  Images: msg`Images`,
  Videos: msg`Videos`,
  Audio: msg`Audio`,
  Other: msg`Other`,
};

const SORT_TEXT: Readonly<Record<Sort, MessageDescriptor>> = {
  Added: msg`Added`,
  Name: msg`Name`,
  Size: msg`Size`,
  Type: msg`Type`,
};

interface FilesToolbarProps {
  files: readonly FileItem[];
  view: FileView;
  /** Saves all files as one zip; null when no file can be packed, "busy" while a zip is being saved. */
  onDownloadAll: (() => void) | 'busy' | null;
  isSearching: boolean;
  onSearch: () => void;
}

const STATES: readonly KeyState[] = ['cached', 'api', 'none'];

/** Explains the badges in a native popover: top layer, Escape, light dismiss and focus return need no script. */
function BadgeLegend() {
  const { t } = useLingui();
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton size="sm" label={t`What the badges mean`} popoverTarget={id}>
        <CircleHelp size={17} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <div
        id={id}
        popover="auto"
        role="note"
        onBeforeToggle={(event: ToggleEvent<HTMLDivElement>) => setOpen(event.newState === 'open')}
        className="anchored w-80 max-w-[calc(100vw-24px)] rounded-card bg-surface p-4 text-ink shadow-pop"
      >
        {open && (
          <dl className="grid grid-cols-[max-content_1fr] gap-3.5">
            {STATES.map((state) => (
              <div key={state} className="col-span-2 grid grid-cols-subgrid">
                <dt>
                  <KeyBadge state={state} />
                </dt>
                <dd className="text-xs text-muted">
                  <KeyHelp state={state} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </>
  );
}

/** A native select: the phone's own picker and type-ahead at no cost. */
function SortSelect({ sort, onSort }: Pick<FileView, 'sort' | 'onSort'>) {
  const { t } = useLingui();
  return (
    <label className="relative inline-flex h-8 items-center rounded-control text-muted transition-colors focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-focus hover:bg-raised hover:text-ink">
      <ArrowDownUp
        size={15}
        strokeWidth={1.75}
        aria-hidden
        className="pointer-events-none absolute left-2.5 max-sm:left-3"
      />
      <span className="sr-only">
        <Trans>Sort by</Trans>
      </span>
      <select
        value={sort}
        onChange={(event) => onSort(SORTS.find((name) => name === event.target.value) ?? 'Added')}
        className="h-8 cursor-pointer appearance-none rounded-control bg-transparent pr-2.5 pl-8 text-xs focus-visible:outline-none max-sm:w-10 max-sm:px-0 max-sm:text-transparent [&>option]:bg-surface [&>option]:text-ink"
      >
        {SORTS.map((name) => (
          <option key={name} value={name}>
            {t(SORT_TEXT[name])}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Other ways through many files: a search, and lines in place of cards. */
function WaysThrough({ view, isSearching, onSearch }: Omit<FilesToolbarProps, 'files' | 'onDownloadAll'>) {
  const { t } = useLingui();
  const { isList, onList } = view;
  useShortcuts({ '/': onSearch });
  return (
    <>
      <IconButton size="sm" data-search label={t`Search files`} aria-expanded={isSearching} onClick={onSearch}>
        <Search size={16} aria-hidden />
      </IconButton>
      <IconButton size="sm" label={t`List`} aria-pressed={isList} onClick={() => onList(!isList)}>
        {isList ? <LayoutGrid size={16} aria-hidden /> : <List size={16} aria-hidden />}
      </IconButton>
    </>
  );
}

function DownloadAll({ onDownloadAll }: Pick<FilesToolbarProps, 'onDownloadAll'>) {
  const isBusy = onDownloadAll === 'busy';
  return (
    <Button
      size="sm"
      data-zip-start
      // Not disabled: focus returns here when the zip is complete.
      aria-disabled={isBusy || undefined}
      onClick={() => {
        if (onDownloadAll !== null && onDownloadAll !== 'busy') onDownloadAll();
      }}
      className="max-sm:w-8 max-sm:px-0"
    >
      <FileArchive size={15} aria-hidden />
      <span className="max-sm:sr-only">
        <Trans>Download all</Trans>
      </span>
    </Button>
  );
}

function Filters({ view }: Pick<FilesToolbarProps, 'view'>) {
  const { filter, onFilter } = view;
  const { t, i18n } = useLingui();
  const counts = countByFilter(view.within);
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons that filter are no form fields
    <div
      role="group"
      aria-label={t`Show`}
      // On a phone it scrolls beside the buttons, and fades where it continues.
      className="-mx-1 flex min-w-0 gap-0.5 overflow-x-auto px-1 py-1 max-sm:flex-1 max-sm:pr-6 max-sm:[mask-image:linear-gradient(to_left,transparent,black_1.5rem)] max-sm:[scrollbar-width:none]"
    >
      {FILTERS.map((name) => {
        if (counts[name] === 0 && name !== filter) return null;
        return (
          <button
            key={name}
            type="button"
            aria-pressed={filter === name}
            onClick={() => onFilter(name)}
            className="inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-control px-2.5 text-xs text-muted transition-colors hover:text-ink focus-visible:rounded-control aria-pressed:bg-raised aria-pressed:text-ink"
          >
            {t(FILTER_TEXT[name])}{' '}
            <span className="text-subtle tabular max-sm:hidden">{counts[name].toLocaleString(i18n.locale)}</span>
          </button>
        );
      })}
    </div>
  );
}

export function FilesToolbar({ files, view, onDownloadAll, ...search }: FilesToolbarProps) {
  const anySealed = files.some(({ encrypted }) => encrypted);
  return (
    <div className="flex min-h-10 items-center gap-2 max-sm:gap-1">
      <Filters view={view} />
      <div className="ml-auto flex shrink-0 items-center gap-1">
        {anySealed && <BadgeLegend />}
        {files.length > 1 && <WaysThrough view={view} {...search} />}
        <SortSelect sort={view.sort} onSort={view.onSort} />
        {onDownloadAll !== null && <DownloadAll onDownloadAll={onDownloadAll} />}
      </div>
    </div>
  );
}
