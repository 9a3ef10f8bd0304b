import { resolve } from 'node:path';
import {
  DEFAULT_FOLDER_LIFETIME_HOURS,
  DEFAULT_FREE_STORAGE_BYTES,
  DEFAULT_MAX_FILE_BYTES,
  DEFAULT_MAX_FOLDER_FILES,
  DEFAULT_MAX_OPEN_FOLDERS,
  DEFAULT_MAX_OPEN_UPLOADS,
  OWN_LIST_MAX,
} from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import { z } from 'zod';
import { SecretFileError, WITH_FILE, withSecretFiles } from './secret-files.ts';
import {
  blobsUrl,
  cidrs,
  contactUrl,
  DEFAULT_DISK_KEPT_FREE_BYTES,
  discordApi,
  discordIds,
  FOLDER_FILES_MAX,
  guildIds,
  hours,
  integer,
  isFutureId,
  isLoopback,
  json,
  keyServiceUrl,
  pageUrl,
  publicUrl,
  secret,
  size,
  sizeOrNone,
  TierSettings,
  usercontentUrl,
} from './setting-types.ts';

/** Parses the settings (docs/settings.md), once. Only this file reads the environment. */

const required = (why: string) => z.string({ error: `is missing. ${why}` });
const databaseUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://');
const OPERATOR_NAME_MAX = 60;
const APPLICATION = 'Make an application at https://discord.com/developers/applications and see docs/deploy/compose.md';

