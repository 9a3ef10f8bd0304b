import type { Keyring } from '@satchel/container/keyring';
import type { Claim } from './folder-trust.ts';
import type { SealedLinkFields } from './link-parts.ts';

/**
 * The folder keys of this device (docs/container.md §3), by person and folder. They are deleted when
 * the folder expires or is deleted, and at sign-out when the person says so. Each row also pins what the folder is on this
 * device (docs/container.md §6). The pin outlives the keys: an answer "expired" must not unpin a folder.
 */

type Bytes = Uint8Array<ArrayBuffer>;

/** Both names of a folder. A server could give it another id under its slug. */
export interface FolderName {
  readonly folderId: string;
  readonly slug: string;
}

export interface RememberedKey {
  readonly slug: string;
  /** Link secret S; null for a key that came without one. */
  readonly secret: Bytes | null;
  /** The folder keys with their flags; `hidesNames` is what this person said last on this device. */
  readonly ring: Keyring;
  /** What the folder is on this device; null for a server's key that is kept to read with. */
  readonly mode: 'private' | 'discord' | null;
  /** What the person has answered with "Keep it private". */
  readonly kept: readonly Claim[];
  /** Secrets of earlier links of the folder, which this device has seen replaced: they open nothing any more. */
  readonly spent: readonly Bytes[];
  /** A new link that was sent to the server and whose answer has not come: it may be the folder's link. */
  readonly pending: PendingLink | null;
  readonly expires_at: string;
  /** The link that `secret` belongs to; a newer link of the folder makes `secret` useless. */
  readonly api_token: string | null;
  /** The server sent the key, so that it may seal in a Discord-link folder only (docs/container.md §3). */
  readonly is_servers: boolean;
}

export interface PendingLink {
  readonly ring: Keyring;
  readonly secret: Bytes;
  /** What the server is sent of it, so that a page that comes later can finish what this one has begun. */
  readonly fields: SealedLinkFields;
}

/** The remembered values that a person can change. */
export type PinChange = Partial<Pick<RememberedKey, 'ring' | 'mode' | 'kept'>>;

/** The keys that a client finds on the disk when it starts again. */
export type KeptKey = Pick<RememberedKey, 'secret' | 'ring'>;

/** What this device remembers of a folder. */
export interface Recalled {
  /** The keys that it has for this person; null when there are none. */
  readonly known: RememberedKey | null;
  /** The folder, or its slug, is remembered as encrypted, for this or for another person. */
  readonly isPinned: boolean;
}

export interface KeyToRemember extends Omit<RememberedKey, 'spent'> {
  readonly userId: string | null;
  readonly folderId: string;
}

interface PinRow {
  readonly user_id: string;
  readonly folder_id: string;
  readonly slug: string;
  /** Until when the folder counts as encrypted here, without its keys, too; by the server's clock. */
  readonly pinned_until_ms: number;
}
interface KeyRow extends PinRow, RememberedKey {}
export type Row = KeyRow | PinRow;

export interface KeyCount {
  readonly onDisk: number;
  /** Of rows that could not be written. */
  readonly inMemory: number;
}

export interface KeyStoreDeps {
  /**
   * Opens the rows on this device's disk; null where nothing can be kept.
   * @throws when there are rows that can't be read: keys must not be taken for missing ones
   */
  readonly openRows: () => Promise<KeyRows | null>;
  /** This device's clock, which may be wrong, and may be set at any time. */
  readonly nowMs: () => number;
  /** The server's clock; null while no answer has told it. */
  readonly serverTimeMs: () => number | null;
}

export type KeyStore = ReturnType<typeof createKeyStore>;

const ANONYMOUS = 'anonymous';
/** How long the server reserves the slug of an expired folder: no other folder gets it before. */
const PIN_AFTER_MS = 30 * 24 * 3_600_000;

/** Where a device keeps its rows. */
export interface KeyRows {
  /** Durable once it resolves, also against a power cut: a page then deletes the key from its address. */
  put(row: KeyRow): Promise<void>;
  /** Replaces the rows that match, or deletes rows for which `to` returns null; in one transaction. */
  change(matches: (row: Row) => boolean, to: (row: Row) => Row | null): Promise<void>;
  all(): Promise<Row[]>;
}

