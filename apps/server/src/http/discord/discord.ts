import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Interaction } from '../../bot/interaction.ts';
import { type Bot, createBot } from '../../bot/interactions.ts';
import { createRateLimiter, type RateLimiter } from '../../domain/base/rate-limits.ts';
import { deauthorize } from '../../domain/discord/persons.ts';
import { createSignatureCheck, type Signature } from '../../platform/discord/discord-signature.ts';
import type { AppDeps } from '../deps.ts';
import { describeError, toHttpError } from '../errors.ts';
import { createUnsignedPosts, type UnsignedPosts } from './unsigned-posts.ts';

/** What Discord itself sends: interactions and webhook events. */

/** A click comes with its message: up to 6,000 characters, each in its longest escape. */
const BODY_MAX_BYTES = 128 * 1024;
const EVENT = 1;
const DEAUTHORIZED = 'APPLICATION_DEAUTHORIZED';

const Sent = z.object({
  type: z.number(),
  event: z.object({ type: z.string(), timestamp: z.unknown().optional(), data: z.unknown().optional() }).optional(),
});
const Deauthorized = z.object({ user: z.object({ id: z.string().regex(/^\d{1,20}$/) }) });
/** The time of an event. Discord writes UTC without a zone; an unreadable time becomes now. */
function momentOf(timestamp: unknown): Date {
  const now = Date.now();
  if (typeof timestamp !== 'string') return new Date(now);
  const ms = Date.parse(/(Z|[+-]\d\d:\d\d)$/i.test(timestamp) ? timestamp : `${timestamp}Z`);
  // No event is later than now, and PostgreSQL knows fewer years than ISO 8601.
  return new Date(Number.isNaN(ms) ? now : Math.min(now, Math.max(0, ms)));
}
/** An interaction response; its other fields depend on its type. */
const Response = z.looseObject({ type: z.number().int() });

const signatureOf = ({ headers }: FastifyRequest): Signature => ({
  timestamp: headers['x-signature-timestamp'],
  signature: headers['x-signature-ed25519'],
});
const bodyOf = ({ body }: FastifyRequest) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

/** True for routes whose rate limit counts people instead of addresses: all commands come from a few of Discord's. */
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
  // Names the wrong field, never its value.
  throw new AppError('request.invalid', { message: `${parsed.error.issues[0]?.path.join('.')}: invalid` });
}

/**
 * Lets only signed requests past, checked by their raw bytes.
 * Discord, Interactions Overview: "you must validate the request each time you receive an interaction. If the signature
 * fails validation, your app should respond with a `401` error code." "Discord will also perform automated, routine
 * security checks against your endpoint, including purposefully sending you invalid signatures."
 */
function requireSignature(scope: FastifyInstance, { config }: AppDeps, unsigned: UnsignedPosts): void {
  const check = createSignatureCheck(config.discord.publicKey);
  // Counts in the same step as it refuses, so that no other request is checked in between.
  const unauthorized = (request: FastifyRequest) => {
    unsigned.noteUnsigned(request);
    return new AppError('interaction.unauthorized');
  };
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // A body above the size limit counts as unsigned; other errors are handled as on every route.
  scope.setErrorHandler((thrown, request) => {
    throw toHttpError(thrown).code === 'request.too_large' ? unauthorized(request) : thrown;
  });
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    unsigned.refuseAboveLimit(request);
    if (!check.looksRight(signatureOf(request))) throw unauthorized(request);
  });
  scope.addHook('preHandler', async (request) => {
    // Checked again: many posts may have begun before the first was known to be unsigned.
    unsigned.refuseAboveLimit(request);
    if (!check.isSigned(signatureOf(request), bodyOf(request))) throw unauthorized(request);
    unsigned.noteSigned(request);
  });
}

/** Counts people's commands and unsigned posts. It closes after the bot, which uses it. */
function startCounting(app: FastifyInstance, { database, tokens, logger }: AppDeps): RateLimiter {
  const limiter = createRateLimiter({
    db: database.db,
    hash: tokens.hashForCounting,
    report: (error) => logger.error({ error: describeError(error) }, 'rate limit counts of Discord’s posts not shared'),
  });
  app.addHook('onClose', () => limiter.close());
  return limiter;
}

/** Starts the bot with what it needs of the server. */
function startBot(app: FastifyInstance, deps: AppDeps, limiter: RateLimiter): Bot {
  const { database, rateLimits, logger } = deps;
  const { db } = database;
  const report = (error: unknown) => logger.error({ error: describeError(error) }, 'bot failed');
  const { blobs, keyShares, keySealer, discordRest: rest, replyTokens, config } = deps;
  const { tiers, caps, publicUrl, operatorDiscordIds: operators } = config;
  const bot = createBot(
    {
      bot: { db, blobs, keyShares, keySealer, tiers, caps, operators, publicUrl, rest, replyTokens, report },
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
      // Discord, Webhook Events: "your app should respond with a `204` status code with no body within 3 seconds to
      // acknowledge that your app successfully received it." "You must provide a valid `Content-Type` when responding
      // to `PING`s."
      return reply.code(204).type('application/json').send();
    });
  };
}
