const DATABASE = 'satchel-keys';

async function mayHoldKeys(): Promise<boolean> {
  // A browser that can't list its databases might hold keys.
  if (!('indexedDB' in globalThis) || !indexedDB.databases) return true;
  return (await indexedDB.databases()).some(({ name }) => name === DATABASE);
}

/**
 * Deletes expired folder keys now and each later one on its second, on any open page (CONTAINER §3). A visitor without
 * keys does not load the key store for it.
 */
export async function startKeyExpiry(): Promise<void> {
  if (!(await mayHoldKeys().catch(() => true))) return;
  const { watchKeyExpiry } = await import('./key-store.ts');
  await watchKeyExpiry();
}
