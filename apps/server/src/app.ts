import fastifyCookie from '@fastify/cookie';
import fastifySwagger from '@fastify/swagger';
import { AppError } from '@satchel/contract/errors';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { createUploadReplies, type UploadReplies } from './bot/upload/upload-replies.ts';
import { type Activity, createActivity } from './domain/activity/activity.ts';
import { type CheckDeps, createChecks } from './domain/site-checks.ts';
import { authRoutes } from './http/accounts/auth.ts';
import { deviceRoutes } from './http/accounts/device.ts';
import { pictureRoutes } from './http/accounts/picture.ts';
import { profileRoutes } from './http/accounts/profile.ts';
import { gateRoutes, mayWaitForKeys } from './http/client-turns.ts';
import { limitConnections, type Transfers } from './http/connections.ts';
import type { AppDeps, KeyServiceDeps } from './http/deps.ts';
import { discordRoutes, isForDiscord } from './http/discord/discord.ts';
import { describeError, isUnexpected, prepareError, toHttpError } from './http/errors.ts';
import { activityRoutes } from './http/folders/activity.ts';
import { changeRoutes } from './http/folders/changes.ts';
import { folderRoutes } from './http/folders/folder.ts';
import { grantRoutes } from './http/folders/grant.ts';
import { intentRoutes } from './http/folders/intent.ts';
import { keyRoutes } from './http/keys/key.ts';
import { forwardedKeyRoutes } from './http/keys/key-forward.ts';
import { keyServiceRoutes } from './http/keys/key-service.ts';
import { logAnswer, logAnswers, reportTo } from './http/log.ts';
import { abuseRoutes } from './http/moderation/abuse.ts';
import { operatorRoutes } from './http/moderation/operator.ts';
import { healthRoutes } from './http/ops/health.ts';
import { measure } from './http/ops/metrics.ts';
import { limitRates } from './http/rate-limits.ts';
import { isNode, requestIdOf } from './http/request-id.ts';
import { recognizeViewers } from './http/requester.ts';
import { separateContent } from './http/storage/content-links.ts';
import { fileRoutes } from './http/storage/file.ts';
import { stillRoutes } from './http/storage/still.ts';
import { uploadRoutes } from './http/storage/upload.ts';
import { serverTimeouts, setBounds } from './http/timeouts.ts';
import { shareTargetRoutes } from './http/web/share-target.ts';
import { setCommonHeaders, webRoutes } from './http/web/web.ts';
import { webcatRoutes } from './http/web/webcat.ts';

// The longest valid path parameter names an object: storage path and name, percent-encoded.
const PARAM_MAX_CHARACTERS = 2048;

function sendError(reply: FastifyReply, error: AppError): FastifyReply {
  const body = prepareError(reply, error);
  return reply.code(error.status).send(body);
}

function createServer({ config, logger, timeouts }: KeyServiceDeps | AppDeps): FastifyInstance {
  return Fastify({
    ...serverTimeouts(timeouts),
    loggerInstance: logger,
    genReqId: (raw) => requestIdOf(raw, config),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    trustProxy: config.trustProxy.length > 0 && [...config.trustProxy],
    routerOptions: { maxParamLength: PARAM_MAX_CHARACTERS },
    // What still comes while uploads end is answered as usual, and /readyz by itself: not by a 503 in other words than ours.
    return503OnClosing: false,
    // Errors before a route is found, such as an address that is not valid UTF-8.
    frameworkErrors(thrown, request, reply) {
      sendError(reply, toHttpError(thrown));
      logAnswer(request, reply);
    },
  });
}

/** Turns every error into an answer; storage and tus routes add what their clients expect. */
function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = toHttpError(thrown);
    if (isUnexpected(error))
      request.log.error({ error: thrown, route: request.routeOptions.url ?? 'none' }, error.code);
    return sendError(reply, error);
  });
  app.setNotFoundHandler(() => {
    throw new AppError('request.not_found');
  });
}

