import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';

// An Ed25519 private key in PKCS #8 is this prefix and the seed of 32 bytes (RFC 8410).
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

const MAX_ANSWER_BYTES = 1024 * 1024;

export interface Delivery {
  readonly url: string;
  readonly body: unknown;
  readonly userAgent: string;
  readonly limitMs: number;
  /** How the signature is wrong, for a probe. */
  readonly forgery?: 'signature' | 'timestamp';
}

/** What came back, or null where nothing did in time. */
export type Delivered = { readonly status: number; readonly text: string; readonly contentType: string } | null;

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error('too long an answer');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Delivers what is signed to the application, as Discord does: Ed25519 over the timestamp and the body. */
export function createMail({ privateKeyHex, now }: { privateKeyHex: string; now: () => number }) {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, Buffer.from(privateKeyHex, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });

  function signatureOf(timestamp: string, body: string, forgery: Delivery['forgery']): string {
    if (forgery === 'signature') return randomBytes(64).toString('hex');
    return sign(null, Buffer.from(timestamp + body), privateKey).toString('hex');
  }

  return {
    /** The application's public key, 64 hex characters, as the settings page shows it. */
    publicKey: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex'),

    async deliver({ url, body, userAgent, limitMs, forgery }: Delivery): Promise<Delivered> {
      const text = JSON.stringify(body);
      const timestamp = String(Math.floor(now() / 1000));
      const signature = signatureOf(timestamp, text, forgery);
      // A signature over another time than the one that is told is as bad as a made-up one.
      const told = forgery === 'timestamp' ? String(Number(timestamp) + 1) : timestamp;
      try {
        const response = await fetch(url, {
          method: 'POST',
          body: text,
          redirect: 'manual',
          signal: AbortSignal.timeout(limitMs),
          headers: {
            'content-type': 'application/json',
            'user-agent': userAgent,
            'x-signature-ed25519': signature,
            'x-signature-timestamp': told,
          },
        });
        const contentType = response.headers.get('content-type') ?? '';
        return { status: response.status, contentType, text: await readLimited(response) };
      } catch {
        return null;
      }
    },
  };
}
export type Mail = ReturnType<typeof createMail>;
