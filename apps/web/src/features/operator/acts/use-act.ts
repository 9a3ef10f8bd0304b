import { toAppError } from '@satchel/contract/errors';
import { useState } from 'react';
import { errorText } from '../../../lib/texts/error-text.ts';

/** An operator's action: runs once at a time, and keeps its error. */
export function useAct() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  /** @returns whether it succeeded */
  const run = async (act: () => Promise<unknown>): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setFailure(null);
    try {
      await act();
      return true;
    } catch (error) {
      setFailure(errorText(toAppError(error)));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, run };
}
