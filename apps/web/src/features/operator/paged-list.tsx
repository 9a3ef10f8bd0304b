import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button, Dots } from '../../ui/button.tsx';
import { PanelState } from '../../ui/states.tsx';
import { LIST_ID } from './list-focus.ts';
import type { Pages } from './use-pages.ts';

interface PagedListProps<T> {
  pages: Pages<T>;
  /** What stands where there is nothing. */
  emptyTitle: string;
  emptyText: ReactNode;
  /** The items as they are shown. */
  children: (items: readonly T[]) => ReactNode;
}

/** A list in all its states: on its way, empty, failed, there, and with more to come. */
export function PagedList<T>({ pages, emptyTitle, emptyText, children }: PagedListProps<T>) {
  const { t } = useLingui();
  const { items, has_more: hasMore, error, isLoading, more, retry } = pages;
  return (
    <div id={LIST_ID} tabIndex={-1} className="grid grid-cols-1 gap-4 focus-visible:outline-none" aria-busy={isLoading}>
      {items.length > 0 && children(items)}
      {error && (
        <Banner
          tone="danger"
          action={
            <Button onClick={retry}>
              <Trans>Try Again</Trans>
            </Button>
          }
        >
          <p role="alert">{errorText(error)}</p>
        </Banner>
      )}
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
