import { PATHS } from '@satchel/contract/api';
import { sql } from 'drizzle-orm';
import { type Config, ConfigError } from '../config.ts';
import { tryBlobs, tryKeyShares } from '../domain/try-stores.ts';
import { BlobStoreError } from '../platform/blobs/blobs.ts';
import { openBlobs } from '../platform/blobs/open-blobs.ts';
import { innermost, isLate } from '../platform/cause.ts';
import { type Database, newestMigration, rowsOf, schemaStepOf } from '../platform/database/db.ts';
import { createDiscordApplication, DiscordRefusal } from '../platform/discord/discord-application.ts';
import { tryCredentials } from '../platform/discord/discord-oauth.ts';
import { WAY } from '../platform/request-way.ts';
import { createFreeSpace } from '../platform/site/free-space.ts';
import { diskWordsOf, NotWritableError, requireWritable } from '../platform/site/own-folders.ts';
import { CommandError, ownShares, requireDataDir, withDatabase } from './site-access.ts';

/** Tries what the settings name, as the server and people will use it. Each check has one line. */

export const CHECKS = {
  discord: 'Discord takes DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET',
  redirect: 'the application lists the address to which Discord sends people back; needs DISCORD_BOT_TOKEN',
  public_key: 'DISCORD_PUBLIC_KEY belongs to the application; needs DISCORD_BOT_TOKEN',
  address: 'PUBLIC_URL leads to a server of this site',
  proxy: 'the proxy passes on host and address of people, and TRUST_PROXY names it',
  clock: 'the clocks of this machine, of Discord and of the database agree',
  database: 'the database answers, and has the schema of this version',
  store: 'the store of files takes, gives back and deletes a byte',
  keys: 'KEYS_DIR, or the key service, does the same with a key share',
  disk: 'DATA_DIR can be written, and has more free than DISK_KEPT_FREE_BYTES',
} as const;
export type CheckName = keyof typeof CHECKS;

export interface CheckResult {
  readonly check: CheckName;
  readonly verdict: 'ok' | 'failed' | 'skipped';
  readonly text: string;
}

/** Discord's requests are good for five minutes; a machine that keeps its time is right to a second. */
const CLOCK_MAX_SECONDS = 30;
const TIMEOUT_MS = 10_000;

/** Why a check fails, in one line for the operator. */
class Failure extends Error {}
/** Why a check can't be made, which is no failure. */
class Skip extends Error {}

/** What is known to be one line without a secret is said; of all others the code, or the kind. */
function reasonOf(error: unknown): string {
  const known = [Failure, ConfigError, CommandError, NotWritableError, BlobStoreError];
  if (known.some((kind) => error instanceof kind)) return (error as Error).message;
  const cause = innermost(error) as NodeJS.ErrnoException | null;
  if (isLate(cause)) return 'no answer in time';
  return diskWordsOf(cause) ?? cause?.code ?? cause?.name ?? 'unknown';
}

async function fetchText(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  return { status: response.status, text: await response.text() };
}

/** What the checks find out and others need. */
interface Findings {
  /** Clocks of others, in milliseconds ahead of this machine's. */
  readonly clocks: Map<string, number>;
  way: string | null;
}

const redirectUriOf = ({ publicUrl }: Config): string => publicUrl + PATHS.oauthCallback;

async function tryDiscord(config: Config, { clocks }: Findings, now: () => number): Promise<string> {
  const { clientId } = config.discord;
  const options = { ...config.discord, readsGuilds: false, redirectUri: redirectUriOf(config) };
  const answer = await tryCredentials(options).catch((error: unknown) => {
    throw new Failure(`DISCORD_API_URL: Discord does not answer as expected (${reasonOf(error)})`);
  });
  if (answer.date) clocks.set('Discord', answer.date.getTime() - now());
  if (!answer.isTaken)
    throw new Failure(`DISCORD_CLIENT_SECRET: Discord does not take it for the application ${clientId}`);
  return `Discord takes the client secret of the application ${clientId}`;
}

async function readApplication({ discord: { apiUrl, botToken } }: Config) {
  if (botToken === null) throw new Skip('needs DISCORD_BOT_TOKEN, for this command alone');
  return createDiscordApplication({ apiUrl, botToken })
    .read()
    .catch((error: unknown) => {
      if (!(error instanceof DiscordRefusal)) throw error;
      throw new Failure(
        error.status === 401
          ? 'DISCORD_BOT_TOKEN: Discord does not take it'
          : `DISCORD_API_URL: Discord refused the call (${error.message})`,
      );
    });
}

async function tryRedirect(config: Config): Promise<string> {
  const uri = redirectUriOf(config);
  if (config.discord.botToken === null) {
    throw new Skip(`${uri} has to be among the application's redirects; with DISCORD_BOT_TOKEN this command looks`);
  }
  const { redirect_uris = [] } = await readApplication(config);
  if (!redirect_uris.includes(uri)) throw new Failure(`PUBLIC_URL: the application does not list ${uri} as a redirect`);
  return `the application lists ${uri}`;
}

async function tryPublicKey(config: Config): Promise<string> {
  const { id, verify_key } = await readApplication(config);
  const { clientId, publicKey } = config.discord;
  if (id !== clientId) throw new Failure(`DISCORD_CLIENT_ID: the token is of the application ${id}`);
  if (verify_key !== publicKey) throw new Failure(`DISCORD_PUBLIC_KEY: is another one than the application ${id} has`);
  return `it belongs to the application ${id}`;
}

