import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, newestMigration, schemaStepOf } from '../../platform/database/db.ts';
import { isMissing } from '../../platform/durable-file.ts';
import { backup } from './backup.ts';

/**
 * Backs the rows up before a migration changes them, so that the version of before can be put back. These backups have
 * e-mail addresses, also of accounts that are deleted since: few are kept, and not for long.
 */

const KEPT = 3;
/** Most folders of before have ended by then. */
const KEPT_DAYS = 3;
const DAY_MS = 86_400_000;
const NAME = /^(\d{4}-\d{2}-\d{2})T\d{2}-\d{2}-\d{2}Z-step-\d+$/;

const folderOf = (dataDir: string): string => join(dataDir, 'backups');
const nameAt = (nowMs: number, step: number): string =>
  `${new Date(nowMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replaceAll(':', '-')}Z-step-${step}`;

/** Deletes all but the newest few, and those that are too old. What is not named as they are is left alone. */
export async function dropOldBackups(dataDir: string, nowMs = Date.now()): Promise<void> {
  const dir = folderOf(dataDir);
  const names = await readdir(dir).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const own = names.filter((name) => NAME.test(name)).sort();
  const isOld = (name: string) => nowMs - Date.parse(NAME.exec(name)![1]!) > KEPT_DAYS * DAY_MS;
  const old = own.filter((name, index) => index < own.length - KEPT || isOld(name));
  for (const name of old) await rm(join(dir, name), { recursive: true, force: true });
}

/**
 * Keys of Discord links are left out: the sealing secret may lie beside the backup, and a key that has ended must not come back.
 * @returns the folder of the backup; null where no migration is due, or the database is new
 */
export async function backUpBeforeMigration(db: Db, dataDir: string): Promise<string | null> {
  const step = await schemaStepOf(db);
  if (step === 0 || step >= newestMigration) return null;
  const dir = join(folderOf(dataDir), nameAt(Date.now(), step));
  try {
    await backup({ db, blobs: null, dir, leavesOutSealedKeys: true });
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
  await dropOldBackups(dataDir);
  return dir;
}
