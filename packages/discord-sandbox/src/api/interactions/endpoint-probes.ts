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

/**
 * Whether what is at an address holds up as an endpoint, asked when it is saved: it answers a ping, and refuses one that
 * is signed wrongly with status 401.
 */
export function createProbes({ application, mail, newId, problems }: ProbesDeps) {
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

  return { isSound };
}
export type Probes = ReturnType<typeof createProbes>;
