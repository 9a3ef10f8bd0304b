import type { Server } from 'node:http';
import { join } from 'node:path';
import type { SQL } from 'drizzle-orm';
import { createApp } from '../../src/app.ts';
import { COMMANDS } from '../../src/bot/commands.ts';
import { BOT_TIMES } from '../../src/bot/interactions.ts';
import { TELL_TIMES } from '../../src/bot/upload/upload-replies.ts';
import { type Config, parseConfig } from '../../src/config.ts';
import type { Viewer } from '../../src/domain/access/find-folder.ts';
import { upsertProfile } from '../../src/domain/accounts/profiles.ts';
import { beginSession } from '../../src/domain/accounts/sessions.ts';
import { CLIENT_GATE, createClientGate } from '../../src/domain/base/client-gate.ts';
import type { AppDeps, KeyedDeps } from '../../src/http/deps.ts';
import { createLogger, reportTo } from '../../src/http/log.ts';
import { createReadiness } from '../../src/http/ops/readiness.ts';
import { createContentLinks } from '../../src/http/storage/content-links.ts';
import { TIMEOUTS } from '../../src/http/timeouts.ts';
import { createDiskBlobs } from '../../src/platform/blobs/blobs-disk.ts';
import { type Database, type Db, rowsOf } from '../../src/platform/database/db.ts';
import { createDiscord } from '../../src/platform/discord/discord-oauth.ts';
import { createDiscordPictures } from '../../src/platform/discord/discord-pictures.ts';
import { createDiscordRest } from '../../src/platform/discord/discord-rest.ts';
import { createKeySealer } from '../../src/platform/keys/key-sealer.ts';
import { createKeyShares } from '../../src/platform/keys/key-shares.ts';
import { createTakenBackJournal } from '../../src/platform/keys/taken-back-journal.ts';
import { createTextSealer } from '../../src/platform/keys/text-sealer.ts';
import { createTokens } from '../../src/platform/keys/tokens.ts';
import { createVisitorSalts } from '../../src/platform/keys/visitor-salts.ts';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import { createFreeSpace } from '../../src/platform/site/free-space.ts';
import { atEnd, openTestDatabase, takeFolder } from './at-end.ts';
import { DISCORD_PUBLIC_KEY } from './discord/discord-keys.ts';
import { freePort } from './free-port.ts';

/** Real parts throughout: an app on its own port, over HTTP, with its own database and data directory. */

/** A signed-in person. */
export interface Account extends Viewer {
  readonly cookie: string;
  /** For storage calls. */
  readonly bearer: string;
}

export interface TestApp {
  readonly baseUrl: string;
  readonly deps: KeyedDeps;
  readonly config: Config;
  readonly database: Database;
  readonly server: Server;
  /** Every line of the log so far. */
  readonly log: string[];
  /** Signs in the account of that name, created at its first sign-in. */
  signIn(name: string): Promise<Account>;
  /** A call like a page of this site's: same origin, JSON, and the cookie of `as`. */
  call(method: string, path: string, options?: { as?: Account | undefined; body?: unknown }): Promise<Response>;
  /** POST of a procedure; returns status and parsed body. */
  rpc<Body = unknown>(name: string, body: unknown, as?: Account): Promise<{ status: number; body: Body }>;
  /** The rows of a statement. */
  query<Row>(statement: SQL): Promise<Row[]>;
  /** Earlier than by itself. */
  close(): Promise<void>;
}

/** The Discord id of the person who signs in by that name; different names have different ids. */
export const idOf = (name: string) =>
  `1${[...name].map((character) => character.charCodeAt(0) % 100).join('')}`.slice(0, 18);

/** Creates the account of that name at its first sign-in, and a session. */
export async function beginSessionAs(db: Db, name: string, cdnOrigin = 'https://cdn.discordapp.com') {
  const profile = await upsertProfile(db, {
    discord_id: idOf(name),
    email: `${name}@example.org`,
    discord_username: name,
    discord_global_name: null,
    discord_discriminator: '0',
    discord_public_flags: 0,
    avatar_url: `${cdnOrigin}/embed/avatars/0.png`,
    banner_url: null,
    accent_color: null,
  });
  const { token, session_id } = await beginSession(db, profile.id);
  return { token, viewer: { profile_id: profile.id, session_id } };
}

async function signInAs({ database, discord, tokens, config }: AppDeps, name: string): Promise<Account> {
  const { token, viewer } = await beginSessionAs(database.db, name, discord.cdnOrigin);
  const bearer = tokens.signBearer({ ...viewer, expiresAtMs: Date.now() + 600_000 });
  const cookieName = config.publicUrl.startsWith('https:') ? '__Host-sid' : 'sid';
  return { ...viewer, bearer, cookie: `${cookieName}=${token}` };
}

