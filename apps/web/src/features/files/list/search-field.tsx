import { Plural, useLingui } from '@lingui/react/macro';
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { cx } from '../../../lib/base/class-names.ts';
import { IconButton } from '../../../ui/base/button.tsx';
import { control } from '../../../ui/forms/field.tsx';

interface SearchFieldProps {
  query: string;
  /** How many files and folders are found. */
  found: number;
  onQuery: (query: string) => void;
  onClose: () => void;
}

/** Finds files by words of their names, in the folder that is shown and below it. Nothing of it leaves the page. */
export function SearchField({ query, found, onQuery, onClose }: SearchFieldProps) {
  const { t } = useLingui();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: not every browser knows <search>
    <div role="search" className="mb-3 flex items-center gap-2">
      <input
        ref={field}
        type="search"
        aria-label={t`Search files`}
        placeholder={t`Search by name`}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          onClose();
        }}
        className={cx('field', control, 'h-10 min-w-0 max-w-md flex-1 [&::-webkit-search-cancel-button]:hidden')}
      />
      <p role="status" className="shrink-0 text-xs text-muted tabular">
        {query.trim() !== '' && <Plural value={found} one="# found" other="# found" />}
      </p>
      <IconButton label={t`Close search`} onClick={onClose} className="max-sm:size-10">
        <X size={17} aria-hidden />
      </IconButton>
    </div>
  );
}
