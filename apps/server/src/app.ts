import fastifyCookie from '@fastify/cookie';
import fastifySwagger from '@fastify/swagger';
import { AppError } from '@satchel/contract/errors';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { createUploadReplies, type UploadReplies } from './bot/upload-replies.ts';
import { type Activity, createActivity } from './domain/activity.ts';
import { abuseRoutes } from './http/abuse.ts';
import { activityRoutes } from './http/activity.ts';
import { authRoutes } from './http/auth.ts';
import { gateRoutes, mayWaitForKeys } from './http/client-turns.ts';
import { limitConnections, type Transfers } from './http/connections.ts';
import type { AppDeps, KeyServiceDeps } from './http/deps.ts';
import { discordRoutes, isForDiscord } from './http/discord.ts';
import { describeError, isUnexpected, setRetryAfter, toHttpError } from './http/errors.ts';
import { fileRoutes } from './http/file.ts';
import { folderRoutes } from './http/folder.ts';
import { grantRoutes } from './http/grant.ts';
import { intentRoutes } from './http/intent.ts';
import { keyRoutes } from './http/key.ts';
import { forwardedKeyRoutes } from './http/key-forward.ts';
import { isNode, keyServiceRoutes } from './http/key-service.ts';
import { logAnswers } from './http/log.ts';
import { operatorRoutes } from './http/operator.ts';
import { measure, opsRoutes } from './http/ops.ts';
import { ownUploadRoutes } from './http/own-uploads.ts';
import { patientServer, setBounds } from './http/patience.ts';
import { pictureRoutes } from './http/picture.ts';
import { profileRoutes } from './http/profile.ts';
import { limitRates } from './http/rate-limits.ts';
import { recognizeViewers } from './http/request.ts';
import { uploadRoutes } from './http/upload.ts';
import { setCommonHeaders, webRoutes } from './http/web.ts';

// The longest path that means something is an object's: a storage path and a name, percent-encoded.
const PARAM_MAX_CHARACTERS = 2048;

function sendError(reply: FastifyReply, error: AppError): FastifyReply {
  setRetryAfter(reply, error);
  return reply.code(error.status).send(error.toWire());
}

function createServer({ config, logger, patience }: KeyServiceDeps | AppDeps): FastifyInstance {
  return Fastify({
    ...patientServer(patience),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy.length > 0 && [...config.trustProxy],
    routerOptions: { maxParamLength: PARAM_MAX_CHARACTERS },
    // What fails before a route is found, such as an address that is no valid UTF-8.
    frameworkErrors: (thrown, _request, reply) => sendError(reply, toHttpError(thrown)),
  });
}

/** The one place where an error becomes an answer; storage and tus routes add what their clients expect. */
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

/** Visits are counted until the last request has been answered, and booked before the database is closed. */
function startCounting(app: FastifyInstance, { database, visitorSalts, logger }: AppDeps): Activity {
  const report = (error: unknown) => logger.error({ error: describeError(error) }, 'visits not booked');
  const activity = createActivity({ db: database.db, visitorSalts, report });
  app.addHook('onClose', () => activity.close());
  return activity;
}

/** Replies to /upload are told of its files, and at the start of what is left from before. */
function startTelling(app: FastifyInstance, deps: AppDeps): UploadReplies {
  const { config, database, discordRest: rest, replyTokens, logger } = deps;
  const report = (error: unknown) => logger.error({ error: describeError(error) }, 'reply to /upload not told');
  const told = { db: database.db, rest, replyTokens, publicUrl: config.publicUrl, report };
  const replies = createUploadReplies(told, deps.tellTimes);
  app.addHook('onListen', async () => void replies.start().catch(report));
  app.addHook('onClose', () => replies.close());
  return replies;
}

/** What all routes stand on, and the one error handler. */
function createBase(deps: KeyServiceDeps | AppDeps): { app: FastifyInstance; transfers: Transfers } {
  const app = createServer(deps);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  // JSON is the only body of the JSON routes; a form could not say so (DESIGN §5).
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('viewer', null);
  answerErrors(app);
  logAnswers(app, deps.tokens);
  setCommonHeaders(app, deps.config);
  setBounds(app, deps.patience);
  const transfers = limitConnections(app, deps);
  app.register(fastifyCookie);
  return { app, transfers };
}

/** The composition root of a server: every route. */
export function createApp(deps: AppDeps): FastifyInstance {
  const { app, transfers } = createBase(deps);
  limitRates(app, deps, isForDiscord);
  gateRoutes(app, deps.gate, (request) => deps.keyService !== null && mayWaitForKeys(request));
  describeApi(app);

  const activity = startCounting(app, deps);
  app.register(async (scope) => {
    recognizeViewers(scope, deps);
    await scope.register(authRoutes(deps));
    await scope.register(folderRoutes(deps));
    await scope.register(activityRoutes(deps, activity));
    await scope.register(profileRoutes(deps, activity));
    await scope.register(pictureRoutes(deps));
    await scope.register(ownUploadRoutes(deps));
    await scope.register(operatorRoutes(deps));
    await scope.register(intentRoutes(deps));
  });
  app.register(abuseRoutes(deps));
  app.register(fileRoutes(deps, transfers));
  app.register(uploadRoutes(deps, { transfers, onCompleted: startTelling(app, deps).noteCompleted }));
  app.register(deps.keyService === null ? keyRoutes(deps) : forwardedKeyRoutes(deps.keyService));
  app.register(grantRoutes(deps));
  app.register(discordRoutes(deps));
  app.register(opsRoutes(deps));
  app.register(webRoutes(deps));
  measure(app);
  return app;
}

/** The composition root of the key service alone (SATCHEL_ROLE=keys). */
export function createKeyServiceApp(deps: KeyServiceDeps): FastifyInstance {
  const { app } = createBase(deps);
  // What an application node passes on is counted there, by who asks it.
  const isPassedOn = (request: FastifyRequest) => isNode(request, deps.config);
  limitRates(app, deps, isPassedOn);
  gateRoutes(app, deps.gate, isPassedOn);
  app.register(keyRoutes(deps));
  app.register(keyServiceRoutes(deps));
  app.register(opsRoutes(deps));
  measure(app);
  return app;
}
