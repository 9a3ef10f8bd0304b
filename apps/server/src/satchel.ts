import { existsSync } from 'node:fs';
import { parseCommandLine, printedReport, UsageError } from './admin/command-line.ts';
import { type FsckReport, fsck } from './admin/fsck.ts';
import { type CommandConfig, ConfigError, loadCommandConfig } from './config.ts';
import { BlobStoreError } from './platform/blobs/blobs.ts';
import { openBlobs } from './platform/blobs/open-blobs.ts';
import { type Database, openForReading } from './platform/database/db.ts';
import { createKeyShares } from './platform/keys/key-shares.ts';

/**
 * The operator's commands, beside the server: `npm run satchel -- COMMAND`. They do not listen and use no network but
 * the database.
 */

const UNUSABLE = 2;
const FOUND = 1;
const RECHECK_PAUSE_MS = 2000;

/** Why a command can't run, in one line. */
class CommandError extends Error {
  override readonly name = 'CommandError';
}

const detailOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? detailOf(error.cause) : ((error as NodeJS.ErrnoException).code ?? error.message);
};

async function openConfigured({ databaseUrl }: CommandConfig): Promise<Database> {
  if (databaseUrl === null) {
    throw new ConfigError('DATABASE_URL: is missing. npm run satchel finds the database that npm start runs');
  }
  return openForReading(databaseUrl).catch((error: unknown) => {
    throw new CommandError(`DATABASE_URL: the database can't be used (${detailOf(error)})`);
  });
}

async function runFsck(config: CommandConfig, readsBlobs: boolean): Promise<FsckReport> {
  const { role, dataDir, keysDir, keyServiceUrl, tiers } = config;
  if (!existsSync(dataDir)) throw new CommandError(`DATA_DIR: ${dataDir} is not there`);
  const database = await openConfigured(config);
  try {
    return await fsck({
      db: database.db,
      dataDir,
      blobs: role === 'keys' ? null : await openBlobs(config),
      keyShares: keyServiceUrl === null ? createKeyShares({ dir: keysDir, report: () => undefined }) : null,
      tiers,
      readsBlobs,
      pauseMs: RECHECK_PAUSE_MS,
    });
  } finally {
    await database.close();
  }
}

/** @returns the exit code */
async function run(): Promise<number> {
  const command = parseCommandLine(process.argv.slice(2));
  if (command.name === 'help') {
    process.stdout.write(command.text);
    return 0;
  }
  const report = await runFsck(loadCommandConfig(), command.readsBlobs);
  const { out, err } = printedReport(report, command.isJson);
  process.stdout.write(out);
  process.stderr.write(err);
  return report.findings.length > 0 ? FOUND : 0;
}

function explain(error: unknown): number {
  const isKnown =
    error instanceof UsageError ||
    error instanceof ConfigError ||
    error instanceof BlobStoreError ||
    error instanceof CommandError;
  const text = isKnown ? error.message : `could not check: ${error instanceof Error ? error.stack : String(error)}`;
  process.stderr.write(`satchel: ${text}\n`);
  return UNUSABLE;
}

// Not process.exit: a pipe may not have taken the whole output yet.
process.exitCode = await run().catch(explain);
