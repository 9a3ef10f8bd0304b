import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { AppDeps } from './http/deps.ts';

/** The composition root: every route and the one error handler. */
export function createApp(deps: AppDeps): FastifyInstance {
  const app = Fastify({ loggerInstance: deps.logger, disableRequestLogging: true });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('viewer', null);
  return app;
}
