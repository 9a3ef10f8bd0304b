import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button, Dots } from '../../ui/base/button.tsx';
import { LoadFailed } from '../../ui/states/banner.tsx';
import { PanelState } from '../../ui/states/states.tsx';
import type { Pages } from './use-pages.ts';

const LIST_ID = 'operator-list';

/** The list of the visible section. It takes the focus of an action that may have removed its row. */
export const operatorList = (): HTMLElement | null => document.getElementById(LIST_ID);

interface PagedListProps<T> {
  pages: Pages<T>;
  /** Shown for an empty list. */
  emptyTitle: string;
  emptyText: ReactNode;
  /** The rendered items. */
  children: (items: readonly T[]) => ReactNode;
}

/** A list in all its states: loading, empty, failed, loaded, and with more pages. */
export function PagedList<T>({ pages, emptyTitle, emptyText, children }: PagedListProps<T>) {
  const { t } = useLingui();
  const { items, has_more: hasMore, error, isLoading, more, retry } = pages;
  return (
    <div id={LIST_ID} tabIndex={-1} className="grid grid-cols-1 gap-4 focus-visible:outline-none" aria-busy={isLoading}>
      {items.length > 0 && children(items)}
      {error && <LoadFailed onRetry={retry}>{errorText(error)}</LoadFailed>}
      {isLoading && (
        <div className="grid place-items-center p-8 text-subtle">
          <Dots label={t`Loading`} />
        </div>
      )}
      {!isLoading && !error && items.length === 0 && (
        <PanelState pose="closed" title={emptyTitle}>
          {emptyText}
        </PanelState>
      )}
      {!isLoading && !error && hasMore && (
        <Button className="justify-self-center" onClick={more}>
          <Trans>Show more</Trans>
        </Button>
      )}
    </div>
  );
}
