import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATHS } from '@satchel/contract/api';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createApp, createKeyServiceApp } from './app.ts';
import { COMMANDS } from './bot/commands.ts';
import { BOT_TIMES } from './bot/interactions.ts';
import { TELL_TIMES } from './bot/upload-replies.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { CLIENT_GATE, createClientGate } from './domain/client-gate.ts';
import { descriptorLimitsFor } from './domain/descriptor-budget.ts';
import { sweepKeys } from './domain/key-sweep.ts';
import { type Report, sweep, sweepFolders } from './domain/removal.ts';
import type { AppDeps, KeyServiceDeps, KeysElsewhere, OwnKeys } from './http/deps.ts';
import { describeError } from './http/errors.ts';
import { createLogger, reportTo } from './http/log.ts';
import { PATIENCE } from './http/patience.ts';
import { RATE_LIMITS } from './http/rate-limits.ts';
import { readWebFiles } from './http/web-files.ts';
import { createDiskBlobs } from './platform/blobs-disk.ts';
import { type Database, openDatabase } from './platform/db.ts';
import { maxDescriptors } from './platform/descriptors.ts';
import { createDiscord } from './platform/discord.ts';
import { createDiscordPictures } from './platform/discord-pictures.ts';
import { createDiscordRest } from './platform/discord-rest.ts';
import { keptSecret } from './platform/kept-secret.ts';
import { createKeySealer } from './platform/key-sealer.ts';
import { createKeyServiceClient } from './platform/key-service.ts';
import { createKeyShares } from './platform/key-shares.ts';
import { type Lock, LockError, lockDirectory } from './platform/lock.ts';
import { createTextSealer } from './platform/text-sealer.ts';
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
/** How long a sweep may take to its next step once the process was asked to end. */
const SWEEP_END_MS = 1000;

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

function requireDatabaseUrl({ databaseUrl }: Config): string {
  if (databaseUrl !== null) return databaseUrl;
  throw new ConfigError('DATABASE_URL: is missing. It names a PostgreSQL; npm start runs one by itself');
}

async function openConfiguredDatabase(config: Config): Promise<Database> {
  const url = requireDatabaseUrl(config);
  try {
    return await openDatabase({ url });
  } catch (error) {
    throw new StartError(`DATABASE_URL: the database can't be used (${detailOf(error)})`);
  }
}

const secretOf = ({ dataDir }: Config, name: string, setting: string | null) =>
  keptSecret({ setting, dir: join(dataDir, 'secrets'), name });

const SEALING_SECRET = 'key-sealing-secret';
const NOT_OVERWRITTEN = 'secret unlinked without being overwritten';

async function ownKeys(config: Config, logger: FastifyBaseLogger): Promise<OwnKeys> {
  return {
    keyService: null,
    keyShares: createKeyShares({ dir: config.keysDir, report: reportTo(logger, NOT_OVERWRITTEN) }),
    keySealer: createKeySealer(await secretOf(config, SEALING_SECRET, config.keySealingSecret)),
  };
}

/** Shares or a secret of before would lie beside the database's credentials for good, and in every backup. */
function refuseLeftKeys({ dataDir, keysDir }: Config): void {
  const secret = join(dataDir, 'secrets', SEALING_SECRET);
  const inKeysDir = existsSync(keysDir) ? readdirSync(keysDir, { recursive: true, withFileTypes: true }) : [];
  const hasShares = inKeysDir.some((entry) => !entry.isDirectory());
  const left = [...(existsSync(secret) ? [secret] : []), ...(hasShares ? [keysDir] : [])].join(' and ');
  if (left) throw new StartError(`KEY_SERVICE_URL: ${left} must move to the key service's machine (docs/deploy.md)`);
}

/** @throws StartError when there are keys here, too */
function keysElsewhere(config: Config, url: string): KeysElsewhere {
  refuseLeftKeys(config);
  const keyService = createKeyServiceClient({ url, secret: config.keyServiceSecret ?? '' });
  return { keyService, keyShares: keyService.keyShares, keySealer: keyService.keySealer };
}

async function connectKeyService(config: Config): Promise<KeyServiceDeps> {
  const logger = createLogger(config.logLevel);
  return {
    config,
    tokens: createTokens(await secretOf(config, 'session-secret', config.sessionSecret)),
    ...(await ownKeys(config, logger)),
    logger,
    database: await openConfiguredDatabase(config),
    rateLimits: RATE_LIMITS,
    patience: PATIENCE,
    gate: createClientGate(CLIENT_GATE),
    descriptorLimits: descriptorLimitsFor(maxDescriptors(), config.connectionsPerNetwork),
  };
}

