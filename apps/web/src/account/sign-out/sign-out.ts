import { t } from '@lingui/core/macro';
import type { AppError } from '@satchel/contract/errors';
import { errorText } from './error-text.ts';
import { createStore } from './external-store.ts';
import { forgetFragments, onForgotten } from './forgotten-entries.ts';
import type { KeyCount } from './key-store.ts';
import { haveLeft, mayLeave } from './leaving.ts';
import { signOut } from './session.ts';
import { notify } from './toast.ts';

const NONE: KeyCount = { onDisk: 0, inMemory: 0 };

/** The folder keys of this device while 'Forget keys on this device?' is open; none when it is not (CONTAINER §3). */
export const keysInQuestion = createStore(NONE);

/**
 * Signs out, unless something is running that the person would rather wait for, and then asks whether this device should
 * forget its folder keys, if it has any.
 */
export async function leave(): Promise<void> {
  if (!(await mayLeave())) return;
  try {
    await signOut(haveLeft);
  } catch (error) {
    return notify(errorText(error as AppError), 'error');
  }
  // The key store loads with the first page that needs it, and here; never with the shell.
  const counting = import('./key-store.ts').then(({ countKeys }) => countKeys());
  keysInQuestion.set(await counting.catch(() => NONE));
}

export const keepKeys = (): void => keysInQuestion.set(NONE);

const erasure = () => import('./key-erasure.ts');

/** Has this tab forget, too, what another one has erased. Call it once at start. */
export const followForgetting = (): void =>
  onForgotten(() => {
    forgetFragments();
    // Where its code is not to be had any more, a fresh page has nothing to forget.
    erasure().then(
      ({ dropKeys }) => dropKeys(),
      () => location.reload(),
    );
  });

/** Erases every folder key of this device, what its open tabs have opened with them, and those in their addresses. */
export async function forgetKeys(): Promise<void> {
  try {
    await (await erasure()).eraseKeys();
    notify(t`The keys on this device are forgotten.`);
  } catch {
    notify(t`The keys could not be erased. Clear this site’s data in your browser’s settings.`, 'error');
  }
  keepKeys();
}
