import { lazy, Suspense, useEffect, useState } from 'react';
import { useStore } from '../lib/external-store.ts';
import { loadTexts } from '../lib/language.ts';
import { keysInQuestion } from '../lib/sign-out.ts';

const ForgetKeysDialog = lazy(async () => {
  const [dialog] = await Promise.all([import('./forget-keys-dialog.tsx'), loadTexts('common')]);
  return { default: dialog.ForgetKeysDialog };
});

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
