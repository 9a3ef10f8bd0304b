import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATHS } from '@satchel/contract/api';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createApp, createKeyServiceApp } from './app.ts';
import { COMMANDS } from './bot/commands.ts';
import { BOT_TIMES } from './bot/interactions.ts';
import { TELL_TIMES } from './bot/upload/upload-replies.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { CLIENT_GATE, createClientGate } from './domain/base/client-gate.ts';
import { descriptorLimitsFor } from './domain/base/descriptor-budget.ts';
import { adoptIssuer, issuerChangeText, issuerOf } from './domain/issuer.ts';
import type { Report } from './domain/removal/delete-folder.ts';
import { sweep, sweepFolders, sweepKeys } from './domain/sweep.ts';
import { writeJournal } from './domain/taken-back.ts';
import type { AppDeps, KeyServiceDeps, KeysElsewhere, OwnKeys } from './http/deps.ts';
import { describeError } from './http/errors.ts';
import { createLogger, reportTo } from './http/log.ts';
import { createReadiness } from './http/ops/readiness.ts';
import { RATE_LIMITS } from './http/rate-limits.ts';
import { createContentLinks } from './http/storage/content-links.ts';
import { TIMEOUTS } from './http/timeouts.ts';
import { readWebFiles } from './http/web/web-files.ts';
import { type BlobStore, BlobStoreError } from './platform/blobs/blobs.ts';
import { createDirectAccess, logProblem } from './platform/blobs/direct/direct-access.ts';
import { openBlobs } from './platform/blobs/open-blobs.ts';
import { causeOf } from './platform/cause.ts';
import { createChangeChannel } from './platform/database/change-channel.ts';
import { type Database, openDatabase } from './platform/database/db.ts';
import { maxDescriptors } from './platform/descriptors.ts';
import { createDiscord } from './platform/discord/discord-oauth.ts';
import { createDiscordPictures } from './platform/discord/discord-pictures.ts';
import { createDiscordRest } from './platform/discord/discord-rest.ts';
import { keptSecret, SESSION_SECRET } from './platform/keys/kept-secret.ts';
import { createKeySealer } from './platform/keys/key-sealer.ts';
import { createKeyServiceClient } from './platform/keys/key-service.ts';
import { createKeyShares } from './platform/keys/key-shares.ts';
import { createSharedVisitorSalts } from './platform/keys/shared-visitor-salts.ts';
import { createTakenBackJournal } from './platform/keys/taken-back-journal.ts';
import { createTextSealer } from './platform/keys/text-sealer.ts';
import { createTokens } from './platform/keys/tokens.ts';
import { createVisitorSalts } from './platform/keys/visitor-salts.ts';
import { createMetrics, type Metrics } from './platform/metrics/metrics.ts';
import { createFreeSpace } from './platform/site/free-space.ts';
import { guardBlobs } from './platform/site/guarded-blobs.ts';
import { diskWordsOf, NotWritableError, requireWritable } from './platform/site/own-folders.ts';
import { commonSettings, ownRoles } from './platform/site/shared-site.ts';
import { SiteIdError } from './platform/site/site-id.ts';
import { lockSite, type SiteLock } from './platform/site/site-lock.ts';
import { SiteLockError } from './platform/site/site-lock-keys.ts';
import { WEB_DIR } from './program.ts';

/** Starts the server, sweeps regularly, and shuts down in order. */

/** How long open requests may run after the process was asked to end. */
const DRAIN_MS = 10_000;
const IDLE_CHECK_MS = 100;
/** At most 15 minutes may pass between the expiry of a folder and its sweep; jitter separates nodes. */
const SWEEP_EVERY_MS = 5 * 60_000;
const SWEEP_JITTER_MS = 60_000;
/** How long a sweep may take to its next step after the process was asked to end. */
const SWEEP_END_MS = 1000;

/** A failed start, as one line. */
class StartError extends Error {
  override readonly name = 'StartError';
}

function requireDatabaseUrl({ databaseUrl }: Config): string {
  if (databaseUrl !== null) return databaseUrl;
  throw new ConfigError('DATABASE_URL: is missing. It names a PostgreSQL; npm start runs one by itself');
}

const unusable = (setting: string) => (error: unknown) => {
  if (error instanceof SiteLockError) throw error;
  throw new StartError(`${setting}: the database can't be used (${causeOf(error)})`);
};

/** The lock that allows writes, and the database they go to. */
interface Site {
  readonly lock: SiteLock;
  readonly database: Database;
}

