import { type AppError, toAppError } from '@satchel/contract/errors';
import { useCallback, useEffect, useState } from 'react';

export interface Page<T> {
  readonly items: readonly T[];
  readonly has_more: boolean;
}

/** @param last end of the previous page; undefined for the first page */
export type LoadPage<T> = (last: T | undefined, signal: AbortSignal) => Promise<Page<T>>;

interface Loaded<T> extends Page<T> {
  readonly error: AppError | null;
  readonly isLoading: boolean;
}

export interface Pages<T> extends Loaded<T> {
  more(): void;
  /** Reloads from the first page, while the present items stay visible. */
  reload(): void;
  /** Retries the failed page. */
  retry(): void;
}

const NOTHING: Loaded<never> = { items: [], has_more: false, error: null, isLoading: true };

/**
 * A list loaded page by page.
 * @param load must keep its identity while the list is the same
 */
export function usePages<T>(load: LoadPage<T>): Pages<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>(NOTHING);
  const [wanted, setWanted] = useState<{ after: readonly T[] }>({ after: [] });
  useEffect(() => {
    const controller = new AbortController();
    setLoaded((before) => ({ ...before, error: null, isLoading: true }));
    load(wanted.after.at(-1), controller.signal).then(
      ({ items, has_more }) =>
        controller.signal.aborted ||
        setLoaded({ items: [...wanted.after, ...items], has_more, error: null, isLoading: false }),
      (error: unknown) =>
        controller.signal.aborted || setLoaded((before) => ({ ...before, error: toAppError(error), isLoading: false })),
    );
    return () => controller.abort();
  }, [load, wanted]);
  const { items } = loaded;
  return {
    ...loaded,
    more: useCallback(() => setWanted({ after: items }), [items]),
    reload: useCallback(() => setWanted({ after: [] }), []),
    retry: useCallback(() => setWanted((before) => ({ ...before })), []),
  };
}
