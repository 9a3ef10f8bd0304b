import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createRateLimiter, type RateLimit } from '../domain/rate-limits.ts';
import type { Database } from '../platform/db.ts';
import type { Tokens } from '../platform/tokens.ts';
import { describeError } from './errors.ts';
import { networkOf } from './networks.ts';

/** How much one client may ask for, by groups of routes (DESIGN §6). */

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * The limits, far above what honest people reach: a page of 2,000 files, an upload by four workers, an office behind one
 * address. A client is whoever is signed in, else a network address.
 */
export const RATE_LIMITS = {
  /** Everything of one address, before anything is looked up: what a flood is cut to. */
  any: [{ max: 30_000, seconds: MINUTE }],
  /** Each costs a call to Discord; an office or a school signs in behind one address. */
  sign_in: [{ max: 240, seconds: MINUTE }],
  /** A folder's page asks some five times, and for each 100 files once more; a script may poll. An export counts 100. */
  reads: [{ max: 3000, seconds: MINUTE }],
  /** A folder's page shows its owner, and its Info tab up to 50 visitors. */
  pictures: [{ max: 3000, seconds: MINUTE }],
  /** Folders are made by hand, or by a script of the owner's: a row and a key share each. */
  writes: [{ max: 1200, seconds: MINUTE }],
  /** Telling of views and downloads: a zip tells of each of its files. */
  events: [
    { max: 3000, seconds: MINUTE },
    { max: 20_000, seconds: HOUR },
  ],
  /** And of one folder: what made-up downloads can add to its figures. */
  folder_events: [
    { max: 2400, seconds: MINUTE },
    { max: 5000, seconds: HOUR },
  ],
  /** One a visit. The tokens can't be guessed; passphrases have a limit of their own (CONTAINER §3). */
  keys: [{ max: 600, seconds: MINUTE }],
  /** A grid of 2,000 files asks for each; a player asks for many short ranges of one. */
  objects: [{ max: 15_000, seconds: MINUTE }],
  /** A row and an empty blob each; small files come at some thirty a second from a fast line. */
  upload_create: [
    { max: 6000, seconds: MINUTE },
    { max: 60_000, seconds: HOUR },
  ],
  /** 10 GB in pieces of 6 MiB are 1,600 requests, on a fast line within a minute. */
  upload_bytes: [{ max: 20_000, seconds: MINUTE }],
  /** By hand, one at a time; operators have to read them all. */
  reports: [
    { max: 10, seconds: MINUTE },
    { max: 60, seconds: HOUR },
  ],
  /** A few people, signed in. */
  operator: [{ max: 1200, seconds: MINUTE }],
  /** Of one person in Discord: commands, clicks and forms, by hand. */
  commands: [{ max: 60, seconds: MINUTE }],
  /** Each letter into an option that has suggestions. */
  typing: [{ max: 600, seconds: MINUTE }],
  /** Posts to the addresses for Discord without its signature, by network (http/unsigned-posts). */
  unsigned: [{ max: 120, seconds: MINUTE }],
  /** The same, of a network that properly signed posts come from, too. */
  unsigned_beside_signed: [{ max: 6000, seconds: MINUTE }],
} as const satisfies Record<string, readonly RateLimit[]>;

export type RateGroup = keyof typeof RATE_LIMITS;
/** Limits by group; a group that is not there has none. */
export type RateLimits = Readonly<Partial<Record<RateGroup, readonly RateLimit[]>>>;

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const RECORD_EVENT = `${PATHS.rpc}/record_folder_event`;
/** Procedures are all POST; those that only read are named so. */
const READING = new RegExp(`^(${PATHS.rpc}/get_|${PATHS.list}/)`);

const PICTURE = /\/:picture$/;

const beginsWith = (url: string, ...paths: string[]) => paths.some((path) => url.startsWith(path));

/**
 * To which group a route belongs; null for pages, and for what this machine and Discord ask.
 * @param url its template
 */
