import type { Bytes, HoldLock, UploadEntry, UploadLog } from '../send/ports.ts';

/** Stores for tests: what they hold outlives the process that a test ends. */

const newestFirst = (entries: Iterable<UploadEntry>) => [...entries].sort((a, b) => b.createdAtMs - a.createdAtMs);

export function memoryLog(): UploadLog {
  const entries = new Map<string, UploadEntry>();
  const tags = new Map<string, Map<number, Bytes>>();
  const remove = (id: string) => {
    entries.delete(id);
    tags.delete(id);
  };
  return {
    find: async (place) => newestFirst(entries.values()).filter((entry) => entry.place === place),
    list: async () => newestFirst(entries.values()),
    get: async (id) => entries.get(id) ?? null,
    create: async (entry) => void entries.set(entry.id, entry),
    async setUrl(id, url) {
      const entry = entries.get(id);
      if (entry) entries.set(id, { ...entry, url });
    },
    async appendTags(id, firstChunk, added) {
      if (!entries.has(id)) throw new Error('The log entry of this upload was deleted');
      const blocks = tags.get(id) ?? new Map<number, Bytes>();
      tags.set(id, blocks.set(firstChunk, added.slice()));
    },
    async readTags(id) {
      const blocks = [...(tags.get(id) ?? [])].sort(([a], [b]) => a - b);
      return new Uint8Array(await new Blob(blocks.map(([, block]) => block)).arrayBuffer());
    },
    remove: async (id) => remove(id),
    async purgeExpired(nowMs) {
      for (const { id, expiresAtMs } of entries.values()) if (expiresAtMs <= nowMs) remove(id);
    },
    close: () => undefined,
  };
}

export function memoryLocks(): HoldLock {
  const held = new Set<string>();
  return async (name) => {
    if (held.has(name)) return null;
    held.add(name);
    return () => void held.delete(name);
  };
}
