import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Interaction } from '../bot/interaction.ts';
import { type Bot, createBot } from '../bot/interactions.ts';
import { deauthorize } from '../domain/deauthorization.ts';
import { createRateLimiter, type RateLimiter } from '../domain/rate-limits.ts';
import { createSignatureCheck, type Signature } from '../platform/discord-signature.ts';
import type { AppDeps } from './deps.ts';
import { describeError, toHttpError } from './errors.ts';
import { createUnsignedPosts, type UnsignedPosts } from './unsigned-posts.ts';

/** What Discord itself sends: people's commands, and word of what they did with the application. Nobody else is heard. */

/** An interaction by a click brings its message along: 6,000 characters of it, in the longest way to write them. */
const BODY_MAX_BYTES = 128 * 1024;
const EVENT = 1;
const DEAUTHORIZED = 'APPLICATION_DEAUTHORIZED';

const Sent = z.object({
  type: z.number(),
  event: z.object({ type: z.string(), timestamp: z.unknown().optional(), data: z.unknown().optional() }).optional(),
});
const Deauthorized = z.object({ user: z.object({ id: z.string().regex(/^\d{1,20}$/) }) });
/** When something happened, which Discord writes in UTC without saying so; now, where that can't be read. */
function momentOf(timestamp: unknown): Date {
  const now = Date.now();
  if (typeof timestamp !== 'string') return new Date(now);
  const ms = Date.parse(/(Z|[+-]\d\d:\d\d)$/i.test(timestamp) ? timestamp : `${timestamp}Z`);
  // Nothing has happened later than now, and PostgreSQL does not know every year that ISO 8601 does.
  return new Date(Number.isNaN(ms) ? now : Math.min(now, Math.max(0, ms)));
}
/** Of one of Discord's types; what more there is depends on it. */
const Response = z.looseObject({ type: z.number().int() });

const signatureOf = ({ headers }: FastifyRequest): Signature => ({
  timestamp: headers['x-signature-timestamp'],
  signature: headers['x-signature-ed25519'],
});
const bodyOf = ({ body }: FastifyRequest) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

/**
 * Whether a request is counted by whom it is of, once it is known to be Discord's, and not by the address it comes from:
 * everybody's commands come from a few of them.
 */
export const isForDiscord = ({ routeOptions: { url } }: FastifyRequest): boolean =>
  url === PATHS.interactions || url === PATHS.discordEvents;

/** @throws request.invalid */
function parse<Output>(schema: z.ZodType<Output>, request: FastifyRequest): Output {
  let body: unknown;
  try {
    body = JSON.parse(bodyOf(request).toString('utf8'));
  } catch {
    throw new AppError('request.invalid', { message: 'malformed' });
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  // Where it is wrong, and never what was there.
  throw new AppError('request.invalid', { message: `${parsed.error.issues[0]?.path.join('.')}: invalid` });
}

/** Lets only Discord past, by the bytes as they came: 401 is what it expects for all else, and what it tries out. */
function requireSignature(scope: FastifyInstance, { config }: AppDeps, unsigned: UnsignedPosts): void {
  const check = createSignatureCheck(config.discord.publicKey);
  // Counted in the same step as refused: of many that come at once no further one is checked in between.
  const unauthorized = (request: FastifyRequest) => {
    unsigned.noteUnsigned(request);
    return new AppError('interaction.unauthorized');
  };
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // A body that is too long to be looked at is unsigned, too; the rest is as everywhere.
  scope.setErrorHandler((thrown, request) => {
    throw toHttpError(thrown).code === 'request.too_large' ? unauthorized(request) : thrown;
  });
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    unsigned.refuseAboveLimit(request);
    if (!check.looksRight(signatureOf(request))) throw unauthorized(request);
  });
  scope.addHook('preHandler', async (request) => {
    // Again: many posts may have begun before the first was known to be unsigned.
    unsigned.refuseAboveLimit(request);
    if (!check.isSigned(signatureOf(request), bodyOf(request))) throw unauthorized(request);
    unsigned.noteSigned(request);
  });
}

/** Counts people's commands and unsigned posts; closed after the bot, which asks it. */
function startCounting(app: FastifyInstance, { database, tokens, logger }: AppDeps): RateLimiter {
  const limiter = createRateLimiter({
    db: database.db,
    hash: tokens.hashForCounting,
    report: (error) => logger.error({ error: describeError(error) }, 'rate limits of Discord’s posts not shared'),
  });
  app.addHook('onClose', () => limiter.close());
  return limiter;
}

/** The bot with all that it needs of the server. */
function startBot(app: FastifyInstance, deps: AppDeps, limiter: RateLimiter): Bot {
  const { database, rateLimits, logger } = deps;
  const { db } = database;
  const report = (error: unknown) => logger.error({ error: describeError(error) }, 'bot');
  const { blobs, keyShares, keySealer, discordRest: rest, replyTokens, config } = deps;
  const { tiers, caps, publicUrl } = config;
  const bot = createBot(
    {
      bot: { db, blobs, keyShares, keySealer, tiers, caps, publicUrl, rest, replyTokens, report },
      commands: deps.commands,
      takeTurn: (what, discordId) => limiter.take(what, discordId, rateLimits[what] ?? []),
    },
    deps.botTimes,
  );
  app.addHook('onClose', () => bot.close());
  return bot;
}

export function discordRoutes(deps: AppDeps): FastifyPluginAsyncZod {
  const { db } = deps.database;

  return async (app) => {
    const limiter = startCounting(app, deps);
    requireSignature(app, deps, createUnsignedPosts({ ...deps, limiter }));
    const bot = startBot(app, deps, limiter);

    app.post(
      PATHS.interactions,
      { bodyLimit: BODY_MAX_BYTES, schema: { response: { 200: Response } } },
      async (request, reply) => {
        const { body, sent } = await bot.reply(parse(Interaction, request));
        reply.raw.once('finish', sent);
        return reply.type('application/json; charset=utf-8').send(body as never);
      },
    );

    app.post(PATHS.discordEvents, { bodyLimit: BODY_MAX_BYTES }, async (request, reply) => {
      const { type, event } = parse(Sent, request);
      const told = Deauthorized.safeParse(event?.data);
      if (type === EVENT && event?.type === DEAUTHORIZED && told.success) {
        await deauthorize(db, told.data.user.id, momentOf(event.timestamp));
      }
      // Discord asks for a type even where there is nothing that could be of it.
      return reply.code(204).type('application/json').send();
    });
  };
}
