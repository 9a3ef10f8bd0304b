import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PATHS } from '@satchel/contract/api';
import type { FastifyInstance } from 'fastify';
import { createApp } from './app.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { sweep } from './domain/removal.ts';
import type { AppDeps } from './http/deps.ts';
import { describeError } from './http/errors.ts';
import { createLogger } from './http/log.ts';
import { RATE_LIMITS } from './http/rate-limits.ts';
import { readWebFiles } from './http/web-files.ts';
import { createDiskBlobs } from './platform/blobs-disk.ts';
import { type Database, openDatabase } from './platform/db.ts';
import { createDiscord } from './platform/discord.ts';
import { keptSecret } from './platform/kept-secret.ts';
import { createKeySealer } from './platform/key-sealer.ts';
import { createKeyShares } from './platform/key-shares.ts';
import { type Lock, LockError, lockDirectory } from './platform/lock.ts';
import { createTokens } from './platform/tokens.ts';
import { createVisitorSalts } from './platform/visitor-salts.ts';

/** Starts, sweeps now and then, and ends in order. */

// The same from src/main.ts and from the bundle, dist/main.js.
const WEB_DIR = join(import.meta.dirname, '..', '..', 'web', 'dist');
/** How long open requests may go on once the process was asked to end. */
const DRAIN_MS = 10_000;
const IDLE_CHECK_MS = 100;
/** At most 15 minutes may pass between a folder's end and its sweep (DESIGN R11); jitter keeps nodes apart. */
const SWEEP_EVERY_MS = 5 * 60_000;
const SWEEP_JITTER_MS = 60_000;

/** A start that came to nothing, in one line for whoever started it. */
class StartError extends Error {
  override readonly name = 'StartError';
}

/** What went wrong, in a word: the innermost error knows best. */
function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? detailOf(error.cause) : ((error as NodeJS.ErrnoException).code ?? error.message);
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartError(`DATA_DIR: ${dataDir} can't be made or written (${detailOf(error)})`);
  }
}

async function openConfiguredDatabase({ databaseUrl, dataDir }: Config): Promise<Database> {
  try {
    return await openDatabase(databaseUrl ? { url: databaseUrl } : { dir: join(dataDir, 'db') });
  } catch (error) {
    throw new StartError(
      `${databaseUrl ? 'DATABASE_URL' : 'DATA_DIR'}: the database can't be used (${detailOf(error)})`,
    );
  }
}

async function connect(config: Config): Promise<AppDeps> {
  const secret = (name: string, setting: string | null) =>
    keptSecret({ setting, dir: join(config.dataDir, 'secrets'), name });
  return {
    config,
    tokens: createTokens(await secret('session-secret', config.sessionSecret)),
    keySealer: createKeySealer(await secret('key-sealing-secret', config.keySealingSecret)),
    blobs: createDiskBlobs({ dir: join(config.dataDir, 'blobs') }),
    keyShares: createKeyShares({ dir: config.keysDir }),
    visitorSalts: createVisitorSalts({ dir: join(config.dataDir, 'visitor-salts') }),
    discord: createDiscord({ ...config.discord, redirectUri: config.publicUrl + PATHS.oauthCallback }),
    web: await readWebFiles(WEB_DIR),
    logger: createLogger(config.logLevel),
    rateLimits: RATE_LIMITS,
    database: await openConfiguredDatabase(config),
  };
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new StartError(`PORT: can't listen on ${host}:${port} (${detailOf(error)})`);
  }
}

/** Sweeps now and every few minutes; `stop` waits for a sweep under way. */
function startSweeping({ config, database, blobs, keyShares, visitorSalts, logger }: AppDeps): {
  stop(): Promise<void>;
} {
  const report = (error: unknown) => logger.error({ error: describeError(error) }, 'sweep failed');
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let stopped = false;
  const run = () => {
    const { tiers } = config;
    running = sweep({ db: database.db, blobs, keyShares, visitorSalts, tiers }, report).finally(() => {
      if (!stopped) timer = setTimeout(run, SWEEP_EVERY_MS + Math.random() * SWEEP_JITTER_MS);
    });
  };
  run();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}

/** Stops accepting, lets open requests finish for a while, and then ends them: an upload goes on where it was cut. */
async function drain(app: FastifyInstance): Promise<void> {
  // A connection whose request has just been answered would be kept for a next one, which nobody will answer.
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const late = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearInterval(idle);
  clearTimeout(late);
}

function fail(error: unknown): never {
  if (error instanceof ConfigError || error instanceof StartError || error instanceof LockError) {
    process.stderr.write(`satchel: ${error.message}\n`);
  } else {
    process.stderr.write(`satchel: could not start: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
  process.exit(1);
}

async function run(): Promise<void> {
  const config = loadConfig();
  // Whatever this process writes is its own user's: the database's files hold names and addresses.
  process.umask(0o077);
  makeDataDir(config.dataDir);
  // One process a directory, with PostgreSQL too: stale writers of a blob on disk are fenced within the process only.
  const lock: Lock = await lockDirectory(config.dataDir);
  process.on('exit', () => lock.release());

  const deps = await connect(config);
  const app = createApp(deps);
  await listen(app, config);
  const sweeper = startSweeping(deps);
  process.stdout.write(`satchel: listening on ${config.host}:${config.port}, for ${config.publicUrl}\n`);
  if (!deps.web) process.stdout.write('satchel: the web application is not built; only the API answers\n');

  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    await Promise.all([drain(app), sweeper.stop()]);
    await deps.database.close();
    process.exit(0);
  };
  const crash = (error: unknown) => {
    deps.logger.fatal({ error: describeError(error) }, 'unexpected');
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end().catch(crash));
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}

run().catch(fail);
