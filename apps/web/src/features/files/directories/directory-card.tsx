import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Download, Files, Folder, Trash2 } from 'lucide-react';
import { type MouseEvent, useId } from 'react';
import { cx } from '../../../lib/base/class-names.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { IconButton } from '../../../ui/base/button.tsx';
import { CARD, clickMeaning, type FileCardProps, FileName, SelectBox } from '../grid/file-card.tsx';
import type { DirectoryItem } from './directory-view.ts';

interface DirectoryCardProps extends Omit<FileCardProps, 'file'> {
  directory: DirectoryItem;
}

/** How many files a directory holds, below it too, and their size. */
export function DirectoryFacts({ directory: { files, sizeBytes } }: { directory: DirectoryItem }) {
  return (
    <>
      <Plural value={files.length} one="# file" other="# files" /> · {bytes(sizeBytes)}
    </>
  );
}

/** The same on a phone's card in every language: a longer word for "files" leaves no room for the size. */
const NarrowFacts = ({ directory: { files, sizeBytes } }: { directory: DirectoryItem }) => (
  <span aria-hidden="true" className="inline-flex items-center gap-1 sm:hidden">
    <Files size={12} strokeWidth={1.75} />
    {files.length} · {bytes(sizeBytes)}
  </span>
);

/** A directory in the grid: it opens where a file is viewed, and is saved as one zip. */
export function DirectoryCard({ directory, nameWidthPx, active, selected, selecting, ...acts }: DirectoryCardProps) {
  const { t } = useLingui();
  const { id, name } = directory;
  const { onView, onDownload, onFocus, onAskRemove, onSelect } = acts;
  const nameId = useId();
  const act = (event: MouseEvent) => {
    const meaning = clickMeaning(event, selecting);
    if (meaning === 'act') onView(id);
    else onSelect(id, { range: meaning === 'range' });
  };
  return (
    <div className={cx(CARD, selected && 'ring-2 ring-graph')}>
      <button
        type="button"
        data-main
        data-file={id}
        tabIndex={active ? 0 : -1}
        id={nameId}
        aria-label={t`Folder ${name}`}
        aria-describedby={`${nameId}-facts`}
        onFocus={() => onFocus(id)}
        onClick={act}
        className="absolute inset-0 z-[5] focus-visible:outline-none"
      />
      <div className="relative grid aspect-4/3 place-content-center bg-sunken text-accent-text" aria-hidden="true">
        <Folder size={56} strokeWidth={1.1} />
      </div>
      <div className="flex flex-1 items-start gap-1 py-2.5 pr-1.5 pl-3">
        <div className="min-w-0 flex-1">
          <FileName name={name} widthPx={nameWidthPx} />
          <p id={`${nameId}-facts`} className="mt-0.5 truncate text-xs text-muted tabular">
            <span className="max-sm:sr-only">
              <DirectoryFacts directory={directory} />
            </span>
            <NarrowFacts directory={directory} />
          </p>
        </div>
        <IconButton
          label={t`Download`}
          aria-describedby={nameId}
          tabIndex={active ? 0 : -1}
          onClick={() => onDownload(id)}
          className="relative z-10"
        >
          <Download size={17} strokeWidth={1.75} aria-hidden />
        </IconButton>
      </div>
      {onAskRemove && (
        <IconButton
          size="sm"
          label={t`Delete folder`}
          aria-describedby={nameId}
          tabIndex={active ? 0 : -1}
          onClick={() => onAskRemove(id)}
          className="absolute! top-2 right-11 z-10 bg-surface opacity-0 focus-visible:opacity-100 pointer-coarse:hidden group-focus-within/card:opacity-100 group-hover/card:opacity-100"
        >
          <Trash2 size={16} strokeWidth={1.75} aria-hidden />
        </IconButton>
      )}
      <SelectBox id={id} name={name} selected={selected} selecting={selecting} onSelect={onSelect} />
    </div>
  );
}

interface PathBarProps {
  /** The directory that is shown. */
  directory: string;
  onDirectory: (path: string) => void;
}

/** The way from the folder to the directory that is shown; each step leads back to it. */
export function PathBar({ directory, onDirectory }: PathBarProps) {
  const { t } = useLingui();
  const names = directory === '' ? [] : directory.split('/');
  const steps = names.map((name, at) => ({ name, path: names.slice(0, at + 1).join('/') }));
  return (
    <nav aria-label={t`Path`} className="-mx-1 mb-1 overflow-x-auto px-1">
      <ol className="flex min-h-10 items-center text-sm whitespace-nowrap">
        {[{ name: null, path: '' }, ...steps].map(({ name, path }) => (
          <li key={path} className="flex items-center">
            {name !== null && (
              <span aria-hidden="true" className="px-1 text-subtle">
                /
              </span>
            )}
            {path === directory ? (
              <span aria-current="page" className="px-1.5 font-medium">
                {name ?? <Trans>All files</Trans>}
              </span>
            ) : (
              <button
                type="button"
                onClick={() => onDirectory(path)}
                className="rounded-chip px-1.5 py-2 text-muted hover:text-ink hover:underline"
              >
                {name ?? <Trans>All files</Trans>}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
