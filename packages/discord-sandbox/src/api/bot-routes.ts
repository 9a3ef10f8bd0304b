import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireLoopback } from '../chat/same-origin.ts';
import { type ApplicationDeps, registerApplication } from './application-routes.ts';
import { DiscordError, invalidForm, unreadableBody } from './discord-error.ts';
import type { Problems } from './problems.ts';
import { registerWebhooks, type WebhookDeps } from './webhook-routes.ts';

const BODY_LIMIT_BYTES = 256 * 1024;

export interface BotRoutesDeps extends WebhookDeps, ApplicationDeps {
  readonly problems: Problems;
}

const WRONG_TYPE = invalidForm([`/: Expected "Content-Type" header to be one of {'application/json'}.`]);

/** What Fastify refuses before a route sees it, in Discord's words. */
function refusalOf({ statusCode, code }: FastifyError): DiscordError | null {
  if (statusCode === 415) return WRONG_TYPE;
  if (statusCode === 413) return new DiscordError(413, 40_005, 'Request entity too large');
  const isUnreadable = statusCode === 400 || code?.startsWith('FST_ERR_CTP');
  return isUnreadable ? unreadableBody() : null;
}

/** Bodies that are wrong, rather than too late or too many: those are worth looking up afterwards. */
const WRONG_BODIES = [50_006, 50_035, 50_109];

function sendRefusal(problems: Problems, error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const refusal = error instanceof DiscordError ? error : refusalOf(error);
  if (refusal === null) throw error;
  if (WRONG_BODIES.includes(refusal.code)) {
    const route = `${request.method} ${request.routeOptions.url}`;
    problems.note(`${route}: ${refusal.code} ${refusal.message}`, refusal.errors);
  }
  return reply.code(refusal.statusCode).send(refusal.body);
}

/** Discord's API for the application, under both of its addresses, and what the application got wrong. */
export function registerBot(app: FastifyInstance, deps: BotRoutesDeps) {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
      scope.getDefaultJsonParser('error', 'error'),
    );
    scope.setErrorHandler((error: FastifyError, request, reply) => sendRefusal(deps.problems, error, request, reply));
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    for (const base of ['/api/v10', '/api']) {
      registerWebhooks(scope, base, deps);
      scope.register(async (inner) => registerApplication(inner, base, deps));
    }
  });
  app.get('/sandbox/problems', { onRequest: requireLoopback }, (_request, reply) =>
    reply.header('cache-control', 'no-store').send(deps.problems.all()),
  );
}
