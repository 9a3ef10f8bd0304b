import { type AppError, toAppError } from '@satchel/contract/errors';
import { useState } from 'react';
import { errorText } from '../../lib/texts/error-text.ts';

const textOf = (reason: AppError | string) => (typeof reason === 'string' ? reason : errorText(reason));

/**
 * A person's act: runs once at a time, and keeps why it failed, in words.
 * @param onFailure called after each failure, with a function that gives the text in the page's language
 */
export function useAct(onFailure?: (say: () => string) => void) {
  const [busy, setBusy] = useState(false);
  const [reason, setReason] = useState<AppError | string | null>(null);
  const fail = (why: AppError | string) => {
    setReason(why);
    onFailure?.(() => textOf(why));
    return false;
  };
  /**
   * @param act throws, or resolves to a text, when it failed
   * @returns whether it succeeded
   */
  const run = async (act: () => unknown): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setReason(null);
    try {
      const result = await act();
      return typeof result === 'string' ? fail(result) : true;
    } catch (error) {
      return fail(toAppError(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure: reason && textOf(reason), run, forgive: () => setReason(null) };
}