async function connect(config: Config): Promise<AppDeps> {
  const logger = createLogger(config.logLevel);
  const { keyServiceUrl: url } = config;
  const keys = url === null ? await ownKeys(config, logger) : keysElsewhere(config, url);
  const sessionSecret = await secretOf(config, 'session-secret', config.sessionSecret);
  const discord = createDiscord({ ...config.discord, redirectUri: config.publicUrl + PATHS.oauthCallback });
  return {
    config,
    tokens: createTokens(sessionSecret),
    ...keys,
    blobs: createDiskBlobs({ dir: join(config.dataDir, 'blobs') }),
    visitorSalts: createVisitorSalts({
      dir: join(config.dataDir, 'visitor-salts'),
      report: reportTo(logger, NOT_OVERWRITTEN),
    }),
    discord,
    pictures: createDiscordPictures({
      cdnOrigin: discord.cdnOrigin,
      report: reportTo(logger, 'picture not fetched from Discord'),
    }),
    web: await readWebFiles(WEB_DIR),
    logger,
    rateLimits: RATE_LIMITS,
    patience: PATIENCE,
    gate: createClientGate(CLIENT_GATE),
    descriptorLimits: descriptorLimitsFor(maxDescriptors(), config.connectionsPerNetwork),
    commands: COMMANDS,
    botTimes: BOT_TIMES,
    tellTimes: TELL_TIMES,
    discordRest: createDiscordRest({ apiUrl: config.discord.apiUrl, applicationId: config.discord.clientId }),
    replyTokens: createTextSealer(sessionSecret, 'reply tokens'),
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

/** What a server frees: all that has expired, or all but what only the key service on its own machine can. */
function sweepAll({ config, database, ...deps }: AppDeps, report: Report, signal: AbortSignal): Promise<void> {
  const { blobs, visitorSalts, keyShares } = deps;
  const { db } = database;
  if (deps.keyService !== null) return sweepFolders({ db, blobs, visitorSalts, keyShares }, report, signal);
  return sweep({ db, blobs, visitorSalts, keyShares: deps.keyShares, tiers: config.tiers }, report, signal);
}

type Sweep = (report: Report, signal: AbortSignal) => Promise<void>;

/** Sweeps now and every few minutes; `stop` ends a sweep under way after its next small step. */
function startSweeping(sweepOnce: Sweep, logger: FastifyBaseLogger): { stop(): Promise<void> } {
  const report = reportTo(logger, 'sweep failed');
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = () => {
    running = sweepOnce(report, signal).finally(() => {
      if (!signal.aborted) timer = setTimeout(run, SWEEP_EVERY_MS + Math.random() * SWEEP_JITTER_MS);
    });
  };
  run();
  return {
    stop() {
      stopping.abort();
      clearTimeout(timer);
      // A step that waits for a disk or a database longer than that is cut by the process's end, as any step may be.
      return Promise.race([running, sleep(SWEEP_END_MS)]);
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

async function openServer(config: Config) {
  const deps = await connect(config);
  return {
    deps,
    app: createApp(deps),
    sweepOnce: ((report, signal) => sweepAll(deps, report, signal)) satisfies Sweep,
  };
}

async function openKeyService(config: Config) {
  const deps = await connectKeyService(config);
  const { database, keyShares } = deps;
  return {
    deps,
    app: createKeyServiceApp(deps),
    sweepOnce: ((report, signal) =>
      sweepKeys({ db: database.db, keyShares, tiers: config.tiers }, report, signal)) satisfies Sweep,
  };
}

async function run(): Promise<void> {
  const config = loadConfig();
  requireDatabaseUrl(config);
  // What this process writes is its own user's: secrets and key shares lie in DATA_DIR.
  process.umask(0o077);
  makeDataDir(config.dataDir);
  // One process a directory, with PostgreSQL too: stale writers of a blob on disk are fenced within the process only.
  const lock: Lock = await lockDirectory(config.dataDir);
  process.on('exit', () => lock.release());

  const { deps, app, sweepOnce } = config.role === 'keys' ? await openKeyService(config) : await openServer(config);
  await listen(app, config);
  const sweeper = startSweeping(sweepOnce, deps.logger);
  const what = config.role === 'keys' ? ', as the key service' : '';
  process.stdout.write(`satchel: listening on ${config.host}:${config.port}${what}, for ${config.publicUrl}\n`);
  if ('web' in deps && !deps.web) {
    process.stdout.write('satchel: the web application is not built; only the API answers\n');
  }

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