async function tryAddress({ publicUrl }: Config, findings: Findings): Promise<string> {
  const { status, text } = await fetchText(publicUrl + PATHS.healthz).catch((error: unknown) => {
    throw new Failure(`PUBLIC_URL: ${publicUrl} does not answer (${reasonOf(error)}); does the server run?`);
  });
  const [first, program = ''] = text.split('\n');
  if (status !== 200 || first !== 'ok' || !program.startsWith('satchel ')) {
    throw new Failure(`PUBLIC_URL: ${publicUrl} leads to something else, which answers ${status}`);
  }
  findings.way = text;
  return `${publicUrl} is answered by ${program}`;
}

async function tryProxy({ publicUrl }: Config, { way }: Findings): Promise<string> {
  if (way === null) throw new Skip('PUBLIC_URL has to answer first');
  const isSaid = (line: string) => way.split('\n').includes(line);
  if (isSaid(WAY.foreignProxy)) {
    throw new Failure('TRUST_PROXY: does not name the proxy; all people share the limits of one address');
  }
  // The server itself speaks no TLS.
  if (isSaid(WAY.silentProxy) || (isSaid(WAY.noProxy) && publicUrl.startsWith('https:'))) {
    throw new Failure('TRUST_PROXY: the proxy sends no X-Forwarded-For; all people share the limits of one address');
  }
  if (isSaid(WAY.otherHost)) throw new Failure('PUBLIC_URL: the proxy does not pass on the header Host');
  return isSaid(WAY.noProxy) ? 'there is none' : 'it passes on host and address, and is trusted';
}

function tryClock({ clocks }: Findings): string {
  if (clocks.size === 0) throw new Skip('neither Discord nor the database says the time');
  for (const [who, aheadMs] of clocks) {
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    if (seconds <= CLOCK_MAX_SECONDS) continue;
    const direction = aheadMs > 0 ? 'behind' : 'ahead of';
    throw new Failure(`the clock of this machine is ${seconds} s ${direction} the clock of ${who}`);
  }
  return `it agrees with ${[...clocks.keys()].join(' and ')}`;
}

async function tryDatabase({ db }: Database, { clocks }: Findings, now: () => number): Promise<string> {
  const [row] = rowsOf<{ ms: string }>(
    await db.execute(sql`select extract(epoch from clock_timestamp()) * 1000 as ms`),
  );
  clocks.set('the database', Number(row!.ms) - now());
  const step = await schemaStepOf(db);
  if (step > newestMigration) throw new Failure(`the schema is at step ${step}, which is of a later version`);
  if (step < newestMigration) {
    throw new Failure(
      `the schema is at step ${step} of ${newestMigration}; the start of the server, or migrate, mends it`,
    );
  }
  return `it answers, with the schema of this version (step ${step})`;
}

async function tryDisk(config: Config): Promise<string> {
  const { dataDir, diskKeptFreeBytes, keysDir, keyServiceUrl } = config;
  // A command makes no folder that the server could not use, if another user runs it.
  requireDataDir(config);
  await requireWritable('DATA_DIR', dataDir);
  if (keyServiceUrl === null) await requireWritable('KEYS_DIR', keysDir);
  const space = createFreeSpace(dataDir, diskKeptFreeBytes);
  const free = (await space.read())?.freeBytes ?? null;
  if (await space.isShort()) {
    throw new Failure(`DISK_KEPT_FREE_BYTES: ${free} bytes are free, and no upload begins below ${diskKeptFreeBytes}`);
  }
  return free === null ? 'it can be written' : `it can be written, and has ${free} bytes free`;
}

async function tryKeys(config: Config, keyServiceUrl: string | null): Promise<string> {
  if (keyServiceUrl === null) {
    requireDataDir(config);
    await tryKeyShares(ownShares(config)!);
    return 'KEYS_DIR takes, gives back and deletes a key share';
  }
  const { status } = await fetchText(keyServiceUrl + PATHS.readyz).catch((error: unknown) => {
    throw new Failure(`KEY_SERVICE_URL: ${keyServiceUrl} does not answer (${reasonOf(error)})`);
  });
  if (status !== 200) throw new Failure(`KEY_SERVICE_URL: ${keyServiceUrl} is not ready`);
  return `the key service at ${keyServiceUrl} is ready`;
}

/**
 * Runs all checks, one after the other: none of them hurries, and their lines are read in this order.
 * @param now the clock of this machine
 */
export async function examine(config: Config, now: () => number = Date.now): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  const findings: Findings = { clocks: new Map(), way: null };
  const check = async (name: CheckName, run: () => string | Promise<string>) => {
    try {
      results.push({ check: name, verdict: 'ok', text: await run() });
    } catch (error) {
      const isSkipped = error instanceof Skip;
      const text = isSkipped ? error.message : reasonOf(error);
      results.push({ check: name, verdict: isSkipped ? 'skipped' : 'failed', text });
    }
  };
  const isNode = config.role !== 'keys';
  if (isNode) {
    await check('discord', () => tryDiscord(config, findings, now));
    await check('redirect', () => tryRedirect(config));
    await check('public_key', () => tryPublicKey(config));
    await check('address', () => tryAddress(config, findings));
    await check('proxy', () => tryProxy(config, findings));
  }
  await check('database', () => withDatabase(config, 'any', (database) => tryDatabase(database, findings, now)));
  await check('clock', () => tryClock(findings));
  if (isNode) {
    await check('store', () =>
      withDatabase(config, 'own', async ({ db }) => {
        await tryBlobs(db, await openBlobs(config));
        return 'it takes, gives back and deletes a byte';
      }),
    );
  }
  await check('keys', () => tryKeys(config, isNode ? config.keyServiceUrl : null));
  await check('disk', () => tryDisk(config));
  return results;
}