const hasKeys = (row: Row): row is KeyRow => 'ring' in row;

const isSame = (one: Bytes | null, other: Bytes): boolean => one?.every((byte, at) => byte === other[at]) === true;

/** The folder's dead secrets once its secret is `next`. */
const spentBy = ({ secret, spent }: KeyRow, next: Bytes | null): readonly Bytes[] =>
  secret === null || isSame(next, secret) ? spent : [...spent, secret];

/** A row without its keys: the pin alone. */
const pinOf = ({ user_id, folder_id, slug, pinned_until_ms }: Row): PinRow => ({
  user_id,
  folder_id,
  slug,
  pinned_until_ms,
});

/** When the keys of a row expire, or without keys its pin; by the server's clock. */
const endMs = (row: Row): number => (hasKeys(row) ? Date.parse(row.expires_at) : row.pinned_until_ms);

function memoryRows(): KeyRows {
  const rows = new Map<string, Row>();
  return {
    put: async (row) => {
      rows.set(`${row.user_id}/${row.folder_id}`, row);
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

/** The rows on the disk, and in memory what could not be written there: a private window has no disk. */
function createRows(openRows: KeyStoreDeps['openRows']) {
  const memory = memoryRows();
  let opening: Promise<KeyRows | null> | null = null;
  const onDisk = (): Promise<KeyRows | null> => {
    opening ??= openRows();
    return opening;
  };
  /** Acts on the disk, again on a fresh connection if this one was closed. Null when there is no database. */
  const onDiskTwice = async <T>(act: (rows: KeyRows) => Promise<T>): Promise<T | null> => {
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
  /** For reading and keeping: on a full or broken disk the store works in memory. */
  const attempt = <T>(act: (rows: KeyRows) => Promise<T>): Promise<T | null> => onDiskTwice(act).catch(() => null);
  /** For deleting, which must not fail silently: the page tells the person that the keys are deleted. */
  const changeAll = async (matches: (row: Row) => boolean, to: (row: Row) => Row | null): Promise<void> => {
    await memory.change(matches, to);
    await onDiskTwice((rows) => rows.change(matches, to));
  };
  const changeKeys = async (matches: (row: Row) => boolean, to: (row: KeyRow) => KeyRow): Promise<void> => {
    const change = (rows: KeyRows) => rows.change(matches, (row) => (hasKeys(row) ? to(row) : row));
    await change(memory);
    await attempt(change);
  };
  return { memory, onDiskTwice, attempt, changeAll, changeKeys };
}

/** A store of folder keys. */
export function createKeyStore({ openRows, nowMs, serverTimeMs }: KeyStoreDeps) {
  const { memory, onDiskTwice, attempt, changeAll, changeKeys } = createRows(openRows);
  const keysOnDisk = async () => ((await attempt((disk) => disk.all())) ?? []).filter(hasKeys);
  const deleteRows = (matches: (row: Row) => boolean) => changeAll(matches, () => null);
  const changeOwn = (userId: string, folderId: string, change: Partial<RememberedKey>) =>
    changeKeys(
      (row) => row.user_id === userId && row.folder_id === folderId,
      (row) => ({ ...row, ...change }),
    );
  const pinnedUntilMs = (expires_at: string, before = 0) => Math.max(before, Date.parse(expires_at) + PIN_AFTER_MS);
  /** This device's clock has to agree: no answer of a server may unpin a folder. */
  const isPinOver = (row: Row, timeMs: number) => row.pinned_until_ms <= Math.min(timeMs, nowMs());
  /** Keys that the server's clock has outlived are not used, even while they are not purged. */
  const isUsable = (row: Row): row is KeyRow =>
    hasKeys(row) && endMs(row) > (serverTimeMs() ?? Number.NEGATIVE_INFINITY);

  return {
    /** @returns whether the keys are on the disk, and not in this page's memory alone */
    rememberKey: async ({ userId, folderId, ...known }: KeyToRemember): Promise<boolean> => {
      const user_id = userId ?? ANONYMOUS;
      const keep = async (rows: KeyRows): Promise<true> => {
        const before = (await rows.all()).find((row) => row.user_id === user_id && row.folder_id === folderId);
        const pinned_until_ms = pinnedUntilMs(known.expires_at, before?.pinned_until_ms);
        const spent = before && hasKeys(before) ? spentBy(before, known.secret) : [];
        await rows.put({ user_id, folder_id: folderId, ...known, spent, pinned_until_ms });
        return true;
      };
      const isKept = (await attempt(keep)) === true;
      if (!isKept) await keep(memory);
      return isKept;
    },
    /** The key that a client finds when it starts again: on the disk, not in memory alone. */
    recallKept: async (userId: string, folderId: string): Promise<KeptKey | null> => {
      const row = (await keysOnDisk()).find(({ user_id, folder_id }) => user_id === userId && folder_id === folderId);
      return row !== undefined && isUsable(row) ? row : null;
    },
    /**
     * What this device remembers of a folder. The slug counts, too: a server could give the folder another id.
     * @throws when there is a database that can't be read: what it says of the folder is not known then
     */
    recallFolder: async (userId: string | null, { folderId, slug }: FolderName): Promise<Recalled> => {
      const onDisk = await onDiskTwice((rows) => rows.all());
      const rows = [...(onDisk ?? []), ...(await memory.all())].filter(
        (row) => row.folder_id === folderId || row.slug === slug,
      );
      const own = rows.find((row) => row.user_id === (userId ?? ANONYMOUS) && row.folder_id === folderId);
      const isPinned = rows.some((row) => !isPinOver(row, serverTimeMs() ?? nowMs()));
      if (own === undefined || !isUsable(own)) return { known: null, isPinned };
      const { user_id: _user, folder_id: _folder, pinned_until_ms: _until, ...known } = own;
      return { known, isPinned };
    },
    /** A person's act on this device: what the folder is here. */
    changePin: (userId: string, folderId: string, change: PinChange) => changeOwn(userId, folderId, change),
    /** @param pending null once it is known that the link is not the folder's */
    keepPending: (userId: string, folderId: string, pending: PendingLink | null) =>
      changeOwn(userId, folderId, { pending }),
    /** When the folder's link is revoked: keeps the keys, for reading, and deletes the dead secret. */
    deleteSecret: (folderId: string) =>
      changeKeys(
        (row) => row.folder_id === folderId,
        (row) => ({ ...row, secret: null, spent: spentBy(row, null), pending: null }),
      ),
    /** When the folder has got more time, or less. */
    keepKeyUntil: (folderId: string, expires_at: string) =>
      changeKeys(
        (row) => row.folder_id === folderId,
        (row) => ({ ...row, expires_at, pinned_until_ms: pinnedUntilMs(expires_at, row.pinned_until_ms) }),
      ),
    /** At deletion: for every person who used this device. */
    deleteKey: (folderId: string) => deleteRows((row) => row.folder_id === folderId),
    /** When the server says that the folder has expired: deletes the keys and keeps the pin. */
    expireSlug: (slug: string) => changeAll((row) => row.slug === slug, pinOf),
    /** At sign-out, when asked to. */
    deleteAllKeys: () => deleteRows(() => true),
    /** When another tab deleted the keys on the disk; there may be new ones by the time this page hears of it. */
    deleteKeysInMemory: () =>
      memory.change(
        () => true,
        () => null,
      ),
    /**
     * Purges the keys of folders that have expired; their pins stay longer.
     * @param timeMs what the server has just said of the time: this device's clock may have been set since the keys came
     */
    purgeExpired: (timeMs: number) =>
      changeAll(
        (row) => endMs(row) <= timeMs,
        (row) => (isPinOver(row, timeMs) ? null : pinOf(row)),
      ),
    countKeys: async (): Promise<KeyCount> => ({
      onDisk: (await keysOnDisk()).length,
      inMemory: (await memory.all()).filter(hasKeys).length,
    }),
    /** When the next key or pin expires by the server's clock, in milliseconds since the epoch, or null. */
    nextExpiryMs: async (): Promise<number | null> => {
      const rows = [...((await attempt((disk) => disk.all())) ?? []), ...(await memory.all())];
      return rows.length === 0 ? null : Math.min(...rows.map(endMs));
    },
  };
}