const Environment = z.object({
  PORT: integer(1, 65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: publicUrl.optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_LOCK_URL: databaseUrl.optional(),
  KEYS_DIR: z.string().optional(),
  SESSION_SECRET: secret.optional(),
  KEY_SEALING_SECRET: secret.optional(),
  TRUST_PROXY: cidrs.default([]),
  CONNECTIONS_PER_NETWORK: integer(8, 100_000).optional(),
  DRAIN_SECONDS: integer(0, 300).default(0),
  MAX_FILE_BYTES: size.default(DEFAULT_MAX_FILE_BYTES),
  FREE_STORAGE_BYTES: size.default(DEFAULT_FREE_STORAGE_BYTES),
  FOLDER_LIFETIME_HOURS: hours.default(DEFAULT_FOLDER_LIFETIME_HOURS),
  MAX_OPEN_FOLDERS: integer(1, OWN_LIST_MAX).default(DEFAULT_MAX_OPEN_FOLDERS),
  MAX_FOLDER_FILES: integer(1, FOLDER_FILES_MAX).default(DEFAULT_MAX_FOLDER_FILES),
  MAX_OPEN_UPLOADS: integer(1, OWN_LIST_MAX).default(DEFAULT_MAX_OPEN_UPLOADS),
  TIERS: json
    .pipe(TierSettings)
    .refine((tiers) => !('free' in tiers), '"free" is set by FREE_STORAGE_BYTES, MAX_FILE_BYTES, FOLDER_LIFETIME_HOURS')
    .default({}),
  OPERATOR_DISCORD_IDS: discordIds.default([]),
  ALLOWED_GUILD_IDS: guildIds.default([]),
  ALLOWED_DISCORD_IDS: discordIds.default([]),
  SITE_STORAGE_BYTES: size.optional(),
  OPERATOR_NAME: z.string().trim().max(OPERATOR_NAME_MAX, `has at most ${OPERATOR_NAME_MAX} characters`).optional(),
  SOURCE_URL: pageUrl.optional(),
  DOCS_URL: pageUrl.optional(),
  PRIVACY_URL: pageUrl.optional(),
  TERMS_URL: pageUrl.optional(),
  CONTACT_URL: contactUrl.optional(),
  STATUS_URL: pageUrl.optional(),
  DISCORD_CLIENT_ID: required(APPLICATION),
  DISCORD_CLIENT_SECRET: required(APPLICATION),
  DISCORD_API_URL: discordApi.default('https://discord.com/api/v10'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
  BLOBS_URL: blobsUrl.optional(),
  BLOBS_ACCESS_KEY_ID: z.string().optional(),
  BLOBS_SECRET_ACCESS_KEY: z.string().optional(),
  BLOBS_DIRECT: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  SATCHEL_ROLE: z.enum(['all', 'keys'], { error: 'must be all or keys' }).default('all'),
  KEY_SERVICE_URL: keyServiceUrl.optional(),
  KEY_SERVICE_SECRET: secret.optional(),
  USERCONTENT_URL: usercontentUrl.optional(),
  DISCORD_PUBLIC_KEY: required(APPLICATION).regex(
    /^[0-9a-f]{64}$/i,
    'must be the 64 hex characters of the application’s page',
  ),
  DISCORD_BOT_TOKEN: z.string().optional(),
  METRICS_TOKEN: secret.optional(),
  DISK_KEPT_FREE_BYTES: sizeOrNone.default(DEFAULT_DISK_KEPT_FREE_BYTES),
});

type Settings = z.output<typeof Environment>;
/** The key service and the admin commands need no Discord application. */
const EnvironmentWithoutDiscord = Environment.extend({
  DISCORD_CLIENT_ID: z.string().default(''),
  DISCORD_CLIENT_SECRET: z.string().default(''),
  DISCORD_PUBLIC_KEY: z.string().default(''),
});

const SHARED_DATABASE = 'is missing. Key service and nodes share a PostgreSQL';
const SHARED_SECRET = 'is missing. Key service and nodes know each other by it';
const ELSEWHERE = 'belongs to the key service, and not to a node that has KEY_SERVICE_URL';

/** Checks the settings that divide keys between machines (decision 012), and names the first wrong one. */
function keyServiceProblem(settings: Settings): [name: keyof Settings, problem: string] | null {
  const missing = (name: keyof Settings, why: string) => (settings[name] === undefined ? ([name, why] as const) : null);
  const unwanted = (name: keyof Settings, why: string) =>
    settings[name] === undefined ? null : ([name, why] as const);
  const problems =
    settings.SATCHEL_ROLE === 'keys'
      ? [
          unwanted('KEY_SERVICE_URL', 'is for nodes, and this is the key service'),
          missing('DATABASE_URL', SHARED_DATABASE),
          missing('KEY_SERVICE_SECRET', SHARED_SECRET),
          missing('PUBLIC_URL', 'is missing. It is the address of the site whose keys these are'),
        ]
      : settings.KEY_SERVICE_URL === undefined
        ? [unwanted('KEY_SERVICE_SECRET', 'means nothing without KEY_SERVICE_URL or SATCHEL_ROLE=keys')]
        : [
            missing('DATABASE_URL', SHARED_DATABASE),
            missing('KEY_SERVICE_SECRET', SHARED_SECRET),
            unwanted('KEY_SEALING_SECRET', ELSEWHERE),
            unwanted('KEYS_DIR', ELSEWHERE),
          ];
  const [first] = problems.filter((problem) => problem !== null);
  return first ? [...first] : null;
}

/** Cookies are kept by host name, for every port. */
function originProblem({ USERCONTENT_URL, PUBLIC_URL = 'http://127.0.0.1' }: Settings) {
  const isSame = USERCONTENT_URL !== undefined && new URL(USERCONTENT_URL).hostname === new URL(PUBLIC_URL).hostname;
  return isSame ? ['USERCONTENT_URL', 'needs another host name than PUBLIC_URL: its origin must get no cookies'] : null;
}

/** What browsers fetch by themselves comes from a store that they reach, by a way as safe as the site's. */
function directProblem({ BLOBS_DIRECT, BLOBS_URL, PUBLIC_URL = 'http://127.0.0.1' }: Settings) {
  if (BLOBS_DIRECT === 'off') return null;
  const store = BLOBS_URL?.startsWith('s3:') ? new URL(BLOBS_URL) : null;
  if (store === null)
    return ['BLOBS_DIRECT', 'needs BLOBS_URL=s3://…: browsers fetch from an S3-compatible store only'];
  const isOutside = !isLoopback(new URL(PUBLIC_URL).hostname);
  const isInside = store.searchParams.get('endpoint')?.startsWith('http:') ?? false;
  return isInside && isOutside ? ['BLOBS_DIRECT', 'needs an endpoint in BLOBS_URL that browsers reach by https'] : null;
}

/** A stranger at Discord must not get the rights that a person of the sandbox had. */
function idsProblem(settings: Settings): [name: string, problem: string] | null {
  if (isLoopback(new URL(settings.DISCORD_API_URL).hostname)) return null;
  for (const name of ['OPERATOR_DISCORD_IDS', 'ALLOWED_DISCORD_IDS', 'ALLOWED_GUILD_IDS'] as const) {
    const id = settings[name].find(isFutureId);
    if (id !== undefined) return [name, `${id} is no id that Discord has given; the sandbox's ids look like this`];
  }
  return null;
}

function tiersOf(settings: Settings): Tiers {
  const further = Object.entries(settings.TIERS).map(([name, { storage, file, hours: lifetime }]) => [
    name,
    { storage_bytes: storage, max_file_bytes: file, folder_lifetime_hours: lifetime },
  ]);
  return {
    ...Object.fromEntries(further),
    free: {
      storage_bytes: settings.FREE_STORAGE_BYTES,
      max_file_bytes: settings.MAX_FILE_BYTES,
      folder_lifetime_hours: settings.FOLDER_LIFETIME_HOURS,
    },
  };
}

function configOf(settings: Settings) {
  const dataDir = resolve(settings.DATA_DIR);
  const { BLOBS_ACCESS_KEY_ID: id, BLOBS_SECRET_ACCESS_KEY: key } = settings;
  return {
    /** `keys` is the key service alone. */
    role: settings.SATCHEL_ROLE,
    port: settings.PORT,
    host: settings.HOST,
    /** Origin of the site, without a trailing slash. */
    publicUrl: new URL(settings.PUBLIC_URL ?? `http://127.0.0.1:${settings.PORT}`).origin,
    /** Origin from which the bytes of files come; null: the site's own. */
    usercontentUrl: settings.USERCONTENT_URL === undefined ? null : new URL(settings.USERCONTENT_URL).origin,
    dataDir,
    keysDir: settings.KEYS_DIR ? resolve(settings.KEYS_DIR) : resolve(dataDir, 'keys'),
    /** Null for the registration of the bot; the server does not start without it. */
    databaseUrl: settings.DATABASE_URL ?? null,
    /** Leads to the same database without a pooler; null when `databaseUrl` does. */
    databaseLockUrl: settings.DATABASE_LOCK_URL ?? null,
    /** Names the store of the blobs that all nodes of the site share; null: one process has them on its disk. */
    blobsUrl: settings.BLOBS_URL ?? null,
    /** Browsers fetch sealed files from the store itself. */
    blobsDirect: settings.BLOBS_DIRECT === 'on',
    /** Credentials of an S3-compatible store, as they were given. */
    blobsAccess: { id, key },
    /** Null: a secret is made in `dataDir/secrets`. */
    sessionSecret: settings.SESSION_SECRET ?? null,
    /** The secret that seals the keys of Discord links; null: one is made in `dataDir/secrets`. */
    keySealingSecret: settings.KEY_SEALING_SECRET ?? null,
    /** Origin of the key service; null when it runs in this process. */
    keyServiceUrl: settings.KEY_SERVICE_URL === undefined ? null : new URL(settings.KEY_SERVICE_URL).origin,
    /** The secret by which key service and nodes authenticate each other. */
    keyServiceSecret: settings.KEY_SERVICE_SECRET ?? null,
    trustProxy: settings.TRUST_PROXY,
    /** Connections and transfers that one network may hold at once; null: a fraction of the descriptors of the process. */
    connectionsPerNetwork: settings.CONNECTIONS_PER_NETWORK ?? null,
    /** How long a server that was asked to end still answers requests, while /readyz sends balancers away. */
    drainSeconds: settings.DRAIN_SECONDS,
    /** The limits of each tier; `free` always exists. */
    tiers: tiersOf(settings),
    caps: {
      open_folders: settings.MAX_OPEN_FOLDERS,
      folder_files: settings.MAX_FOLDER_FILES,
      open_uploads: settings.MAX_OPEN_UPLOADS,
    },
    /** Discord ids of the people who may use the operators' page. */
    operatorDiscordIds: settings.OPERATOR_DISCORD_IDS,
    /** Who may sign in; anyone when both lists are empty, and operators always. */
    admission: { guildIds: settings.ALLOWED_GUILD_IDS, discordIds: settings.ALLOWED_DISCORD_IDS },
    /** The most that all accounts together may use and reserve; null: no limit. */
    siteStorageBytes: settings.SITE_STORAGE_BYTES ?? null,
    /** Who runs the site, as its pages say it; null: its address. */
    operatorName: settings.OPERATOR_NAME || null,
    /** The links at the foot of each page. */
    links: {
      source: settings.SOURCE_URL ?? null,
      docs: settings.DOCS_URL ?? null,
      privacy: settings.PRIVACY_URL ?? null,
      terms: settings.TERMS_URL ?? null,
      contact: settings.CONTACT_URL ?? null,
      status: settings.STATUS_URL ?? null,
    },
    discord: {
      clientId: settings.DISCORD_CLIENT_ID,
      clientSecret: settings.DISCORD_CLIENT_SECRET,
      apiUrl: settings.DISCORD_API_URL.replace(/\/+$/, ''),
      /** Ed25519 public key, 64 hex characters, with which Discord signs interactions. */
      publicKey: settings.DISCORD_PUBLIC_KEY.toLowerCase(),
      /** For `npm run bot:register` alone; the server works without it. */
      botToken: settings.DISCORD_BOT_TOKEN ?? null,
    },
    logLevel: settings.LOG_LEVEL,
    /** When less than this is free on the disk of `dataDir`, no upload begins. */
    diskKeptFreeBytes: settings.DISK_KEPT_FREE_BYTES,
    /** Opens `/metrics` to callers on other machines; null: only callers on this machine get it. */
    metricsToken: settings.METRICS_TOKEN ?? null,
  };
}

export type Config = Readonly<ReturnType<typeof configOf>>;

/** An invalid setting. The message is one line that names it, and never contains a secret's value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

function readSecretFiles(env: Readonly<Record<string, string | undefined>>) {
  try {
    return withSecretFiles(env);
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(error.message) : error;
  }
}

/** Documentation and examples write these signs where a value belongs. */
const PLACEHOLDER = /[…<>]/;
/** Shorter names are not compared: other programs' variables resemble them. */
const NEAR_MIN_LENGTH = 8;
const SETTINGS = [...Object.keys(Environment.shape), ...WITH_FILE.map((name) => `${name}_FILE`)];

/** Whether two texts have a Levenshtein distance of at most `most`. Nearly all names differ more after a few characters. */
function isNear(one: string, other: string, most: number): boolean {
  if (Math.abs(one.length - other.length) > most) return false;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length && Math.min(...row) <= most; at += 1) {
    const next = [at + 1];
    for (let place = 0; place < other.length; place += 1) {
      const same = row[place]! + (one[at] === other[place] ? 0 : 1);
      next.push(Math.min(same, row[place + 1]! + 1, next[place]! + 1));
    }
    row = next;
  }
  return row.at(-1)! <= most;
}

/** Finds a misspelled name, which would be ignored, or a value that was never filled in, which would fail later. */
function slipIn(given: Readonly<Record<string, string | undefined>>): [name: string, problem: string] | null {
  for (const [name, value = ''] of Object.entries(given)) {
    if (SETTINGS.includes(name)) {
      if (PLACEHOLDER.test(value)) return [name, 'has a placeholder, …, < or >, in its value'];
    } else if (name.length >= NEAR_MIN_LENGTH) {
      const meant = SETTINGS.find((setting) => isNear(name.toUpperCase(), setting, 2));
      if (meant !== undefined) return [name, `is no setting; ${meant} is meant?`];
    }
  }
  return null;
}

/**
 * Parses the environment.
 * @param env an empty value counts as unset
 * @param options.isCommand true when the settings of Discord may be missing
 * @throws ConfigError
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>, { isCommand = false } = {}): Config {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  const given = readSecretFiles(Object.fromEntries(set));
  const slip = slipIn(given);
  if (slip) throw new ConfigError(slip.join(': '));
  const signsIn = !isCommand && given.SATCHEL_ROLE !== 'keys';
  const parsed = (signsIn ? Environment : EnvironmentWithoutDiscord).safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ConfigError(`${issue?.path.join('.')}: ${issue?.message}`);
  }
  const settings = parsed.data;
  const problem =
    keyServiceProblem(settings) ??
    originProblem(settings) ??
    directProblem(settings) ??
    (signsIn ? idsProblem(settings) : null);
  if (problem) throw new ConfigError(problem.join(': '));
  return configOf(settings);
}

/** The settings that a command needs which runs beside the server. */
export type CommandConfig = Pick<
  Config,
  | 'role'
  | 'dataDir'
  | 'blobsUrl'
  | 'blobsAccess'
  | 'keysDir'
  | 'databaseUrl'
  | 'databaseLockUrl'
  | 'keyServiceUrl'
  | 'keyServiceSecret'
  | 'sessionSecret'
  | 'tiers'
  | 'logLevel'
>;

export const loadCommandConfig = (): CommandConfig => parseConfig(process.env, { isCommand: true });

/** The settings of this process. */
export const loadConfig = (): Config => parseConfig(process.env);

/** A setting as it was understood, for people. */
export interface UnderstoodSetting {
  readonly name: string;
  /** Null if it is not set; of a secret, only where its value comes from. */
  readonly value: string | null;
  readonly is_default: boolean;
}

/** An address may hold a name and a password. */
const withoutUserInfo = (text: string): string => text.replace(/\/\/[^/@\s]*@/g, '//…@');

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(',') : 'none';
  return typeof value === 'object' ? JSON.stringify(value) : withoutUserInfo(String(value));
}

