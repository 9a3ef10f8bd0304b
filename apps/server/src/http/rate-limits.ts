import { PATHS } from '@satchel/contract/api';
import { DEVICE_PATHS } from '@satchel/contract/device-code';
import { AppError } from '@satchel/contract/errors';
import { UPLOAD_SOCKET_PATH } from '@satchel/contract/upload-socket';
import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createRateLimiter, type RateLimit } from '../domain/base/rate-limits.ts';
import type { Database } from '../platform/database/db.ts';
import type { Tokens } from '../platform/keys/tokens.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { describeError } from './errors.ts';
import { networkOf } from './networks.ts';
import { CONTENT_PATH } from './storage/content-links.ts';

/** How much one client may ask for, by groups of routes. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * The limits, far above what honest people reach: a page of 2,000 files, an upload by four workers, an office behind
 * one address. A client is a signed-in person, or else a network.
 */
export const RATE_LIMITS = {
  /** All requests of one address, before any look-up: the limit for floods. */
  any: [{ max: 30_000, seconds: MINUTE }],
  /** Each costs a call to Discord; an office or a school shares one address. */
  sign_in: [{ max: 240, seconds: MINUTE }],
  /** A device that waits asks every five seconds, for ten minutes; its codes cost as much as ten such questions. */
  device_codes: [{ max: 600, seconds: MINUTE }],
  /** Codes that a person types: five guesses at one of 20^8 (RFC 8628 §5.1). */
  user_codes: [
    { max: 5, seconds: MINUTE },
    { max: 60, seconds: HOUR },
  ],
  /**
   * A folder's page reads some five times, and once more for each 100 files; a script may poll. An export counts 100.
   */
  reads: [{ max: 3000, seconds: MINUTE }],
  /** A browser begins one stream, and a new one for each folder that it opens; or it asks every 20 seconds. */
  changes: [{ max: 1200, seconds: MINUTE }],
  /** A folder's page shows its owner, and its Info tab up to 50 visitors. */
  pictures: [{ max: 3000, seconds: MINUTE }],
  /** People or their scripts create folders: a row and a key share each. */
  writes: [{ max: 1200, seconds: MINUTE }],
  /** Views and downloads: a zip reports each of its files. */
  events: [
    { max: 3000, seconds: MINUTE },
    { max: 20_000, seconds: HOUR },
  ],
  /** The same for one folder: how much false reports can add to its figures. */
  folder_events: [
    { max: 2400, seconds: MINUTE },
    { max: 5000, seconds: HOUR },
  ],
  /** One for each visit. Tokens can't be guessed; passphrases have their own limit (docs/container.md §3). */
  keys: [{ max: 600, seconds: MINUTE }],
  /** A grid of 2,000 files reads each, or eight stills for one; a player reads many short ranges of one. */
  objects: [{ max: 15_000, seconds: MINUTE }],
  /** A row and an empty blob each; a fast line sends some thirty small files a second. */
  upload_create: [
    { max: 6000, seconds: MINUTE },
    { max: 60_000, seconds: HOUR },
  ],
  /** 10 GB in pieces of 6 MiB are 1,600 requests; a fast line sends them within a minute. */
  upload_bytes: [{ max: 20_000, seconds: MINUTE }],
  /** One for each still that is stored, a blob; as many as files may come. */
  stills: [
    { max: 6000, seconds: MINUTE },
    { max: 60_000, seconds: HOUR },
  ],
  /** Written by hand, one at a time; operators read each. */
  reports: [
    { max: 10, seconds: MINUTE },
    { max: 60, seconds: HOUR },
  ],
  /** A few signed-in people. */
  operator: [{ max: 1200, seconds: MINUTE }],
  /** Commands, clicks and forms of one person in Discord, by hand. */
  commands: [{ max: 60, seconds: MINUTE }],
  /** One for each letter typed into an option with suggestions. */
  typing: [{ max: 600, seconds: MINUTE }],
  /** Unsigned posts to Discord's addresses, by network (http/discord/unsigned-posts). */
  unsigned: [{ max: 120, seconds: MINUTE }],
  /** The same for a network that also sends signed posts. */
  unsigned_beside_signed: [{ max: 6000, seconds: MINUTE }],
} as const satisfies Record<string, readonly RateLimit[]>;

export type RateGroup = keyof typeof RATE_LIMITS;
/** Limits by group; a missing group has none. */
export type RateLimits = Readonly<Partial<Record<RateGroup, readonly RateLimit[]>>>;

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const RECORD_EVENT = `${PATHS.rpc}/record_folder_event`;
/** Procedures are all POST; the names of reading ones begin with get_. */
const READING = new RegExp(`^(${PATHS.rpc}/get_|${PATHS.list}/)`);

const PICTURE = /\/:picture$/;

const beginsWith = (url: string, ...paths: string[]) => paths.some((path) => url.startsWith(path));

/**
 * The group of a route; null for pages, and for the routes of this machine and Discord.
 * @param url the route's template
 */