/** Takes the site before it opens the database: a second process is refused before it changes anything. */
async function takeSite(config: Config, logger: FastifyBaseLogger): Promise<Site> {
  const { dataDir, databaseLockUrl } = config;
  const url = requireDatabaseUrl(config);
  const setting = databaseLockUrl === null ? 'DATABASE_URL' : 'DATABASE_LOCK_URL';
  const lock = await lockSite({
    url: databaseLockUrl ?? url,
    setting,
    roles: ownRoles(config),
    common: config.blobsUrl === null ? null : commonSettings(config, await sessionSecretOf(config)),
    dataDir,
    name: `process ${process.pid} on ${hostname()}, with ${dataDir}`,
    report: (event) => logger.warn(`lock of the site ${event}`),
  }).catch(unusable(setting));
  const database = await openDatabase({ url: lock.nameWriters(url) }).catch(unusable('DATABASE_URL'));
  await lock.claim();
  void lock.lostForGood.then(fail);
  return { lock, database };
}

const secretOf = ({ dataDir }: Config, name: string, setting: string | null) =>
  keptSecret({ setting, dir: join(dataDir, 'secrets'), name });

const sessionSecretOf = (config: Config) => secretOf(config, SESSION_SECRET, config.sessionSecret);

const SEALING_SECRET = 'key-sealing-secret';
const NOT_OVERWRITTEN = 'secret unlinked without being overwritten';

async function ownKeys(config: Config, logger: FastifyBaseLogger): Promise<OwnKeys> {
  return {
    keyService: null,
    keyShares: createKeyShares({ dir: config.keysDir, report: reportTo(logger, NOT_OVERWRITTEN) }),
    keySealer: createKeySealer(await secretOf(config, SEALING_SECRET, config.keySealingSecret)),
    journal: createTakenBackJournal(config.keysDir),
  };
}

/**
 * Refuses key shares or a sealing secret from before the key service: they would stay beside the database's
 * credentials, and in every backup.
 */
function refuseLeftKeys({ dataDir, keysDir }: Config): void {
  const secret = join(dataDir, 'secrets', SEALING_SECRET);
  const inKeysDir = existsSync(keysDir) ? readdirSync(keysDir, { recursive: true, withFileTypes: true }) : [];
  const hasShares = inKeysDir.some((entry) => !entry.isDirectory());
  const left = [...(existsSync(secret) ? [secret] : []), ...(hasShares ? [keysDir] : [])].join(' and ');
  if (left)
    throw new StartError(
      `KEY_SERVICE_URL: ${left} must move to the key service's machine (docs/deploy/nodes-and-store.md)`,
    );
}

function keysElsewhere(config: Config, url: string, metrics: Metrics): KeysElsewhere {
  const keyService = createKeyServiceClient({
    url,
    secret: config.keyServiceSecret ?? '',
    observe: (outcome, seconds) => metrics.keyServiceSeconds.observe({ outcome }, seconds),
  });
  return { keyService, keyShares: keyService.keyShares, keySealer: keyService.keySealer };
}

async function connectKeyService(config: Config, logger: FastifyBaseLogger, site: Site): Promise<KeyServiceDeps> {
  return {
    config,
    tokens: createTokens(await sessionSecretOf(config)),
    ...(await ownKeys(config, logger)),
    logger,
    metrics: createMetrics({ ofProcess: true }),
    freeSpace: createFreeSpace(config.dataDir, config.diskKeptFreeBytes),
    database: site.database,
    rateLimits: RATE_LIMITS,
    timeouts: TIMEOUTS,
    gate: createClientGate(CLIENT_GATE),
    readiness: createReadiness(),
    descriptorLimits: descriptorLimitsFor(maxDescriptors(), config.connectionsPerNetwork),
  };
}

const contentLinksOf = ({ usercontentUrl }: Config, sessionSecret: Buffer) =>
  usercontentUrl === null
    ? null
    : createContentLinks(usercontentUrl, createTextSealer(sessionSecret, 'user content links'));

async function openDirect({ blobsDirect, publicUrl }: Config, logger: FastifyBaseLogger, blobs: BlobStore) {
  if (!blobsDirect || !blobs.direct) return null;
  return createDirectAccess({ store: await blobs.direct(), pageOrigin: publicUrl, report: logProblem(logger) });
}

