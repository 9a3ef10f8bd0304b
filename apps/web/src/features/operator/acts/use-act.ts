import { toAppError } from '@satchel/contract/errors';
import { useState } from 'react';
import { errorText } from '../../lib/error-text.ts';

/** Something an operator does: once at a time, with why it was not done. */
export function useAct() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  /** @returns whether it was done */
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
