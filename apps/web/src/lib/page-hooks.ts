import { useEffect, useSyncExternalStore } from 'react';

/* Apart from hooks.ts, for these are all that every page needs. */

function followConnection(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

export const useOnline = (): boolean => useSyncExternalStore(followConnection, () => navigator.onLine);

/** Names the page in the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Satchel` : 'Satchel';
  }, [title]);
}
