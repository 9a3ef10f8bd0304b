import { type DBSchema, type IDBPDatabase, openDB } from 'idb';

/**
 * The folder keys of this device (CONTAINER §3 "Life of keys in the browser"): by person and folder, gone at the folder's
 * expiry, at its deletion, and when somebody who signs out says so.
 */

type Bytes = Uint8Array<ArrayBuffer>;

export interface RememberedKey {
  readonly slug: string;
  /** Link secret S; null for a key that came without one. */
  readonly secret: Bytes | null;
  /** The folder key, 64 bytes. */
  readonly key: Bytes;
  readonly expires_at: string;
  /** The link that `secret` belongs to: a newer one of the folder makes it a dead letter. */
  readonly api_token: string | null;
  /** The server sent the key, so that it may seal in a Discord-link folder only (CONTAINER §3 "Who may seal"). */
  readonly is_servers: boolean;
}

export interface KeyToRemember extends RememberedKey {
  readonly userId: string | null;
  readonly folderId: string;
  /** The server's clock when `expires_at` was read, so that a device whose clock is wrong keeps keys for the right time. */
  readonly server_time?: string;
}

interface KeyRow extends RememberedKey {
  readonly user_id: string;
  readonly folder_id: string;
  /** When this device's clock says that the folder has expired, in milliseconds since the epoch. */
  readonly erase_at_ms: number;
}

interface KeySchema extends DBSchema {
  keys: { key: [string, string]; value: KeyRow };
}

export interface KeyStoreDeps {
  readonly openDatabase: () => Promise<IDBPDatabase<KeySchema>>;
  readonly nowMs: () => number;
}

export type KeyStore = ReturnType<typeof createKeyStore>;

const ANONYMOUS = 'anonymous';
/**
 * The server's clock was read before its answer arrived, so that this device's seems too far ahead by the time between. A
 * key may go a little early, never late.
 */
export const ANSWER_MS = 5000;
/** Timers hold at most 2³¹ − 1 ms; a longer wait is slept in pieces. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Opens the database that keys are kept in. */
export async function openKeyDatabase(name = 'satchel-keys'): Promise<IDBPDatabase<KeySchema>> {
  return openDB<KeySchema>(name, 1, {
    upgrade: (database) => {
      database.createObjectStore('keys', { keyPath: ['user_id', 'folder_id'] });
    },
    // Another tab with a newer version must not wait for this one.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase | null)?.close(),
  });
}

interface Rows {
  get(userId: string, folderId: string): Promise<KeyRow | undefined>;
  put(row: KeyRow): Promise<void>;
  /** Gives the rows that match another form, or removes those that get none; all in one step. */
  change(matches: (row: KeyRow) => boolean, to: (row: KeyRow) => KeyRow | null): Promise<void>;
  all(): Promise<KeyRow[]>;
}

function memoryRows(): Rows {
  const rows = new Map<string, KeyRow>();
  const nameOf = (userId: string, folderId: string) => `${userId}/${folderId}`;
  return {
    get: async (userId, folderId) => rows.get(nameOf(userId, folderId)),
    put: async (row) => {
      rows.set(nameOf(row.user_id, row.folder_id), row);
    },
    change: async (matches, to) => {
      for (const [name, row] of rows) {
        if (!matches(row)) continue;
        const changed = to(row);
        if (changed) rows.set(name, changed);
        else rows.delete(name);
      }
    },
    all: async () => [...rows.values()],
  };
}

function databaseRows(database: IDBPDatabase<KeySchema>): Rows {
  return {
    get: (userId, folderId) => database.get('keys', [userId, folderId]),
    put: async (row) => {
      await database.put('keys', row);
    },
    change: async (matches, to) => {
      const transaction = database.transaction('keys', 'readwrite');
      for (let cursor = await transaction.store.openCursor(); cursor; cursor = await cursor.continue()) {
        if (!matches(cursor.value)) continue;
        const changed = to(cursor.value);
        await (changed ? cursor.update(changed) : cursor.delete());
      }
      await transaction.done;
    },
    all: () => database.getAll('keys'),
  };
}

