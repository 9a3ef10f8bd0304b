import { createHash, timingSafeEqual } from 'node:crypto';
import { type APIApplicationCommand, ApplicationCommandType } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { commandProblems, settingsProblems } from '../schema/check.ts';
import { checkBody, DiscordError, invalidForm, unauthorized } from './discord-error.ts';
import type { Probes } from './interactions/endpoint-probes.ts';
import { type Application, changeSettings, describeApplication, type SettingsChange } from './world/application.ts';
import type { Snowflakes } from './world/snowflakes.ts';

type GivenCommand = Partial<APIApplicationCommand> & Pick<APIApplicationCommand, 'name'>;

/** Replaces the application's commands; one that is there already by its name keeps its id. */
function overwriteCommands(application: Application, given: readonly GivenCommand[], newId: Snowflakes) {
  const before = application.commands;
  application.commands = given.map((command) => {
    const whole = {
      default_member_permissions: null,
      nsfw: false,
      contexts: null,
      integration_types: Object.keys(application.integration_types_config).map(Number),
      ...command,
      id: before.find(({ name }) => name === command.name)?.id ?? newId(),
      application_id: application.id,
      version: newId(),
      type: ApplicationCommandType.ChatInput,
    };
    return whole as unknown as APIApplicationCommand;
  });
  return application.commands;
}

export interface ApplicationDeps {
  readonly application: Application;
  readonly newId: Snowflakes;
  readonly botToken: string;
  readonly probes: Probes;
  readonly redirectUris: readonly string[];
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const notYours = () =>
  new DiscordError(403, 20_012, 'You are not authorized to perform this action on this application');

/** @throws DiscordError where an endpoint that is to be saved doesn't hold up; then nothing is saved */
async function checkEndpoints(probes: Probes, change: SettingsChange) {
  const endpoints = [
    ['interactions', 'interactions_endpoint_url'],
    ['events', 'event_webhooks_url'],
  ] as const;
  const problems: string[] = [];
  for (const [kind, name] of endpoints) {
    const address = change[name];
    if (address && !(await probes.isSound(kind, address))) problems.push(`/${name}: could not be verified`);
  }
  if (problems.length > 0) throw invalidForm(problems);
}

/** What the application does with its bot token: its settings and its commands. */
export function registerApplication(app: FastifyInstance, base: string, deps: ApplicationDeps) {
  const { application, newId, botToken, probes, redirectUris } = deps;
  const expected = digest(`Bot ${botToken}`);
  const commandsPath = `${base}/applications/:applicationId/commands`;

  app.addHook('onRequest', async (request) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) throw unauthorized();
  });
  app.addHook<{ Params: { readonly applicationId?: string } }>('preHandler', async ({ params }) => {
    if (params.applicationId !== undefined && params.applicationId !== application.id) throw notYours();
  });

  app.get(`${base}/applications/@me`, () => describeApplication(application, redirectUris));
  app.patch(`${base}/applications/@me`, async ({ body }) => {
    checkBody(settingsProblems(body));
    await checkEndpoints(probes, body as SettingsChange);
    changeSettings(application, body as SettingsChange);
    return describeApplication(application, redirectUris);
  });
  app.get(commandsPath, () => application.commands);
  app.put(commandsPath, ({ body }) => {
    checkBody(commandProblems(body));
    return overwriteCommands(application, body as readonly GivenCommand[], newId);
  });
}
