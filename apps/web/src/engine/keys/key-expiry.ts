import { deviceDatabases } from '../../lib/base/device.ts';
import { ERASURE_PREFIX, KEY_DATABASE } from './key-databases.ts';

async function databaseNames(): Promise<readonly string[] | null> {
  return (await deviceDatabases()?.databases?.())?.map(({ name = '' }) => name) ?? null;
}

/**
 * Deletes expired folder keys now and each later one on its second, on any open page (docs/container.md §3), and what an earlier page
 * left of deleted ones. A visitor without keys does not load the key store for it.
 */
export async function startKeyExpiry(): Promise<void> {
  const names = await databaseNames().catch(() => null);
  if (names?.some((name) => name.startsWith(ERASURE_PREFIX))) {
    const { finishErasure } = await import('./key-deletion.ts');
    await finishErasure().catch(() => undefined);
  }
  // A browser that can't list its databases might hold keys.
  if (names && !names.includes(KEY_DATABASE)) return;
  const { watchKeyExpiry } = await import('./key-store.ts');
  await watchKeyExpiry();
}