/** A store of folder keys over IndexedDB, or over memory where a private window has none. */
export function createKeyStore({ openDatabase, nowMs }: KeyStoreDeps) {
  const memory = memoryRows();
  let opening: Promise<Rows | null> | null = null;
  const onDisk = (): Promise<Rows | null> => {
    opening ??= openDatabase().then(databaseRows, () => null);
    return opening;
  };
  /** Acts on the disk, once more on a fresh connection if this one was closed. Null when there is no database at all. */
  const onDiskTwice = async <T>(act: (rows: Rows) => Promise<T>): Promise<T | null> => {
    const rows = await onDisk();
    if (rows === null) return null;
    try {
      return await act(rows);
    } catch {
      opening = null;
      const reopened = await onDisk();
      return reopened === null ? null : act(reopened);
    }
  };
  /** For reading and keeping: a full or broken disk leaves memory, and is no reason to fail. */
  const attempt = <T>(act: (rows: Rows) => Promise<T>): Promise<T | null> => onDiskTwice(act).catch(() => null);
  /** For erasing, which must not fail silently: "forgotten" has to be true. */
  const erase = async (matches: (row: KeyRow) => boolean): Promise<void> => {
    await memory.change(matches, () => null);
    await onDiskTwice((rows) => rows.change(matches, () => null));
  };
  const changeFolder = async (folderId: string, to: (row: KeyRow) => KeyRow): Promise<void> => {
    const change = (rows: Rows) => rows.change((row) => row.folder_id === folderId, to);
    await change(memory);
    await attempt(change);
  };
  const eraseAtMs = (expires_at: string, server_time: string | undefined): number =>
    Date.parse(expires_at) + (server_time === undefined ? 0 : nowMs() - Date.parse(server_time) - ANSWER_MS);
  const dropExpired = () => erase((row) => row.erase_at_ms <= nowMs());

  return {
    rememberKey: async ({ userId, folderId, server_time, ...known }: KeyToRemember) => {
      const row: KeyRow = {
        user_id: userId ?? ANONYMOUS,
        folder_id: folderId,
        ...known,
        erase_at_ms: eraseAtMs(known.expires_at, server_time),
      };
      const kept = await attempt(async (rows) => {
        await rows.put(row);
        return true;
      });
      if (!kept) await memory.put(row);
    },
    recallKey: async (userId: string | null, folderId: string): Promise<RememberedKey | null> => {
      const owner = userId ?? ANONYMOUS;
      const row = (await attempt((rows) => rows.get(owner, folderId))) ?? (await memory.get(owner, folderId));
      if (row === undefined) return null;
      if (row.erase_at_ms <= nowMs()) {
        await dropExpired();
        return null;
      }
      const { user_id: _user, folder_id: _folder, erase_at_ms: _eraseAt, ...known } = row;
      return known;
    },
    /** When the folder's link is revoked: the key stays, to read with, and the secret that opens nothing goes. */
    dropSecret: (folderId: string) => changeFolder(folderId, (row) => ({ ...row, secret: null })),
    /** When the folder has got more time, or less. */
    keepKeyUntil: (folderId: string, expires_at: string, server_time?: string) =>
      changeFolder(folderId, (row) => ({ ...row, expires_at, erase_at_ms: eraseAtMs(expires_at, server_time) })),
    /** At deletion: for every person who used this device. */
    forgetKey: (folderId: string) => erase((row) => row.folder_id === folderId),
    /** At expiry, when the server says no more than the slug. */
    forgetSlug: (slug: string) => erase((row) => row.slug === slug),
    /** At sign-out, when asked to. */
    forgetAllKeys: () => erase(() => true),
    dropExpired,
    /** When the next key has to go, in milliseconds since the epoch, or null. */
    nextExpiryMs: async (): Promise<number | null> => {
      const rows = [...((await attempt((disk) => disk.all())) ?? []), ...(await memory.all())];
      return rows.length === 0 ? null : Math.min(...rows.map((row) => row.erase_at_ms));
    },
  };
}

const store = createKeyStore({ openDatabase: openKeyDatabase, nowMs: Date.now });
let expiryTimer: ReturnType<typeof setTimeout> | undefined;

/** Erases expired keys now and each later one on its second, as long as the page is open. Call it once at start. */
export async function watchKeyExpiry(): Promise<void> {
  clearTimeout(expiryTimer);
  await store.dropExpired().catch(() => {});
  const nextMs = await store.nextExpiryMs();
  if (nextMs === null) return;
  clearTimeout(expiryTimer);
  expiryTimer = setTimeout(watchKeyExpiry, Math.min(TIMER_MAX_MS, Math.max(1000, nextMs - Date.now())));
}

/** Keeps a folder's secret and key on this device until the folder expires. Never fails for want of IndexedDB. */
export async function rememberKey(key: KeyToRemember): Promise<void> {
  await store.rememberKey(key);
  await watchKeyExpiry();
}

/** Keeps what this device remembers of a folder for as long as the folder lives, by what the server says of it now. */
export async function keepKeyUntil(folderId: string, expires_at: string, server_time?: string): Promise<void> {
  await store.keepKeyUntil(folderId, expires_at, server_time);
  await watchKeyExpiry();
}

export const { recallKey, dropSecret, forgetKey, forgetSlug, forgetAllKeys, dropExpired } = store;
