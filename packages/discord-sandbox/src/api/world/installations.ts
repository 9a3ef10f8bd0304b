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
/** With each wait twice the one before, nearly nine minutes in all. */
const RETRIES = 9;

export interface InstallationsDeps {
  readonly application: Application;
  readonly installed: InstalledPlaces;
  readonly mail: Mail;
  readonly problems: Problems;
  readonly now: () => number;
  /** Until an event is sent for the second time. */
  readonly firstRetryMs: number;
}

/** Adding the application to servers and oneself, and taking it off again. */
export function createInstallationDesk(deps: InstallationsDeps): Installations & { close(): void } {
  const { application, installed, mail, problems, now, firstRetryMs } = deps;

  const timers = new Set<NodeJS.Timeout>();
  let isClosed = false;

  async function deliver(event: object, retry: number): Promise<void> {
    const url = application.event_webhooks_url;
    if (url === null) return;
    const delivered = await mail.deliver({ url, body: event, userAgent: EVENTS_AGENT, limitMs: ANSWER_LIMIT_MS });
    if (delivered?.status === 204) return;
    if (retry > RETRIES) return problems.note('events endpoint: an event was given up, after ten attempts.');
    problems.note('events endpoint: an event was not acknowledged with status 204.');
    if (isClosed) return;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        void deliver(event, retry + 1);
      },
      firstRetryMs * 2 ** (retry - 1),
    );
    timers.add(timer.unref());
  }

  async function announce(type: string, data: object) {
    const { event_webhooks_status: status, event_webhooks_types: types } = application;
    if (status !== ENABLED || !types.includes(type)) return;
    const timestamp = new Date(now()).toISOString();
    const event = { version: 1, application_id: application.id, type: 1, event: { type, timestamp, data } };
    await deliver(event, 1);
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
    close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
    },
    async deauthorize(name) {
      const persona = personaOf(name);
      installed.removeFrom(name);
      await announce('APPLICATION_DEAUTHORIZED', { user: userOf(persona) });
    },
  };
}