/** The blobs, and the salts of visitors: beside each other on one disk, or shared by all nodes. */
async function openStores(config: Config, logger: FastifyBaseLogger, { database, lock }: Site, sessionSecret: Buffer) {
  const blobs = await openBlobs(config);
  if (config.blobsUrl !== null) {
    const sealer = createTextSealer(sessionSecret, 'visitor salts');
    const direct = await openDirect(config, logger, blobs);
    return { blobs, direct, visitorSalts: createSharedVisitorSalts({ db: database.db, sealer }) };
  }
  const dir = join(config.dataDir, 'visitor-salts');
  return {
    blobs: guardBlobs(blobs, lock),
    direct: null,
    visitorSalts: createVisitorSalts({ dir, report: reportTo(logger, NOT_OVERWRITTEN) }),
  };
}

async function connect(config: Config, logger: FastifyBaseLogger, site: Site): Promise<AppDeps> {
  const { keyServiceUrl: url } = config;
  const change = await adoptIssuer(site.database.db, issuerOf(config.discord));
  if (change) logger.warn(issuerChangeText(change));
  const metrics = createMetrics({ ofProcess: true });
  const keys = url === null ? await ownKeys(config, logger) : keysElsewhere(config, url, metrics);
  const sessionSecret = await sessionSecretOf(config);
  const discord = createDiscord({
    ...config.discord,
    readsGuilds: config.admission.guildIds.length > 0,
    redirectUri: config.publicUrl + PATHS.oauthCallback,
  });
  return {
    config,
    tokens: createTokens(sessionSecret),
    contentLinks: contentLinksOf(config, sessionSecret),
    ...keys,
    ...(await openStores(config, logger, site, sessionSecret)),
    discord,
    pictures: createDiscordPictures({
      cdnOrigin: discord.cdnOrigin,
      report: reportTo(logger, 'picture not fetched from Discord'),
    }),
    changeChannel: createChangeChannel(
      config.databaseLockUrl ?? requireDatabaseUrl(config),
      reportTo(logger, 'connection for changes of other nodes lost'),
    ),
    web: await readWebFiles(WEB_DIR),
    logger,
    metrics,
    freeSpace: createFreeSpace(config.dataDir, config.diskKeptFreeBytes),
    rateLimits: RATE_LIMITS,
    timeouts: TIMEOUTS,
    gate: createClientGate(CLIENT_GATE),
    readiness: createReadiness(),
    descriptorLimits: descriptorLimitsFor(maxDescriptors(), config.connectionsPerNetwork),
    commands: COMMANDS,
    botTimes: BOT_TIMES,
    tellTimes: TELL_TIMES,
    discordRest: createDiscordRest({
      apiUrl: config.discord.apiUrl,
      applicationId: config.discord.clientId,
      observe: (outcome) => metrics.followUps.inc({ outcome }),
    }),
    replyTokens: createTextSealer(sessionSecret, 'reply tokens'),
    database: site.database,
  };
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new StartError(`PORT: can't listen on ${host}:${port} (${causeOf(error)})`);
  }
}

/** Sweeps everything that has expired, except what the key service sweeps on its own machine. */
async function sweepAll({ config, database, ...deps }: AppDeps, report: Report, signal: AbortSignal): Promise<void> {
  const { blobs, visitorSalts, keyShares } = deps;
  const { db } = database;
  if (deps.keyService !== null) return sweepFolders({ db, blobs, visitorSalts, keyShares }, report, signal);
  const { keyShares: ownShares, journal } = deps;
  return sweep({ db, blobs, visitorSalts, keyShares: ownShares, journal, tiers: config.tiers }, report, signal);
}

type Sweep = (report: Report, signal: AbortSignal) => Promise<void>;

/** Sweeps now and every few minutes; `stop` ends a running sweep after its next small step. */
function startSweeping(
  sweepOnce: Sweep,
  { logger, metrics }: Pick<KeyServiceDeps, 'logger' | 'metrics'>,
): { stop(): Promise<void> } {
  const log = reportTo(logger, 'sweep failed');
  const report = (error: unknown) => {
    metrics.sweepFailures.inc();
    log(error);
  };
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = () => {
    const endTimer = metrics.sweepSeconds.startTimer();
    running = sweepOnce(report, signal).finally(() => {
      endTimer();
      metrics.sweptAt.setToCurrentTime();
      if (!signal.aborted) timer = setTimeout(run, SWEEP_EVERY_MS + Math.random() * SWEEP_JITTER_MS);
    });
  };
  run();
  return {
    stop() {
      stopping.abort();
      clearTimeout(timer);
      // A step that waits longer for a disk or a database is cut by the end of the process, which every step allows.
      return Promise.race([running, sleep(SWEEP_END_MS)]);
    },
  };
}

/** What was taken back waits at most this long for the journal. */
const JOURNAL_EVERY_MS = 1000;

