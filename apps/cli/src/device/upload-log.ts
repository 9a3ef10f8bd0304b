import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadEntry, UploadLog } from '@satchel/client/send/ports';
import { CHUNK_TAG_BYTES } from '@satchel/contract/limits';
import { FILE_MODE, namesIn, openDirectory, readState, removeState, writeState } from './state-folder.ts';

/**
 * The write-ahead log of uploads as files: `ID.json` has the entry, `ID.tags` the tags of its chunks. An upload begins only after
 * its entry is on the disk, and its bytes leave only after their tags are.
 */
export async function openUploadLog(siteFolder: string): Promise<UploadLog> {
  const folder = await openDirectory(join(siteFolder, 'uploads'));
  const entryAt = (id: string) => join(folder, `${id}.json`);
  const tagsAt = (id: string) => join(folder, `${id}.tags`);

  const get = (id: string) => readState<UploadEntry>(entryAt(id));
  async function list(): Promise<UploadEntry[]> {
    const ids = (await namesIn(folder)).flatMap((name) =>
      name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : [],
    );
    const entries = await Promise.all(ids.map(get));
    return entries.filter((entry) => entry !== null).sort((one, other) => other.createdAtMs - one.createdAtMs);
  }
  /** Tags never stand without their entry, which a kill would leave forever. An entry without tags begins afresh. */
  async function remove(id: string): Promise<void> {
    await removeState(tagsAt(id));
    await removeState(entryAt(id));
  }

  return {
    get,
    list,
    remove,
    find: async (place) => (await list()).filter((entry) => entry.place === place),
    async create(entry) {
      await writeState(entryAt(entry.id), entry);
      const tags = await open(tagsAt(entry.id), 'wx', FILE_MODE);
      await tags.close();
    },
    async setUrl(id, url) {
      const entry = await get(id);
      if (entry !== null) await writeState(entryAt(id), { ...entry, url });
    },
    async appendTags(id, firstChunk, tags) {
      // `r+` makes no file: it rejects once the entry is deleted.
      const file = await open(tagsAt(id), 'r+');
      try {
        await file.write(tags, 0, tags.length, firstChunk * CHUNK_TAG_BYTES);
        await file.datasync();
      } finally {
        await file.close();
      }
    },
    readTags: async (id) => new Uint8Array(await readFile(tagsAt(id)).catch(() => [])),
    async purgeExpired(nowMs) {
      for (const { id, expiresAtMs } of await list()) if (expiresAtMs <= nowMs) await remove(id);
    },
    close: () => undefined,
  };
}
