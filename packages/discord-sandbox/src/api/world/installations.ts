import { ChatError } from '../../chat/chat-error.ts';
import type { Installations, InstallTarget } from '../../chat/installations.ts';
import { nameOf } from '../../personas/personas.ts';
import type { Mail } from '../interactions/endpoint.ts';
import { EVENTS_AGENT } from '../interactions/endpoint-probes.ts';
import type { Problems } from '../problems.ts';
import type { Application } from './application.ts';
import { userOf } from './entities.ts';
import { type InstalledPlaces, managedGuildsOf, personaOf } from './world.ts';

const ENABLED = 2;
const ANSWER_LIMIT_MS = 3000;

export interface InstallationsDeps {
  readonly application: Application;
  readonly installed: InstalledPlaces;
  readonly mail: Mail;
  readonly problems: Problems;
  readonly now: () => number;
}

/** Adding the application to servers and oneself, and taking it off again. */
export function createInstallationDesk(deps: InstallationsDeps): Installations {
  const { application, installed, mail, problems, now } = deps;

  async function announce(type: string, data: object) {
    const { event_webhooks_url: url, event_webhooks_status: status, event_webhooks_types: types } = application;
    if (url === null || status !== ENABLED || !types.includes(type)) return;
    const timestamp = new Date(now()).toISOString();
    const event = { version: 1, application_id: application.id, type: 1, event: { type, timestamp, data } };
    const delivered = await mail.deliver({ url, body: event, userAgent: EVENTS_AGENT, limitMs: ANSWER_LIMIT_MS });
    if (delivered?.status !== 204) problems.note('events endpoint: an event was not acknowledged with status 204.');
  }

  return {
    targetsOf(name): readonly InstallTarget[] {
      const persona = personaOf(name);
      const servers = managedGuildsOf(name).map((guild): InstallTarget => {
        return { kind: 'server', id: guild.id, name: guild.name, is_installed: installed.isInGuild(guild) };
      });
      const account = { id: persona.user.id, name: nameOf(persona), is_installed: installed.isWith(name) };
      return [...servers, { kind: 'account', ...account }];
    },
    install(name, targetId) {
      if (personaOf(name).user.id === targetId) return installed.addTo(name);
      const guild = managedGuildsOf(name).find(({ id }) => id === targetId);
      if (guild === undefined) throw new ChatError('You can’t add applications there.');
      installed.addToGuild(guild.id);
    },
    async deauthorize(name) {
      const persona = personaOf(name);
      installed.removeFrom(name);
      await announce('APPLICATION_DEAUTHORIZED', { user: userOf(persona) });
    },
  };
}
