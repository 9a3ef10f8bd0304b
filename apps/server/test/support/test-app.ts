import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../app.ts';
import { COMMANDS } from '../bot/commands.ts';
import { BOT_TIMES } from '../bot/interactions.ts';
import { TELL_TIMES } from '../bot/upload-replies.ts';
import { type Config, parseConfig } from '../config.ts';
import { CLIENT_GATE, createClientGate } from '../domain/client-gate.ts';
import type { Viewer } from '../domain/folders.ts';
import { upsertProfile } from '../domain/profiles.ts';
import { beginSession } from '../domain/sessions.ts';
import type { AppDeps, KeyedDeps } from '../http/deps.ts';
import { createLogger, reportTo } from '../http/log.ts';
import { PATIENCE } from '../http/patience.ts';
import { createDiskBlobs } from '../platform/blobs-disk.ts';
import type { Database } from '../platform/db.ts';
import { createDiscord } from '../platform/discord.ts';
import { createDiscordPictures } from '../platform/discord-pictures.ts';
import { createDiscordRest } from '../platform/discord-rest.ts';
import { createKeySealer } from '../platform/key-sealer.ts';
import { createKeyShares } from '../platform/key-shares.ts';
import { createTextSealer } from '../platform/text-sealer.ts';
import { createTokens } from '../platform/tokens.ts';
import { createVisitorSalts } from '../platform/visitor-salts.ts';
import { DISCORD_PUBLIC_KEY } from './discord-keys.ts';
import { openTestDatabase } from './test-database.ts';

/** Real parts throughout: an app on a port of its own, over HTTP, on a database and a data directory of its own. */

/** Somebody signed in. */
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
  /** Signs in as an account of that name, made at its first sign-in. */
  signIn(name: string): Promise<Account>;
  /** A call as a page of this site makes it: same origin, JSON, and the cookie of `as`. */
  call(method: string, path: string, options?: { as?: Account | undefined; body?: unknown }): Promise<Response>;
  /** POST of a procedure; answers status and parsed body. */
  rpc<Body = unknown>(name: string, body: unknown, as?: Account): Promise<{ status: number; body: Body }>;
  close(): Promise<void>;
}

/** A port that nobody listens on, for whoever must know an address before it is served. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The Discord id of whoever signs in by that name; different names have different ones. */
export const idOf = (name: string) =>
  `1${[...name].map((character) => character.charCodeAt(0) % 100).join('')}`.slice(0, 18);

async function signInAs({ database, discord, tokens, config }: AppDeps, name: string): Promise<Account> {
  const profile = await upsertProfile(database.db, {
    discord_id: idOf(name),
    email: `${name}@example.org`,
    discord_username: name,
    discord_global_name: null,
    discord_discriminator: '0',
    discord_public_flags: 0,
    avatar_url: `${discord.cdnOrigin}/embed/avatars/0.png`,
    banner_url: null,
    accent_color: null,
  });
  const { token, session_id } = await beginSession(database.db, profile.id);
  const viewer = { profile_id: profile.id, session_id };
  const bearer = tokens.signBearer({ ...viewer, expiresAtMs: Date.now() + 600_000 });
  const cookieName = config.publicUrl.startsWith('https:') ? '__Host-sid' : 'sid';
  return { ...viewer, bearer, cookie: `${cookieName}=${token}` };
}

function makeDeps(config: Config, log: string[], database: Database): KeyedDeps {
  const logger = createLogger('info', { write: (line: string) => log.push(line) });
  const report = reportTo(logger, 'secret unlinked without being overwritten');
  const discord = createDiscord({ ...config.discord, redirectUri: `${config.publicUrl}/auth/v1/callback` });
  return {
    config,
    database,
    blobs: createDiskBlobs({ dir: join(config.dataDir, 'blobs') }),
    tokens: createTokens(Buffer.from(config.sessionSecret ?? '')),
    discord,
    pictures: createDiscordPictures({ cdnOrigin: discord.cdnOrigin, report: () => undefined }),
    keyService: null,
    keyShares: createKeyShares({ dir: config.keysDir, report }),
    keySealer: createKeySealer(Buffer.from(config.keySealingSecret ?? '')),
    visitorSalts: createVisitorSalts({ dir: join(config.dataDir, 'visitor-salts'), report }),
    web: null,
    logger,
    // Tests ask more than anybody would; those of the limits set their own.
    rateLimits: {},
    patience: PATIENCE,
    gate: createClientGate(CLIENT_GATE),
    descriptorLimits: { connections: 5000, transfers: 2500, perNetwork: 4000, transfersPerNetwork: 2000 },
    commands: COMMANDS,
    botTimes: BOT_TIMES,
    tellTimes: TELL_TIMES,
    discordRest: createDiscordRest({ apiUrl: config.discord.apiUrl, applicationId: config.discord.clientId }),
    replyTokens: createTextSealer(Buffer.from(config.sessionSecret ?? ''), 'reply tokens'),
  };
}

/**
 * Starts an app.
 * @param options.env settings besides those that a test needs anyway
 * @param options.deps parts to use instead of the usual ones
 */
export async function createTestApp(
  options: { env?: Record<string, string>; deps?: Partial<KeyedDeps> } = {},
): Promise<TestApp> {
  const port = Number(options.env?.PORT ?? (await freePort()));
  const dataDir = await mkdtemp(join(tmpdir(), 'satchel-test-'));
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
  const database = options.deps?.database ?? (await openTestDatabase());
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
    async close() {
      await app.close();
      await deps.database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
