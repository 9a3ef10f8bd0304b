import { encodeBase64Url } from '@satchel/container/base64url';
import { CHUNK_TAG_BYTES } from '@satchel/contract/limits';
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { UPLOAD_LOG } from './upload-traces.ts';

/**
 * The write-ahead log of uploads (CONTAINER §5): what a page that was reloaded or killed needs to go on, and to be sure
 * that a baseCounter never meets two contents. It holds no key and no readable file name.
 */
export interface UploadEntry {
  readonly id: string;
  /** Where it comes from and goes to, and which state of it this is: see `identify`. */
  readonly place: string;
  readonly fingerprint: string;
  /** Exactly the bytes before chunk 0, with the random baseCounter; null in a plain folder. */
  readonly prefix: Uint8Array<ArrayBuffer> | null;
  /** The stored name with the folder's path before it: tus metadata `objectName`. */
  readonly objectName: string;
  /** The label (CONTAINER §6), bound to `prefix` and the stored name; null in a plain folder. */
  readonly sealed: string | null;
  /** Upload-Length. */
  readonly bytesTotal: number;
  /** Where the server takes the bytes; null until it has said so. */
  readonly url: string | null;
  readonly createdAtMs: number;
  /** When the folder expires, and this entry with it. */
  readonly expiresAtMs: number;
}

/** The last segment of the object's path, to which its label is bound. */
export const storedNameOf = (objectName: string): string => objectName.slice(objectName.lastIndexOf('/') + 1);

/** The tags of consecutive chunks, one record for each slice sent: a 10 GB file makes some 1,700 of them. */
interface TagBlock {
  readonly id: string;
  readonly firstChunk: number;
  readonly tags: Uint8Array<ArrayBuffer>;
}

interface LogSchema extends DBSchema {
  uploads: { key: string; value: UploadEntry; indexes: { place: string; expiresAtMs: number } };
  tags: { key: [string, number]; value: TagBlock };
}

export interface FileIdentity {
  readonly userId: string;
  readonly folderId: string;
  readonly path: string;
  readonly file: Pick<File, 'size' | 'lastModified' | 'type'>;
}

export interface UploadLog {
  /** Entries of that place, newest first. */
  find(place: string): Promise<UploadEntry[]>;
  /** All entries, newest first. */
  list(): Promise<UploadEntry[]>;
  get(id: string): Promise<UploadEntry | null>;
  create(entry: UploadEntry): Promise<void>;
  setUrl(id: string, url: string): Promise<void>;
  /** Resolves once the tags are on disk; rejects when the entry was deleted. */
  appendTags(id: string, firstChunk: number, tags: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The tags of chunk 0 and all that follow without a gap, 32 bytes each. */
  readTags(id: string): Promise<Uint8Array<ArrayBuffer>>;
  remove(id: string): Promise<void>;
  /** Purges the entries of expired folders. */
  purgeExpired(nowMs: number): Promise<void>;
  close(): void;
}

const STRICT: IDBTransactionOptions = { durability: 'strict' };
const tagsOf = (id: string) => IDBKeyRange.bound([id, 0], [id, Number.MAX_SAFE_INTEGER]);

async function hashOf(parts: readonly (string | number)[]): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(parts)));
  return encodeBase64Url(new Uint8Array(digest));
}

/**
 * Tells files apart by hashes, so that no file name stays on the device. `place` is the account, the folder, and the
 * file's name (with the path below the directory that was chosen, if one was); `fingerprint` adds size, time of change,
 * and type, so that it changes when the file does.
 */
export async function identify(identity: FileIdentity): Promise<{ place: string; fingerprint: string }> {
  const { userId, folderId, path, file } = identity;
  const place = [userId, folderId, path];
  const [placeHash, fingerprint] = await Promise.all([
    hashOf(place),
    hashOf([...place, file.size, file.lastModified, file.type]),
  ]);
  return { place: placeHash, fingerprint };
}

