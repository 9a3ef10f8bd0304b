import { randomBytes } from 'node:crypto';
import { InteractionType } from 'discord-api-types/v10';
import type { Problems } from '../problems.ts';
import type { Application } from '../world/application.ts';
import type { Snowflakes } from '../world/snowflakes.ts';
import type { Delivered, Delivery, Mail } from './endpoint.ts';

const INTERACTIONS_AGENT = 'Discord-Interactions/1.0 (+https://discord.com)';
export const EVENTS_AGENT = 'Discord-Webhook/1.0 (+https://discord.com)';
const WEBHOOK_PING = 0;
const PROBE_LIMIT_MS = 3000;

export interface ProbesDeps {
  readonly application: Application;
  readonly mail: Mail;
  readonly newId: Snowflakes;
  readonly problems: Problems;
  /** On average; each wait is from half of it to one and a half. */
  readonly intervalMs: number;
}

type Kind = 'interactions' | 'events';

const isPong = (delivered: Delivered): boolean => {
  if (delivered?.status !== 200) return false;
  try {
    return (JSON.parse(delivered.text) as { type?: unknown } | null)?.type === 1;
  } catch {
    return false;
  }
};
/** Discord wants a type for the nothing that an acknowledged event is. */
const isSilence = (delivered: Delivered) => delivered?.status === 204 && delivered.contentType !== '';
const isAccepted = (delivered: Delivered) => delivered !== null && delivered.status < 300;

/**
 * Whether what is at an address holds up as an endpoint: it answers a ping, and refuses one that is signed wrongly with
 * status 401. It is asked when it is saved, and at random later: one that takes a bad signature then is taken off.
 */
export function createProbes({ application, mail, newId, problems, intervalMs }: ProbesDeps) {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const pingOf = (kind: Kind) =>
    kind === 'events'
      ? { version: 1, application_id: application.id, type: WEBHOOK_PING }
      : {
          id: newId(),
          application_id: application.id,
          type: InteractionType.Ping,
          token: randomBytes(96).toString('base64url'),
          version: 1,
          entitlements: [],
        };

  const ping = (kind: Kind, url: string, forgery?: NonNullable<Delivery['forgery']>) =>
    mail.deliver({
      url,
      body: pingOf(kind),
      userAgent: kind === 'events' ? EVENTS_AGENT : INTERACTIONS_AGENT,
      limitMs: PROBE_LIMIT_MS,
      ...(forgery && { forgery }),
    });

  async function isSound(kind: Kind, url: string): Promise<boolean> {
    const answered = await ping(kind, url);
    if (!(kind === 'events' ? isSilence(answered) : isPong(answered))) {
      problems.note(`${kind} endpoint: a ping was not answered as it must be.`);
      return false;
    }
    for (const forgery of ['signature', 'timestamp'] as const) {
      const refused = await ping(kind, url, forgery);
      if (refused?.status === 401) continue;
      problems.note(`${kind} endpoint: a wrong ${forgery} was not refused with status 401.`);
      return false;
    }
    return true;
  }

  async function probeAgain(kind: Kind, url: string | null) {
    if (url === null) return;
    const forgery = Math.random() < 0.5 ? 'signature' : 'timestamp';
    if (!isAccepted(await ping(kind, url, forgery))) return;
    problems.note(`${kind} endpoint: it accepted a wrong ${forgery}, and was taken off.`);
    if (kind === 'events') {
      if (application.event_webhooks_url === url) application.event_webhooks_url = null;
    } else if (application.interactions_endpoint_url === url) {
      application.interactions_endpoint_url = null;
    }
  }

  async function probeAll() {
    await probeAgain('interactions', application.interactions_endpoint_url);
    await probeAgain('events', application.event_webhooks_url);
  }

  function plan() {
    if (isClosed) return;
    timer = setTimeout(() => probeAll().finally(plan), intervalMs * (0.5 + Math.random()));
    timer.unref();
  }
  plan();

  return {
    isSound,
    /** One round of what else happens at random. */
    probeAll,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
export type Probes = ReturnType<typeof createProbes>;
