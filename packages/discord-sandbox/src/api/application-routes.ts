import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { fieldsIn } from '../schema/json.ts';
import { readCommand, readCommands, readSettingsChange } from './bodies/application-body.ts';
import { DiscordError, type FieldErrors, invalidForm, unauthorized } from './discord-error.ts';
import type { Probes } from './interactions/endpoint-probes.ts';
import type { RateLimits } from './rate-limits.ts';
import { type Application, changeSettings, describeApplication, type SettingsChange } from './world/application.ts';
import { type Commands, withoutLocalizations } from './world/commands.ts';
import type { InstalledPlaces } from './world/world.ts';

export interface ApplicationDeps {
  readonly application: Application;
  readonly commands: Commands;
  readonly botToken: string;
  readonly probes: Probes;
  readonly installed: InstalledPlaces;
  readonly redirectUris: readonly string[];
  readonly rateLimits: RateLimits;
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const notYours = () =>
  new DiscordError(403, 20_012, 'You are not authorized to perform this action on this application');

const unverified = (name: string) =>
  ({
    interactions_endpoint_url: {
      code: 'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID',
      message: 'The specified interactions endpoint URL could not be verified.',
    },
    event_webhooks_url: {
      code: 'APPLICATION_EVENT_WEBHOOKS_URL_INVALID',
      message: 'The specified event webhooks URL could not be verified.',
    },
  })[name] as { code: string; message: string };

/** @throws DiscordError where an endpoint that is to be saved doesn't hold up; then nothing is saved */
async function checkEndpoints(probes: Probes, change: SettingsChange) {
  const errors: FieldErrors = {};
  const endpoints = [
    ['interactions', 'interactions_endpoint_url'],
    ['events', 'event_webhooks_url'],
  ] as const;
  for (const [kind, name] of endpoints) {
    const address = change[name];
    if (!address || (await probes.isSound(kind, address))) continue;
    errors[name] = { _errors: [unverified(name)] };
  }
  if (Object.keys(errors).length > 0) throw invalidForm(errors);
}

interface Params {
  readonly applicationId: string;
  readonly id: string;
}

function registerCommands(app: FastifyInstance, base: string, { application, commands }: ApplicationDeps) {
  const path = `${base}/applications/:applicationId/commands`;
  app.addHook<{ Params: Partial<Params> }>('preHandler', async ({ params }) => {
    if (params.applicationId !== undefined && params.applicationId !== application.id) throw notYours();
  });

  app.get<{ Querystring: { with_localizations?: string } }>(path, ({ query }) =>
    query.with_localizations === 'true' ? application.commands : application.commands.map(withoutLocalizations),
  );
  app.put(path, ({ body }) => commands.overwrite(readCommands(body)));
  app.post(path, ({ body }, reply) => {
    const { command, isNew } = commands.create(readCommand(body));
    return reply.code(isNew ? 201 : 200).send(command);
  });
  app.get<{ Params: Params }>(`${path}/:id`, ({ params }) => commands.find(params.id));
  app.patch<{ Params: Params }>(`${path}/:id`, ({ params, body }) => {
    const changed = { ...commands.find(params.id), ...fieldsIn(body) };
    return commands.edit(params.id, readCommand(changed));
  });
  app.delete<{ Params: Params }>(`${path}/:id`, ({ params }, reply) => {
    commands.remove(params.id);
    return reply.code(204).send();
  });
}

/** What the application does with its bot token: its settings and its commands. */
export function registerApplication(app: FastifyInstance, base: string, deps: ApplicationDeps) {
  const { application, botToken, probes, installed, redirectUris, rateLimits } = deps;
  const expected = digest(`Bot ${botToken}`);

  app.addHook('onRequest', async (request) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) throw unauthorized();
    rateLimits.takeGlobal();
  });
  registerCommands(app, base, deps);

  const describe = () =>
    describeApplication(application, {
      guilds: installed.guildCount(),
      users: installed.userCount(),
      redirectUris,
    });
  app.get(`${base}/applications/@me`, () => describe());
  app.patch(`${base}/applications/@me`, async ({ body }) => {
    const change = readSettingsChange(body);
    await checkEndpoints(probes, change);
    changeSettings(application, change);
    return describe();
  });
}
