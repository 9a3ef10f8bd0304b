import { t } from '@lingui/core/macro';
import type { AppError } from '@satchel/contract/errors';
import { errorText } from './error-text.ts';
import { createStore } from './external-store.ts';
import { forgetFragments } from './forgotten-entries.ts';
import { haveLeft, mayLeave } from './leaving.ts';
import { signOut } from './session.ts';
import { notify } from './toast.ts';

/** How many folder keys this device holds while 'Forget keys on this device?' is open; 0 when it is not (CONTAINER §3). */
export const keysInQuestion = createStore(0);

async function countKeys(): Promise<number> {
  // The key store loads with the first page that needs it, and here; never with the shell.
  const { openKeyDatabase } = await import('./key-store.ts');
  const database = await openKeyDatabase();
  try {
    return await database.count('keys');
  } finally {
    database.close();
  }
}

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
  // Where IndexedDB is closed to the page, keys live in memory and end with it: nothing to ask.
  keysInQuestion.set(await countKeys().catch(() => 0));
}

export const keepKeys = (): void => keysInQuestion.set(0);

/** Erases every folder key of this device, what this page has opened with them, and those in its tab's addresses. */
export async function forgetKeys(): Promise<void> {
  try {
    const [{ forgetAllKeys }, { openedCache }, { dropFragments }] = await Promise.all([
      import('./key-store.ts'),
      import('./opened-cache.ts'),
      import('./folder-link.ts'),
    ]);
    openedCache.clear();
    dropFragments();
    await forgetAllKeys();
    forgetFragments();
    notify(t`The keys on this device are forgotten.`);
  } catch {
    notify(t`The keys could not be erased. Clear this site’s data in your browser’s settings.`, 'error');
  }
  keysInQuestion.set(0);
}
