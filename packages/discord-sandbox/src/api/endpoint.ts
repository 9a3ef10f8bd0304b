import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { InteractionType } from 'discord-api-types/v10';

// An Ed25519 private key in PKCS #8 is this prefix and the seed of 32 bytes (RFC 8410).
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const ANSWER_LIMIT_MS = 3000;
const USER_AGENTS = {
  interactions: 'Discord-Interactions/1.0 (+https://discord.com)',
  events: 'Discord-Webhook/1.0 (+https://discord.com)',
};
const WEBHOOK_PING = 0;

/** What is sent there. */
type Kind = keyof typeof USER_AGENTS;

/** What came back, or null where nothing did in time. */
export type Delivered = { readonly status: number; readonly text: string; readonly contentType: string } | null;

function isPong(delivered: Delivered): boolean {
  try {
    return delivered?.status === 200 && JSON.parse(delivered.text)?.type === 1;
  } catch {
    return false;
  }
}

export interface EndpointOptions {
  readonly applicationId: string;
  /** Ed25519 seed, 64 hex characters. */
  readonly privateKey: string;
  readonly now: () => number;
  /** How long the application may take for its answer to an interaction. */
  readonly answerLimitMs?: number;
}

/** The application's endpoints, as Discord posts to them: signed by Ed25519 over the timestamp and the body. */
export function createEndpoint({ applicationId, privateKey, now, answerLimitMs = ANSWER_LIMIT_MS }: EndpointOptions) {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, Buffer.from(privateKey, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });

  async function post(
    kind: Kind,
    url: string,
    body: object,
    { isForged = false, limitMs = ANSWER_LIMIT_MS } = {},
  ): Promise<Delivered> {
    const text = JSON.stringify({ application_id: applicationId, version: 1, ...body });
    const timestamp = String(Math.floor(now() / 1000));
    const signature = isForged ? randomBytes(64) : sign(null, Buffer.from(timestamp + text), key);
    try {
      const response = await fetch(url, {
        method: 'POST',
        body: text,
        redirect: 'manual',
        signal: AbortSignal.timeout(limitMs),
        headers: {
          'content-type': 'application/json',
          'user-agent': USER_AGENTS[kind],
          'x-signature-ed25519': signature.toString('hex'),
          'x-signature-timestamp': timestamp,
        },
      });
      const contentType = response.headers.get('content-type') ?? '';
      return { status: response.status, contentType, text: await response.text() };
    } catch {
      return null;
    }
  }

  return {
    answerLimitMs,
    /** The application's public key, 64 hex characters, as its settings page shows it. */
    publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex'),
    post,
    /**
     * Whether an address holds up as an endpoint when it is saved: it answers a ping, and refuses one that is signed wrongly
     * with status 401.
     * @returns what it does wrong, or null
     */
    async faultAt(kind: Kind, url: string): Promise<string | null> {
      const ping = kind === 'events' ? { type: WEBHOOK_PING } : { type: InteractionType.Ping, id: '1', token: 'ping' };
      const answered = await post(kind, url, ping);
      // Discord wants a content type of this answer, although it has no body.
      const isAcknowledged = answered?.status === 204 && answered.contentType !== '';
      if (!(kind === 'events' ? isAcknowledged : isPong(answered))) return 'a ping was not answered as it must be';
      const refused = await post(kind, url, ping, { isForged: true });
      return refused?.status === 401 ? null : 'a wrong signature was not refused with status 401';
    },
  };
}
export type Endpoint = ReturnType<typeof createEndpoint>;
