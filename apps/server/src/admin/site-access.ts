import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { type CommandConfig, ConfigError } from '../config.ts';
import { causeOf } from '../platform/cause.ts';
import { type Database, openForCommand, openForReading } from '../platform/database/db.ts';
import { createKeyServiceClient } from '../platform/keys/key-service.ts';
import { createKeyShares, type LocalKeyShares } from '../platform/keys/key-shares.ts';
import {
  createTakenBackJournal,
  type JournalReader,
  type TakenBackJournal,
} from '../platform/keys/taken-back-journal.ts';
import { lockSite } from '../platform/site/site-lock.ts';
import { SiteLockError, type SiteRole } from '../platform/site/site-lock-keys.ts';

/** How an operator's command reaches the site: by the settings of the server, and beside it or in its place. */

/** Why a command can't run, in one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

function requireUrl({ databaseUrl }: CommandConfig): string {
  if (databaseUrl !== null) return databaseUrl;
  throw new ConfigError('DATABASE_URL: is missing. npm run admin finds the database that npm start runs');
}

const unusable = (setting: string) => (error: unknown) => {
  if (error instanceof SiteLockError) throw error;
  throw new CommandError(`${setting}: the database can't be used (${causeOf(error)})`);
};

/** @param schema `own` for a command that needs the schema of this version, `any` for one that looks at it */
export async function withDatabase<Result>(
  config: CommandConfig,
  schema: 'own' | 'any',
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const open = schema === 'own' ? openForReading : openForCommand;
  const database = await open(requireUrl(config)).catch(unusable('DATABASE_URL'));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * Holds the site during the work: no server runs, and none can start.
 * @throws SiteLockError naming the process that has it
 */
export async function inPlaceOfServer<Result>(
  config: CommandConfig,
  roles: readonly SiteRole[],
  work: () => Promise<Result>,
): Promise<Result> {
  const setting = config.databaseLockUrl === null ? 'DATABASE_URL' : 'DATABASE_LOCK_URL';
  const lock = await lockSite({
    url: config.databaseLockUrl ?? requireUrl(config),
    setting,
    roles,
    dataDir: config.dataDir,
    name: `satchel command ${process.pid} on ${hostname()}`,
    report: () => undefined,
  }).catch(unusable(setting));
  try {
    return await Promise.race([work(), lock.lostForGood.then((lost) => Promise.reject(lost))]);
  } finally {
    await lock.release();
  }
}

/** What a server with these settings writes alone. */
export const rolesOf = ({ role, keyServiceUrl }: CommandConfig): readonly SiteRole[] => {
  if (role === 'keys') return ['keys'];
  return keyServiceUrl === null ? ['site', 'keys'] : ['site'];
};

export function requireDataDir({ dataDir }: CommandConfig): void {
  if (!existsSync(dataDir)) throw new CommandError(`DATA_DIR: ${dataDir} is not there`);
}

export function requireNode({ role }: CommandConfig): void {
  if (role === 'keys') throw new CommandError('SATCHEL_ROLE: a key service has no files; use the settings of a node');
}

/** Null when a key service on another machine stores them. */
export const ownShares = (
  { keyServiceUrl, keysDir }: CommandConfig,
  report: (error: unknown) => void = () => undefined,
): LocalKeyShares | null => (keyServiceUrl === null ? createKeyShares({ dir: keysDir, report }) : null);

/** Null when a key service on another machine has it. */
export const ownJournal = ({ keyServiceUrl, keysDir }: CommandConfig): TakenBackJournal | null =>
  keyServiceUrl === null ? createTakenBackJournal(keysDir) : null;

/** What was taken back on the site: from KEYS_DIR, or from the key service. */
export function journalOf(config: CommandConfig): JournalReader {
  const { keyServiceUrl: url, keyServiceSecret } = config;
  const own = ownJournal(config);
  if (own !== null || url === null) return own!;
  const { journal } = createKeyServiceClient({ url, secret: keyServiceSecret ?? '' });
  const unreachable = () => {
    throw new CommandError(`KEY_SERVICE_URL: ${url} does not say what was taken back since the backup; it has to run`);
  };
  return { read: () => journal.read().catch(unreachable) };
}
