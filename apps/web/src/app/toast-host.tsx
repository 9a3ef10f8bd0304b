import { lazy, Suspense } from 'react';
import { useStore } from '../lib/external-store.ts';
import { importPatiently } from '../lib/patient-import.ts';
import { waitingToasts } from '../lib/toast.ts';
import { useWanted } from './use-wanted.ts';

const Toasts = lazy(async () => {
  const { Toasts } = await importPatiently(() => import('./toasts.tsx'));
  return { default: Toasts };
});

/** Loads the toasts at the first one; nothing on a first screen needs them. */
export function ToastHost() {
  const waiting = useStore(waitingToasts);
  return useWanted(waiting.length > 0) ? (
    <Suspense>
      <Toasts />
    </Suspense>
  ) : null;
}
