import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { followConnection } from './connection.ts';
import type { Store } from './external-store.ts';

/* Apart from hooks.ts: these hooks are in the first chunk, which every page loads. */

/** The value of a store, followed. */
export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get);

export const useOnline = (): boolean => useSyncExternalStore(followConnection, () => navigator.onLine);

/** True while a media query matches. */
export function useMedia(query: string): boolean {
  // One for each render that asks would be parsed, judged and kept by the browser.
  const list = useMemo(() => matchMedia(query), [query]);
  const follow = useCallback(
    (listener: () => void) => {
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    [list],
  );
  return useSyncExternalStore(follow, () => list.matches);
}

/** Names the page in the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Satchel` : 'Satchel';
  }, [title]);
}
