import { type DBSchema, type IDBPDatabase, openDB } from 'idb';

/** The operator's private keys in this browser: CryptoKeys that can't be exported, so there is no copy elsewhere. */

export interface OwnOperatorKey {
  /** The server's id of the public key. */
  readonly id: string;
  readonly privateKey: CryptoKey;
}

interface OperatorKeySchema extends DBSchema {
  keys: { key: string; value: OwnOperatorKey };
}

async function withDatabase<T>(act: (database: IDBPDatabase<OperatorKeySchema>) => Promise<T>): Promise<T> {
  const database = await openDB<OperatorKeySchema>('satchel-operator', 1, {
    upgrade: (fresh) => {
      fresh.createObjectStore('keys', { keyPath: 'id' });
    },
  });
  try {
    return await act(database);
  } finally {
    database.close();
  }
}

/** @throws where the browser keeps nothing for the site, such as in some private windows */
export const keepOperatorKey = (key: OwnOperatorKey): Promise<unknown> =>
  withDatabase((database) => database.put('keys', key));

export const deleteOperatorKey = (id: string): Promise<void> => withDatabase((database) => database.delete('keys', id));

/** When the account is deleted. */
export const deleteOperatorKeys = (): Promise<void> => withDatabase((database) => database.clear('keys'));

/** The keys that this browser holds; none where it keeps nothing. */
export const ownOperatorKeys = (): Promise<readonly OwnOperatorKey[]> =>
  withDatabase((database) => database.getAll('keys')).catch(() => []);
