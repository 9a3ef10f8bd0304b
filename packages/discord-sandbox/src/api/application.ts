import {
  type APIApplicationCommand,
  ApplicationCommandType,
  type RESTPatchCurrentApplicationJSONBody,
} from 'discord-api-types/v10';
import { ChatError, type Installations, type InstallTarget } from '../chat/chat-entities.ts';
import { nameOf, personas } from '../personas/personas.ts';
import { checkApplicationEdit, checkCommands } from '../schema/check.ts';
import type { Endpoint } from './endpoint.ts';
import { userOf } from './entities.ts';
import { checkBody, type Problems } from './problems.ts';
import { BRASS_LANTERN, personaOf, serversOf } from './world.ts';

const EVENTS_ENABLED = 2;

interface Settings {
  interactions_endpoint_url: string | null;
  event_webhooks_url: string | null;
  event_webhooks_status: number;
  event_webhooks_types: readonly string[];
  integration_types_config: object;
}

export interface ApplicationDeps {
  readonly id: string;
  readonly redirectUris: readonly string[];
  readonly endpoint: Endpoint;
  readonly problems: Problems;
  readonly newId: () => string;
  readonly now: () => number;
}

/** The one application: its settings, its commands, and where it is installed. */
export function createApplication({ id, redirectUris, endpoint, problems, newId, now }: ApplicationDeps) {
  let commands: readonly APIApplicationCommand[] = [];
  const settings: Settings = {
    interactions_endpoint_url: null,
    event_webhooks_url: null,
    event_webhooks_status: 1,
    event_webhooks_types: [],
    integration_types_config: { '0': {}, '1': {} },
  };
  /** Ids of servers and people: at first the one server, and everybody. */
  const installedAt = new Set([BRASS_LANTERN.id, ...personas.map(({ user }) => user.id)]);

  /** @throws DiscordError where an endpoint that is to be saved doesn't hold up; then nothing is saved */
  async function checkEndpoints(change: RESTPatchCurrentApplicationJSONBody) {
    const found: string[] = [];
    for (const [kind, name] of [
      ['interactions', 'interactions_endpoint_url'],
      ['events', 'event_webhooks_url'],
    ] as const) {
      const fault = change[name] ? await endpoint.faultAt(kind, change[name]) : null;
      if (fault === null) continue;
      problems.note(`${kind} endpoint: ${fault}.`);
      found.push(`/${name}: could not be verified`);
    }
    checkBody(found);
  }

  async function announce(type: string, data: object) {
    const { event_webhooks_url: url, event_webhooks_status: status, event_webhooks_types: types } = settings;
    if (url === null || status !== EVENTS_ENABLED || !types.includes(type)) return;
    const event = { type, timestamp: new Date(now()).toISOString(), data };
    const delivered = await endpoint.post('events', url, { type: 1, event });
    if (delivered?.status !== 204) problems.note('events endpoint: an event was not acknowledged with status 204.');
  }

  /** Servers that the person owns, and their own account. */
  function targetsOf(persona: string): readonly InstallTarget[] {
    const { user, ...person } = personaOf(persona);
    const servers = serversOf(persona).filter(({ server }) => server?.ownerName === persona);
    return [
      ...servers.map(({ id: target, name }) => ({ kind: 'server' as const, id: target, name })),
      { kind: 'account' as const, id: user.id, name: nameOf({ user, ...person }) },
    ].map((target) => ({ ...target, is_installed: installedAt.has(target.id) }));
  }

  const installations: Installations = {
    targetsOf,
    install(persona, targetId) {
      const target = targetsOf(persona).find((one) => one.id === targetId);
      if (target === undefined) throw new ChatError('You can’t add applications there.');
      installedAt.add(targetId);
      return target;
    },
    async deauthorize(persona) {
      const person = personaOf(persona);
      installedAt.delete(person.user.id);
      await announce('APPLICATION_DEAUTHORIZED', { user: userOf(person) });
    },
  };

  return {
    id,
    settings,
    installations,
    isAt: (target: string) => installedAt.has(target),
    commands: () => commands,
    /** What GET /applications/@me answers. */
    describe: () => ({
      ...settings,
      id,
      name: 'Satchel',
      verify_key: endpoint.publicKey,
      redirect_uris: redirectUris,
    }),
    /** What the sandbox has no use for is dropped. @throws DiscordError */
    async edit(body: unknown) {
      checkBody(checkApplicationEdit(body));
      const change = body as RESTPatchCurrentApplicationJSONBody;
      await checkEndpoints(change);
      for (const [name, value] of Object.entries(change))
        if (name in settings) Object.assign(settings, { [name]: value });
    },
    /** Replaces all commands; one that is there already by its name keeps its id. @throws DiscordError */
    overwriteCommands(body: unknown) {
      checkBody(checkCommands(body));
      commands = (body as readonly APIApplicationCommand[]).map((command) => ({
        ...command,
        id: commands.find(({ name }) => name === command.name)?.id ?? newId(),
        application_id: id,
        type: ApplicationCommandType.ChatInput,
        version: newId(),
      }));
      return commands;
    },
  };
}
export type Application = ReturnType<typeof createApplication>;
