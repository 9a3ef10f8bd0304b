import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fsyncFolder, unlessMissing, writePrivately } from '../durable-file.ts';
import { deleteSecretFile, nameBeforeDeletion } from './secret-file.ts';

/** The properties that tell strangers apart; the server looks at no others. */
export interface Stranger {
  readonly address: string;
  readonly userAgent: string;
}

/** Makes pseudonyms that tell strangers apart for a day, without storing who they are. */
export interface VisitorSalts {
  /**
   * The pseudonym of a stranger in one folder for today. It can't be made again once the day is over, and differs in
   * each folder.
   */
  pseudonymOf(folderId: string, stranger: Stranger): Promise<string>;
  /** Purges the salts of past days; their bytes are overwritten. */
  purgePast(): Promise<void>;
}

export const SALT_BYTES = 32;
const PSEUDONYM_CHARACTERS = 22;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Encodes both as one string, differently for each pair. */
const described = ({ address, userAgent }: Stranger) => JSON.stringify([address, userAgent]);

export const pseudonymUnder = (salt: Buffer, folderId: string, stranger: Stranger): string =>
  createHmac('sha256', salt)
    .update(`${folderId} ${described(stranger)}`)
    .digest('base64url')
    .slice(0, PSEUDONYM_CHARACTERS);

/**
 * Salts on the disk of this machine, one 0600 file a day (UTC): outside the database, whose log would keep them, and
 * the same after a restart.
 * @param options.dir folder that holds nothing else
 * @param options.report is called for a salt that was unlinked without being overwritten
 * @param options.now the clock, for tests
 */
export function createVisitorSalts(options: {
  dir: string;
  report: (error: unknown) => void;
  now?: () => number;
}): VisitorSalts {
  const { dir, report, now = Date.now } = options;
  let current: { readonly day: string; readonly salt: Promise<Buffer> } | undefined;
  const today = () => new Date(now()).toISOString().slice(0, 'yyyy-mm-dd'.length);

  async function purgePast(): Promise<void> {
    const day = today();
    const names = await unlessMissing(readdir(dir), []);
    const past = new Set(names.map(nameBeforeDeletion).filter((name) => DAY.test(name) && name !== day));
    for (const name of past) await deleteSecretFile(join(dir, name), report);
    if (past.size > 0) await fsyncFolder(dir);
  }

  async function readOrMake(day: string): Promise<Buffer> {
    await purgePast();
    const path = join(dir, day);
    const kept = await unlessMissing(readFile(path, 'utf8'), '');
    const salt = Buffer.from(kept, 'base64url');
    // A shorter file was cut by a crash before it was used.
    if (salt.length === SALT_BYTES) return salt;
    const fresh = randomBytes(SALT_BYTES);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writePrivately(path, fresh.toString('base64url'));
    return fresh;
  }

  async function saltOfToday(): Promise<Buffer> {
    const day = today();
    if (current?.day !== day) {
      const salt = readOrMake(day);
      current = { day, salt };
      // The next visitor tries again.
      salt.catch(() => {
        current = undefined;
      });
    }
    return current.salt;
  }

  return {
    pseudonymOf: async (folderId, stranger) => pseudonymUnder(await saltOfToday(), folderId, stranger),
    async purgePast() {
      if (current?.day !== today()) current = undefined;
      await purgePast();
    },
  };
}
