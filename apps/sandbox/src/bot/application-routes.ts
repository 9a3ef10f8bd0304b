import { createHash, timingSafeEqual } from 'node:crypto';
import type { APIApplicationCommand } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import type { Application } from './application.ts';
import { unauthorized, unknownCommand } from './discord-error.ts';
import type { Snowflakes } from './snowflakes.ts';

export interface ApplicationDeps {
  readonly application: Application;
  readonly botToken: string;
  readonly newId: Snowflakes;
}

const digest = (text: string) => createHash('sha256').update(text).digest();

export function registerApplication(app: FastifyInstance, base: string, deps: ApplicationDeps) {
  const { application, botToken, newId } = deps;
  const expected = digest(`Bot ${botToken}`);

  app.addHook('onRequest', async (request) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) throw unauthorized();
  });

  function toCommand(given: APIApplicationCommand): APIApplicationCommand {
    const known = application.commands.find(({ name }) => name === given.name);
    return {
      ...given,
      type: given.type ?? 1,
      id: known?.id ?? newId(),
      version: newId(),
      application_id: application.id,
    };
  }

  const path = `${base}/applications/:applicationId/commands`;
  app.get(path, () => application.commands);
  app.put(path, ({ body }) => {
    application.commands = (body as APIApplicationCommand[]).map(toCommand);
    return application.commands;
  });
  app.get<{ Params: { id: string } }>(`${path}/:id`, ({ params }) => {
    const found = application.commands.find(({ id }) => id === params.id);
    if (found === undefined) throw unknownCommand();
    return found;
  });
  app.get(`${base}/applications/@me`, () => application);
  app.patch(`${base}/applications/@me`, ({ body }) => Object.assign(application, body));
}
