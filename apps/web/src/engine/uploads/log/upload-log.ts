import type { UploadEntry, UploadLog } from '@satchel/client/send/ports';
import { CHUNK_TAG_BYTES } from '@satchel/contract/limits';
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { UPLOAD_LOG } from './upload-traces.ts';

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

const STRICT: IDBTransactionOptions = { durability: 'strict' };
const tagsOf = (id: string) => IDBKeyRange.bound([id, 0], [id, Number.MAX_SAFE_INTEGER]);

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
 * Opens the log. Every write is a transaction of durability "strict" (docs/container.md §5), so that what was logged outlives
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