const SECRETS = new Set(WITH_FILE);

function secretWords(env: Readonly<Record<string, string | undefined>>, name: string, isSet: boolean): string | null {
  if (!isSet) return null;
  if (env[name]) return 'set';
  return env[`${name}_FILE`] ? `set, by ${name}_FILE` : 'set, by CREDENTIALS_DIRECTORY';
}

/**
 * Says what a server understands of its environment. Without Discord's settings they are not set, as beside the sandbox.
 * @throws ConfigError
 */
export function understandSettings(env: Readonly<Record<string, string | undefined>>): UnderstoodSetting[] {
  const isCommand = !env.DISCORD_CLIENT_ID;
  const config = parseConfig(env, { isCommand });
  const given = readSecretFiles(Object.fromEntries(Object.entries(env).filter(([, value]) => value)));
  const settings: Partial<Record<string, unknown>> = {
    ...Environment.partial().parse(given),
    PUBLIC_URL: config.publicUrl,
    DATA_DIR: config.dataDir,
    ...(config.keyServiceUrl === null && { KEYS_DIR: config.keysDir }),
  };
  return Object.keys(Environment.shape).map((name) => {
    const value = settings[name];
    if (SECRETS.has(name)) {
      return { name, value: secretWords(env, name, value !== undefined), is_default: false };
    }
    return { name, value: value === undefined ? null : wordsOf(value), is_default: !env[name] && value !== undefined };
  });
}

/** What this process understands. */
export const loadSettings = (): UnderstoodSetting[] => understandSettings(process.env);
