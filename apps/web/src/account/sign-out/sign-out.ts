import { t } from '@lingui/core/macro';
import type { KeyCount } from '@satchel/client/keys/key-store';
import type { AppError } from '@satchel/contract/errors';
import { deleteHistoryFragments, onKeysDeleted } from '../../engine/keys/history-fragments.ts';
import { createStore } from '../../lib/base/external-store.ts';
import { notify } from '../../lib/base/toast.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { signOut } from '../session/session.ts';
import { haveLeft, mayLeave } from './leaving.ts';

const NONE: KeyCount = { onDisk: 0, inMemory: 0 };

/** The folder keys of this device while 'Forget keys on this device?' is open; none when it is not (docs/container.md §3). */
export const keysInQuestion = createStore(NONE);

/**
 * Signs out, unless the person chooses to wait for running uploads, then asks whether to delete the folder keys on this
 * device, if it has any.
 */
export async function leave(): Promise<void> {
  if (!(await mayLeave())) return;
  try {
    await signOut(haveLeft);
  } catch (error) {
    return notify(() => errorText(error as AppError), 'error');
  }
  // The key store loads with the first page that needs it, and here; never with the shell.
  const counting = import('../../engine/keys/key-store.ts').then(({ countKeys }) => countKeys());
  keysInQuestion.set(await counting.catch(() => NONE));
}

export const keepKeys = (): void => keysInQuestion.set(NONE);

const keyDeletion = () => import('../../engine/keys/key-deletion.ts');

/** Deletes keys in this tab after another tab deleted the device's keys. Call it once at start. */
export const followKeyDeletion = (): void =>
  onKeysDeleted(() => {
    deleteHistoryFragments();
    // If the code can't be loaded, reload: a fresh page holds no keys.
    keyDeletion().then(
      ({ deleteKeysInPage }) => deleteKeysInPage(),
      () => location.reload(),
    );
  });

/** Deletes every folder key of this device, the files opened with them in all tabs, and the keys in their addresses. */
export async function deleteKeysOnDevice(): Promise<void> {
  try {
    await (await keyDeletion()).deleteKeys();
    notify(() => t`The keys on this device are forgotten.`);
  } catch {
    notify(() => t`The keys could not be erased. Clear this site’s data in your browser’s settings.`, 'error');
  }
  keepKeys();
}
