import { lazy, Suspense } from 'react';
import { useStore } from '../lib/external-store.ts';
import { loadTexts } from '../lib/language.ts';
import { importPatiently } from '../lib/patient-import.ts';
import { keysInQuestion } from '../lib/sign-out.ts';
import { useWanted } from './use-wanted.ts';

const ForgetKeysDialog = lazy(async () => {
  const [dialog] = await importPatiently(() => Promise.all([import('./forget-keys-dialog.tsx'), loadTexts('common')]));
  return { default: dialog.ForgetKeysDialog };
});

/** Loads the dialog when it is first asked for. */
export function ForgetKeysHost() {
  const { onDisk, inMemory } = useStore(keysInQuestion);
  return useWanted(onDisk + inMemory > 0) ? (
    <Suspense>
      <ForgetKeysDialog />
    </Suspense>
  ) : null;
}