export function groupOf(method: string, url: string): RateGroup | null {
  if (beginsWith(url, PATHS.authorize, PATHS.oauthCallback, PATHS.redeemGrant, PATHS.redeemIntent)) return 'sign_in';
  if (url === RECORD_EVENT) return 'events';
  if (beginsWith(url, PATHS.resumable))
    return method === 'POST' && url === PATHS.resumable ? 'upload_create' : 'upload_bytes';
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
  [`GET ${PATHS.profileExport}`]: 100,
  [`GET ${PATHS.folders}`]: 5,
  [`POST ${PATHS.rpc}/get_folder_analytics`]: 3,
  [`POST ${PATHS.rpc}/delete_folder_complete`]: 5,
  [`DELETE ${PATHS.profileMe}`]: 20,
};
/** Rows that cost as much as a light read. */
const ROWS_A_UNIT = 100;

/**
 * How many units of its group's limit a request takes: 1 for a light read, more for what reads or writes many rows.
 * @param url the route's template
 * @param body parsed
 */
export function costOf(method: string, url: string, body: unknown): number {
  const { limit, prefixes } = (body ?? {}) as { limit?: unknown; prefixes?: unknown };
  const isList = method === 'POST' && url.startsWith(`${PATHS.list}/`);
  if (isList && typeof limit === 'number') return Math.ceil(limit / ROWS_A_UNIT);
  const isRemoval = method === 'DELETE' && url.startsWith(PATHS.object);
  if (isRemoval && Array.isArray(prefixes)) return Math.max(1, Math.ceil(prefixes.length / ROWS_A_UNIT));
  return COSTS[`${method} ${url}`] ?? 1;
}

/** @throws request.too_many; for tus, whose clients never try again after a 4xx, upload.throttled */
function refuse(reply: FastifyReply, group: RateGroup | null, retry_after_seconds: number): never {
  reply.header('retry-after', String(retry_after_seconds));
  const isTus = group === 'upload_create' || group === 'upload_bytes';
  throw new AppError(isTus ? 'upload.throttled' : 'request.too_many', { retry_after_seconds });
}

/** Who asks: somebody signed in, else a network. */
export const clientOf = (request: FastifyRequest) => request.viewer?.profile_id ?? networkOf(request.ip);
const folderOf = (request: FastifyRequest) => (request.body as { folder_slug?: unknown } | null)?.folder_slug;

interface Deps {
  readonly rateLimits: RateLimits;
  readonly database: Database;
  readonly tokens: Tokens;
  readonly logger: FastifyBaseLogger;
}

/**
 * Refuses those who ask too much, before their bodies are read. Counted together by the nodes of one PostgreSQL.
 * @param isSpared for a request that was counted elsewhere
 */
export function limitRates(
  app: FastifyInstance,
  { rateLimits, database, tokens, logger }: Deps,
  isSpared: (request: FastifyRequest) => boolean = () => false,
): void {
  const limiter = createRateLimiter({
    db: database.db,
    hash: tokens.hashForCounting,
    report: (error) => logger.error({ error: describeError(error) }, 'rate limits not shared'),
  });
  const groupOfRoute = ({ method, routeOptions }: FastifyRequest) => groupOf(method, routeOptions.url ?? '');
  const take = (reply: FastifyReply, what: RateGroup, client: string, group: RateGroup | null, units = 1) => {
    const waitSeconds = limiter.take(what, client, rateLimits[what] ?? [], units);
    if (waitSeconds > 0) refuse(reply, group, waitSeconds);
  };

  app.addHook('onRequest', async (request, reply) => {
    if (!isSpared(request)) take(reply, 'any', networkOf(request.ip), groupOfRoute(request));
  });
  // By then every scope has said who its viewer is.
  app.addHook('preParsing', async (request, reply) => {
    const group = groupOfRoute(request);
    if (group && !isSpared(request)) take(reply, group, clientOf(request), group);
  });
  // What more than a light read it costs is known once its body is.
  app.addHook('preHandler', async (request, reply) => {
    const group = groupOfRoute(request);
    const more = costOf(request.method, request.routeOptions.url ?? '', request.body) - 1;
    if (group && more > 0 && !isSpared(request)) take(reply, group, clientOf(request), group, more);
    if (group === 'events') take(reply, 'folder_events', `${clientOf(request)} ${folderOf(request)}`, group);
  });
  app.addHook('onClose', () => limiter.close());
}
