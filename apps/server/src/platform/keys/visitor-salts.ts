import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fsyncFolder, isMissing, writePrivately } from './durable-file.ts';
import { deleteSecretFile, nameBeforeDeletion } from './secret-file.ts';

/** What a stranger can be told apart by, and all that the server ever looks at of them. */
export interface Stranger {
  readonly address: string;
  readonly userAgent: string;
}

/** Tells strangers apart for a day without keeping who they are. */
export interface VisitorSalts {
  /**
   * A stranger's pseudonym in one folder for today. Nobody can make it again once the day is over, and no two folders know
   * a stranger by the same one.
   */
  pseudonymOf(folderId: string, stranger: Stranger): Promise<string>;
  /** Deletes the salts of days that are over; their bytes are overwritten. */
  forgetPast(): Promise<void>;
}

const SALT_BYTES = 32;
const PSEUDONYM_CHARACTERS = 22;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** As one string that no other address and user agent make. */
const described = ({ address, userAgent }: Stranger) => JSON.stringify([address, userAgent]);

/**
 * Salts on this machine's disk, one 0600 file a day (UTC): outside the database, whose log would remember them, and yet the
 * same after a restart.
 * @param options.dir a folder for nothing else
 * @param options.report told of salts that were unlinked without being overwritten
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

  async function forgetPast(): Promise<void> {
    const day = today();
    const names = await readdir(dir).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const past = new Set(names.map(nameBeforeDeletion).filter((name) => DAY.test(name) && name !== day));
    for (const name of past) await deleteSecretFile(join(dir, name), report);
    if (past.size > 0) await fsyncFolder(dir);
  }

  async function readOrMake(day: string): Promise<Buffer> {
    await forgetPast();
    const path = join(dir, day);
    const kept = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return '';
      throw error;
    });
    const salt = Buffer.from(kept, 'base64url');
    // Anything shorter was cut by a crash before it was used.
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
    async pseudonymOf(folderId, stranger) {
      const hmac = createHmac('sha256', await saltOfToday()).update(`${folderId} ${described(stranger)}`);
      return hmac.digest('base64url').slice(0, PSEUDONYM_CHARACTERS);
    },
    async forgetPast() {
      if (current?.day !== today()) current = undefined;
      await forgetPast();
    },
  };
}
