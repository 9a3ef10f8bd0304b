import { join } from 'node:path';
import type { KeyRows, Row } from '@satchel/client/keys/key-store';
import type { HoldLock } from '@satchel/client/send/ports';
import { readState, writeState } from './state-folder.ts';

const WAIT_MS = 10_000;

/** The folder keys of this device, in one file for each site. */
export function createKeyRows(siteFolder: string, hold: HoldLock): KeyRows {
  const path = join(siteFolder, 'keys.json');
  const all = async (): Promise<Row[]> => (await readState<Row[]>(path)) ?? [];

  async function replace(next: (rows: Row[]) => Row[]): Promise<void> {
    const release = await hold('keys', WAIT_MS);
    if (release === null) throw new Error('another satchel holds the keys');
    try {
      await writeState(path, next(await all()));
    } finally {
      release();
    }
  }

  return {
    all,
    put: (row) =>
      replace((rows) => [
        ...rows.filter(({ user_id, folder_id }) => user_id !== row.user_id || folder_id !== row.folder_id),
        row,
      ]),
    change: (matches, to) =>
      replace((rows) => rows.flatMap((row) => (matches(row) ? [to(row)].filter((next) => next !== null) : [row]))),
  };
}