/** Most tests look at an answer's content; tests of late answers set their own times. */
const UNHURRIED = { ...BOT_TIMES, deferAfterMs: 20_000, takeOverAfterMs: 30_000 };

function makeDeps(config: Config, log: string[], database: Database): KeyedDeps {
  const logger = createLogger('info', { write: (line: string) => log.push(line) });
  const report = reportTo(logger, 'secret unlinked without being overwritten');
  const discord = createDiscord({
    ...config.discord,
    readsGuilds: config.admission.guildIds.length > 0,
    redirectUri: `${config.publicUrl}/auth/v1/callback`,
  });
  return {
    config,
    database,
    changeChannel: null,
    blobs: createDiskBlobs({ dir: join(config.dataDir, 'blobs') }),
    direct: null,
    tokens: createTokens(Buffer.from(config.sessionSecret ?? '')),
    contentLinks: config.usercontentUrl
      ? createContentLinks(config.usercontentUrl, createTextSealer(Buffer.from(config.sessionSecret ?? ''), 'links'))
      : null,
    discord,
    pictures: createDiscordPictures({ cdnOrigin: discord.cdnOrigin, report: () => undefined }),
    keyService: null,
    keyShares: createKeyShares({ dir: config.keysDir, report }),
    keySealer: createKeySealer(Buffer.from(config.keySealingSecret ?? '')),
    journal: createTakenBackJournal(config.keysDir),
    visitorSalts: createVisitorSalts({ dir: join(config.dataDir, 'visitor-salts'), report }),
    web: null,
    logger,
    metrics: createMetrics(),
    freeSpace: createFreeSpace(config.dataDir, config.diskKeptFreeBytes),
    // Tests call more often than people; the tests of the limits set their own.
    rateLimits: {},
    // An app that a test closes waits for none of its uploads.
    timeouts: { ...TIMEOUTS, uploadEndMs: 0 },
    gate: createClientGate(CLIENT_GATE),
    readiness: createReadiness(),
    descriptorLimits: { connections: 5000, transfers: 2500, perNetwork: 4000, transfersPerNetwork: 2000 },
    commands: COMMANDS,
    botTimes: UNHURRIED,
    tellTimes: TELL_TIMES,
    discordRest: createDiscordRest({ apiUrl: config.discord.apiUrl, applicationId: config.discord.clientId }),
    replyTokens: createTextSealer(Buffer.from(config.sessionSecret ?? ''), 'reply tokens'),
  };
}

/**
 * Starts an app, which ends with the test or the file (`atEnd`).
 * @param options.env settings in addition to the usual ones
 * @param options.deps replace the usual parts
 */
export async function createTestApp(
  options: { env?: Record<string, string>; deps?: Partial<KeyedDeps> } = {},
): Promise<TestApp> {
  const port = Number(options.env?.PORT ?? (await freePort()));
  const dataDir = await takeFolder();
  const config = parseConfig({
    PORT: String(port),
    DATA_DIR: dataDir,
    SESSION_SECRET: 'a secret of this test, long enough to be one',
    KEY_SEALING_SECRET: 'a sealing secret of this test, as long as it must be',
    DISCORD_CLIENT_ID: '100000000000000001',
    DISCORD_CLIENT_SECRET: 'the client secret of this test',
    DISCORD_PUBLIC_KEY,
    DISCORD_API_URL: 'http://localhost:1/api/v10',
    ...options.env,
  });
  const log: string[] = [];
  const own = options.deps?.database ? null : await openTestDatabase();
  const database = options.deps?.database ?? own!;
  const deps = { ...makeDeps(config, log, database), ...options.deps };
  const app = createApp(deps);
  await app.listen({ port, host: '127.0.0.1' });
  const baseUrl = `http://127.0.0.1:${port}`;

  const call: TestApp['call'] = (method, path, { as, body } = {}) => {
    const headers = new Headers(method === 'GET' ? {} : { origin: config.publicUrl });
    if (as) headers.set('cookie', as.cookie);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const payload = body === undefined ? null : JSON.stringify(body);
    return fetch(baseUrl + path, { method, headers, body: payload, redirect: 'manual' });
  };

  let closed: Promise<void> | undefined;
  const close = () => (closed ??= app.close().then(() => own?.close()));
  atEnd(close);

  return {
    baseUrl,
    deps,
    config,
    database: deps.database,
    server: app.server,
    log,
    signIn: (name) => signInAs(deps, name),
    call,
    async rpc<Body>(name: string, body: unknown, as?: Account) {
      const response = await call('POST', `/rest/v1/rpc/${name}`, { as, body });
      const text = await response.text();
      return { status: response.status, body: (text ? JSON.parse(text) : null) as Body };
    },
    query: async <Row>(statement: SQL) => rowsOf<Row>(await deps.database.db.execute(statement)),
    close,
  };
}