export function groupOf(method: string, url: string): RateGroup | null {
  if (beginsWith(url, PATHS.authorize, PATHS.oauthCallback, PATHS.redeemGrant, PATHS.redeemIntent)) return 'sign_in';
  if (url === DEVICE_PATHS.codes || url === DEVICE_PATHS.token) return 'device_codes';
  if (url === DEVICE_PATHS.find) return 'user_codes';
  if (url === RECORD_EVENT) return 'events';
  if (beginsWith(url, PATHS.resumable))
    return method === 'POST' && url === PATHS.resumable ? 'upload_create' : 'upload_bytes';
  if (url === UPLOAD_SOCKET_PATH) return 'upload_bytes';
  if (beginsWith(url, CONTENT_PATH)) return 'objects';
  if (beginsWith(url, PATHS.still)) return method === 'PUT' ? 'stills' : 'objects';
  if (url === CHANGES_PATH) return 'changes';
  if (beginsWith(url, PATHS.key)) return 'keys';
  if (beginsWith(url, PATHS.operator)) return 'operator';
  if (url === PATHS.reports && !READS.has(method)) return 'reports';
  if (PICTURE.test(url)) return 'pictures';
  const isSigning = method === 'POST' && beginsWith(url, PATHS.objectSign);
  if (isSigning || READING.test(url)) return 'reads';
  if (beginsWith(url, PATHS.object) && READS.has(method)) return 'objects';
  if (!beginsWith(url, '/auth/v1/', '/rest/v1/', '/storage/v1/', '/abuse/v1/')) return null;
  return READS.has(method) ? 'reads' : 'writes';
}

const COSTS: Readonly<Record<string, number>> = {
  [`POST ${DEVICE_PATHS.codes}`]: 10,
  [`GET ${PATHS.profileExport}`]: 100,
  [`GET ${PATHS.folders}`]: 5,
  [`POST ${PATHS.rpc}/get_folder_analytics`]: 3,
  [`POST ${PATHS.rpc}/delete_folder_complete`]: 5,
  [`DELETE ${PATHS.profileMe}`]: 20,
};
/** Rows that cost as much as a light read. */
const ROWS_A_UNIT = 100;
/** Stills that cost as much to read as an object. */
const STILLS_A_UNIT = 8;

/**
 * How many units of its group's limit a request takes: 1 for a light read, more for many rows.
 * @param url the route's template
 * @param body parsed
 */
export function costOf(method: string, url: string, body: unknown): number {
  const { limit, prefixes, names } = (body ?? {}) as { limit?: unknown; prefixes?: unknown; names?: unknown };
  if (url.startsWith(PATHS.still)) {
    if (method === 'PUT') return Array.isArray(body) ? Math.max(1, body.length) : 1;
    return Array.isArray(names) ? Math.ceil(names.length / STILLS_A_UNIT) : 1;
  }
  const isList = method === 'POST' && url.startsWith(`${PATHS.list}/`);
  if (isList && typeof limit === 'number') return Math.ceil(limit / ROWS_A_UNIT);
  const isRemoval = method === 'DELETE' && url.startsWith(PATHS.object);
  if (isRemoval && Array.isArray(prefixes)) return Math.max(1, Math.ceil(prefixes.length / ROWS_A_UNIT));
  return COSTS[`${method} ${url}`] ?? 1;
}

/** @throws request.too_many; on routes of uploads, upload.throttled */
function refuse(reply: FastifyReply, group: RateGroup | null, retry_after_seconds: number): never {
  reply.header('retry-after', String(retry_after_seconds));
  const isTus = group === 'upload_create' || group === 'upload_bytes';
  throw new AppError(isTus ? 'upload.throttled' : 'request.too_many', { retry_after_seconds });
}

/** A signed-in person, or else a network. */
export const clientOf = (request: FastifyRequest) => request.viewer?.profile_id ?? networkOf(request.ip);
const folderOf = (request: FastifyRequest) => (request.body as { folder_slug?: unknown } | null)?.folder_slug;

interface Deps {
  readonly rateLimits: RateLimits;
  readonly database: Database;
  readonly tokens: Tokens;
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
}

/**
 * Refuses clients above their limit, before their bodies are read. All nodes of one PostgreSQL count together.
 * @param isSpared true for a request that is counted elsewhere
 */
export function limitRates(
  app: FastifyInstance,
  { rateLimits, database, tokens, metrics, logger }: Deps,
  isSpared: (request: FastifyRequest) => boolean = () => false,
): void {
  const limiter = createRateLimiter({
    db: database.db,
    hash: tokens.hashForCounting,
    report: (error) => logger.error({ error: describeError(error) }, 'rate limit counts not shared'),
  });
  const groupOfRoute = ({ method, routeOptions }: FastifyRequest) => groupOf(method, routeOptions.url ?? '');
  const take = (reply: FastifyReply, what: RateGroup, client: string, group: RateGroup | null, units = 1) => {
    const waitSeconds = limiter.take(what, client, rateLimits[what] ?? [], units);
    if (waitSeconds === 0) return;
    metrics.rateRefusals.inc({ group: what });
    refuse(reply, group, waitSeconds);
  };

  app.addHook('onRequest', async (request, reply) => {
    if (!isSpared(request)) take(reply, 'any', networkOf(request.ip), groupOfRoute(request));
  });
  // By this hook, every scope has set its viewer.
  app.addHook('preParsing', async (request, reply) => {
    const group = groupOfRoute(request);
    if (group && !isSpared(request)) take(reply, group, clientOf(request), group);
  });
  // The cost above a light read is known once the body is parsed.
  app.addHook('preHandler', async (request, reply) => {
    const group = groupOfRoute(request);
    const more = costOf(request.method, request.routeOptions.url ?? '', request.body) - 1;
    if (group && more > 0 && !isSpared(request)) take(reply, group, clientOf(request), group, more);
    if (group === 'events') take(reply, 'folder_events', `${clientOf(request)} ${folderOf(request)}`, group);
  });
  app.addHook('onClose', () => limiter.close());
}
