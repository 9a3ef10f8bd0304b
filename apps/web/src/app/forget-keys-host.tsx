import { lazy, Suspense, useEffect, useState } from 'react';
import { useStore } from '../lib/external-store.ts';
import { keysInQuestion } from '../lib/sign-out.ts';

const ForgetKeysDialog = lazy(async () => ({ default: (await import('./forget-keys-dialog.tsx')).ForgetKeysDialog }));

/** Loads the dialog when it is first asked for. */
export function ForgetKeysHost() {
  const count = useStore(keysInQuestion);
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    if (count > 0) setWanted(true);
  }, [count]);
  return wanted ? (
    <Suspense>
      <ForgetKeysDialog />
    </Suspense>
  ) : null;
}
