import { randomBytes } from 'node:crypto';
import { z } from 'zod';

export interface Settings {
  port: number;
  host: string;
  clientId: string;
  clientSecret: string;
  redirectUris: string[];
  /** Ed25519 seed, 64 hex characters: what interactions are signed with. */
  privateKey: string;
  botToken: string;
}

function isRedirectUri(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hash } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && hash === '';
}

const schema = z.object({
  SANDBOX_PORT: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65_535)
    .default(3001),
  SANDBOX_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:-]+$/)
    .default('127.0.0.1'),
  SANDBOX_CLIENT_ID: z
    .string()
    .regex(/^\d{17,20}$/)
    .default('100000000000000001'),
  SANDBOX_CLIENT_SECRET: z.string().default('sandbox-secret'),
  SANDBOX_REDIRECT_URIS: z
    .string()
    .transform((list) => list.split(',').map((uri) => uri.trim()))
    .refine((uris) => uris.every(isRedirectUri))
    .default(['http://127.0.0.1:3000/auth/v1/callback']),
  SANDBOX_PRIVATE_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  SANDBOX_BOT_TOKEN: z.string().min(1).default('sandbox-bot-token'),
});

// The texts name no value: one of them is a secret, and all come from the environment.
const expectations: Record<string, string> = {
  SANDBOX_PORT: 'must be a port number from 0 to 65535',
  SANDBOX_HOST: 'must be a host name or an IP address',
  SANDBOX_CLIENT_ID: 'must be a Discord id of 17 to 20 digits',
  SANDBOX_PRIVATE_KEY: 'must be 64 hex characters',
  SANDBOX_REDIRECT_URIS: 'must be http or https addresses without a fragment, separated by commas',
};

/** Reads the settings; a name without a value counts as unset. @throws Error with one line that names the bad one. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0]);
    throw new Error(`${name} ${expectations[name] ?? 'is not valid'}.`);
  }
  return {
    port: parsed.data.SANDBOX_PORT,
    host: parsed.data.SANDBOX_HOST,
    clientId: parsed.data.SANDBOX_CLIENT_ID,
    clientSecret: parsed.data.SANDBOX_CLIENT_SECRET,
    redirectUris: parsed.data.SANDBOX_REDIRECT_URIS,
    privateKey: parsed.data.SANDBOX_PRIVATE_KEY ?? randomBytes(32).toString('hex'),
    botToken: parsed.data.SANDBOX_BOT_TOKEN,
  };
}