const newestFirst = (entries: UploadEntry[]) => entries.sort((a, b) => b.createdAtMs - a.createdAtMs);

function joinWithoutGaps(blocks: readonly TagBlock[]): Uint8Array<ArrayBuffer> {
  let chunks = 0;
  const joined: Uint8Array[] = [];
  for (const block of blocks) {
    if (block.firstChunk !== chunks) break;
    joined.push(block.tags);
    chunks += block.tags.length / CHUNK_TAG_BYTES;
  }
  const tags = new Uint8Array(chunks * CHUNK_TAG_BYTES);
  let at = 0;
  for (const block of joined) {
    tags.set(block, at);
    at += block.length;
  }
  return tags;
}

function connect(): Promise<IDBPDatabase<LogSchema>> {
  return openDB<LogSchema>(UPLOAD_LOG.name, 1, {
    upgrade(db) {
      const uploads = db.createObjectStore(UPLOAD_LOG.store, { keyPath: 'id' });
      uploads.createIndex('place', 'place');
      uploads.createIndex('expiresAtMs', 'expiresAtMs');
      db.createObjectStore('tags', { keyPath: ['id', 'firstChunk'] });
    },
    blocking(_current, _blocked, event) {
      // A newer version of the page waits for this connection to close.
      (event.target as IDBDatabase).close();
    },
  });
}

async function removeEntry(db: IDBPDatabase<LogSchema>, id: string): Promise<void> {
  const tx = db.transaction(['uploads', 'tags'], 'readwrite', STRICT);
  await Promise.all([tx.objectStore('uploads').delete(id), tx.objectStore('tags').delete(tagsOf(id)), tx.done]);
}

async function changeEntry(db: IDBPDatabase<LogSchema>, id: string, change: Partial<UploadEntry>): Promise<void> {
  const tx = db.transaction('uploads', 'readwrite', STRICT);
  const entry = await tx.store.get(id);
  if (entry) await tx.store.put({ ...entry, ...change });
  await tx.done;
}

async function appendBlock(db: IDBPDatabase<LogSchema>, block: TagBlock): Promise<void> {
  const tx = db.transaction(['uploads', 'tags'], 'readwrite', STRICT);
  const done = tx.done;
  // Site data may be cleared during an upload: tags without their entry would never be purged.
  if ((await tx.objectStore('uploads').getKey(block.id)) === undefined) {
    tx.abort();
    await done.catch(() => undefined);
    throw new Error('The log entry of this upload was deleted');
  }
  await Promise.all([tx.objectStore('tags').put(block), done]);
}

async function purgeBefore(db: IDBPDatabase<LogSchema>, nowMs: number): Promise<void> {
  for (const id of await db.getAllKeysFromIndex('uploads', 'expiresAtMs', IDBKeyRange.upperBound(nowMs))) {
    await removeEntry(db, id);
  }
}

/**
 * Opens the log. Every write is a transaction of durability "strict" (CONTAINER §5), so that what was logged outlives
 * the machine's power, too.
 */
export async function openUploadLog(): Promise<UploadLog> {
  const db = await connect();
  return {
    find: async (place) => newestFirst(await db.getAllFromIndex('uploads', 'place', place)),
    list: async () => newestFirst(await db.getAll('uploads')),
    get: async (id) => (await db.get('uploads', id)) ?? null,
    async create(entry) {
      const tx = db.transaction('uploads', 'readwrite', STRICT);
      await Promise.all([tx.store.add(entry), tx.done]);
    },
    setUrl: (id, url) => changeEntry(db, id, { url }),
    appendTags: (id, firstChunk, tags) => appendBlock(db, { id, firstChunk, tags }),
    readTags: async (id) => joinWithoutGaps(await db.getAll('tags', tagsOf(id))),
    remove: (id) => removeEntry(db, id),
    purgeExpired: (nowMs) => purgeBefore(db, nowMs),
    close: () => db.close(),
  };
}