/** Has the journal written until `stop`, which writes the rest; on the machine that holds the key shares. */
function startJournal(deps: AppDeps | KeyServiceDeps): { stop(): Promise<void> } {
  if (deps.keyService !== null) return { stop: async () => undefined };
  const { config, database, journal, logger } = deps;
  const report = reportTo(logger, 'journal not written');
  const write = () => writeJournal({ db: database.db, journal, tiers: config.tiers }).catch(report);
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let isOver = false;
  const run = () => {
    running = write().then(() => {
      if (!isOver) timer = setTimeout(run, JOURNAL_EVERY_MS);
    });
  };
  run();
  return {
    async stop() {
      isOver = true;
      clearTimeout(timer);
      await running;
      await write();
    },
  };
}

/**
 * Stops accepting requests, lets open ones finish for a while, then closes them; an upload can be resumed where it was
 * cut.
 */
async function drain(app: FastifyInstance): Promise<void> {
  // Closes connections between two requests, once no further request on them is answered: not while uploads end.
  const closeIdle = () => !app.server.listening && app.server.closeIdleConnections();
  const idle = setInterval(closeIdle, IDLE_CHECK_MS);
  const late = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearInterval(idle);
  clearTimeout(late);
}

const REFUSALS = [BlobStoreError, ConfigError, StartError, SiteLockError, SiteIdError, NotWritableError];
const isRefusal = (error: unknown): error is Error => REFUSALS.some((kind) => error instanceof kind);

/** Ends the process: with 2 if the disk can't be written, else with 1. */
function fail(error: unknown): never {
  const diskWords = diskWordsOf(error);
  if (isRefusal(error)) {
    process.stderr.write(`satchel: ${error.message}\n`);
  } else if (diskWords !== undefined) {
    const { path = 'DATA_DIR' } = error as NodeJS.ErrnoException;
    process.stderr.write(`satchel: could not start: ${path} can't be written (${diskWords})\n`);
  } else {
    process.stderr.write(`satchel: could not start: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
  process.exit(error instanceof NotWritableError || diskWords !== undefined ? 2 : 1);
}

async function openServer(config: Config, logger: FastifyBaseLogger, site: Site) {
  const deps = await connect(config, logger, site);
  return {
    deps,
    app: createApp(deps),
    sweepOnce: ((report, signal) => sweepAll(deps, report, signal)) satisfies Sweep,
  };
}

async function openKeyService(config: Config, logger: FastifyBaseLogger, site: Site) {
  const deps = await connectKeyService(config, logger, site);
  const { database, keyShares, journal } = deps;
  return {
    deps,
    app: createKeyServiceApp(deps),
    sweepOnce: ((report, signal) =>
      sweepKeys({ db: database.db, keyShares, journal, tiers: config.tiers }, report, signal)) satisfies Sweep,
  };
}

async function run(): Promise<void> {
  const config = loadConfig();
  requireDatabaseUrl(config);
  // Files of this process are for its own user only: DATA_DIR holds secrets and key shares.
  process.umask(0o077);
  await requireWritable('DATA_DIR', config.dataDir);
  if (config.keyServiceUrl === null) await requireWritable('KEYS_DIR', config.keysDir);
  if (config.keyServiceUrl !== null) refuseLeftKeys(config);
  const logger = createLogger(config.logLevel);
  const site = await takeSite(config, logger);
  const open = config.role === 'keys' ? openKeyService : openServer;
  const { deps, app, sweepOnce } = await open(config, logger, site);
  await listen(app, config);
  const sweeper = startSweeping(sweepOnce, deps);
  const journal = startJournal(deps);

  let signals = 0;
  const hurry = new AbortController();
  const end = async () => {
    signals += 1;
    if (signals > 1) return hurry.abort();
    deps.readiness.turnOff();
    // Balancers see it at their next look at /readyz, and send their requests elsewhere; a second signal ends the wait.
    await sleep(config.drainSeconds * 1000, undefined, { signal: hurry.signal }).catch(() => undefined);
    await Promise.all([drain(app), sweeper.stop()]);
    await journal.stop();
    await deps.database.close();
    await site.lock.release();
    process.exit(0);
  };
  const crash = (error: unknown) => {
    deps.logger.fatal({ error: describeError(error) }, 'unexpected');
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end().catch(crash));
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  // Only now: who reads it may send a signal at once.
  const what = config.role === 'keys' ? ', as the key service' : '';
  process.stdout.write(`satchel: listening on ${config.host}:${config.port}${what}, for ${config.publicUrl}\n`);
  if ('web' in deps && !deps.web) {
    process.stdout.write('satchel: the web application is not built; only the API answers\n');
  }
}

run().catch(fail);