function describeApi(app: FastifyInstance): void {
  app.register(fastifySwagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Satchel', version: '1' } },
    transform: jsonSchemaTransform,
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}

/** Visits are counted until the last request has been answered, and saved before the database is closed. */
function startCounting(app: FastifyInstance, { database, visitorSalts, logger }: AppDeps): Activity {
  const report = (error: unknown) => logger.error({ error: describeError(error) }, 'visit counts not saved');
  const activity = createActivity({ db: database.db, visitorSalts, report });
  app.addHook('onClose', () => activity.close());
  return activity;
}

/** Updates the replies to /upload and /share; the start also updates replies left over from before. */
function startUploadReplies(app: FastifyInstance, deps: AppDeps): UploadReplies {
  const { config, database, discordRest: rest, replyTokens, logger } = deps;
  const report = (error: unknown) => logger.error({ error: describeError(error) }, 'reply to /upload not updated');
  const replyDeps = { db: database.db, rest, replyTokens, publicUrl: config.publicUrl, report };
  const replies = createUploadReplies(replyDeps, deps.tellTimes);
  app.addHook('onListen', async () => void replies.start().catch(report));
  app.addHook('onClose', () => replies.close());
  return replies;
}

/** The parts that all routes need, and the error handler. */
function createBase(deps: KeyServiceDeps | AppDeps): { app: FastifyInstance; transfers: Transfers } {
  const app = createServer(deps);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  // The JSON routes accept only JSON bodies; an HTML form can't send one.
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('viewer', null);
  app.decorateRequest('isDevice', false);
  answerErrors(app);
  logAnswers(app, deps.tokens);
  setCommonHeaders(app, deps.config);
  setBounds(app, deps.timeouts);
  const transfers = limitConnections(app, deps);
  app.register(fastifyCookie);
  return { app, transfers };
}

/** Health checks and figures for operators. */
function observe(
  app: FastifyInstance,
  { config, database, metrics, freeSpace, readiness, logger }: KeyServiceDeps | AppDeps,
  parts: Pick<CheckDeps, 'store' | 'keyShares' | 'keyService'>,
): void {
  const report = (error: unknown, step: string) => logger.error({ error: describeError(error), step }, 'not ready');
  const checks = createChecks({ database, freeSpace, report, ...parts });
  app.register(healthRoutes({ config, checks, readiness }));
  measure(app, {
    config,
    database,
    metrics,
    freeSpace,
    checks,
    report: (error, what) => reportTo(logger, what)(error),
  });
}

/** Composes the routes of a server. */
export function createApp(deps: AppDeps): FastifyInstance {
  const { app, transfers } = createBase(deps);
  const { publicUrl, usercontentUrl } = deps.config;
  if (usercontentUrl !== null) separateContent(app, { publicUrl, usercontentUrl });
  limitRates(app, deps, isForDiscord);
  gateRoutes(app, deps.gate, (request) => deps.keyService !== null && mayWaitForKeys(request));
  describeApi(app);

  const activity = startCounting(app, deps);
  const replies = startUploadReplies(app, deps);
  app.register(async (scope) => {
    recognizeViewers(scope, deps);
    await scope.register(authRoutes(deps));
    await scope.register(deviceRoutes(deps));
    await scope.register(folderRoutes(deps, replies.noteChanged));
    await scope.register(changeRoutes(deps));
    await scope.register(activityRoutes(deps, activity));
    await scope.register(profileRoutes(deps, activity));
    await scope.register(pictureRoutes(deps));
    await scope.register(operatorRoutes(deps));
    await scope.register(intentRoutes(deps));
  });
  app.register(abuseRoutes(deps));
  app.register(fileRoutes(deps, transfers));
  app.register(stillRoutes(deps, transfers));
  app.register(uploadRoutes(deps, { transfers, onCompleted: replies.noteChanged }));
  app.register(deps.keyService === null ? keyRoutes(deps) : forwardedKeyRoutes(deps.keyService));
  app.register(grantRoutes(deps));
  app.register(discordRoutes(deps));
  const { blobs, config, keyService } = deps;
  observe(app, deps, {
    store: { blobs, isShared: config.blobsUrl !== null },
    keyService,
    keyShares: deps.keyService === null ? deps.keyShares : null,
  });
  app.register(shareTargetRoutes);
  app.register(webcatRoutes(deps));
  app.register(webRoutes(deps));
  return app;
}

/** Composes the routes of a key service (SATCHEL_ROLE=keys). */
export function createKeyServiceApp(deps: KeyServiceDeps): FastifyInstance {
  const { app } = createBase(deps);
  // A call that a node forwards has been counted there, by its client.
  const isForwarded = (request: FastifyRequest) => isNode(request, deps.config);
  limitRates(app, deps, isForwarded);
  gateRoutes(app, deps.gate, isForwarded);
  app.register(keyRoutes(deps));
  app.register(keyServiceRoutes(deps));
  observe(app, deps, { store: null, keyShares: deps.keyShares, keyService: null });
  return app;
}
