import { lazy, Suspense, useEffect, useState } from 'react';
import { useStore } from '../lib/external-store.ts';
import { waitingToasts } from '../lib/toast.ts';

const Toasts = lazy(async () => ({ default: (await import('./toasts.tsx')).Toasts }));

/** Loads the toasts at the first one; nothing on a first screen needs them. */
export function ToastHost() {
  const waiting = useStore(waitingToasts);
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    if (waiting.length > 0) setWanted(true);
  }, [waiting]);
  return wanted ? (
    <Suspense>
      <Toasts />
    </Suspense>
  ) : null;
}
