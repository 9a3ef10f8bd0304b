import { randomBytes } from 'node:crypto';
import { z } from 'zod';

const PORT = 'must be a port number from 0 to 65535';

function isRedirectUri(text: string): boolean {
  const url = URL.parse(text);
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && url.hash === '';
}

// The texts name no value: one of them is a secret, and all come from the environment.
const Settings = z.object({
  SANDBOX_PORT: z
    .string()
    .regex(/^\d{1,5}$/, PORT)
    .transform(Number)
    .refine((port) => port <= 65_535, PORT)
    .default(3001),
  SANDBOX_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:-]+$/, 'must be a host name or an IP address')
    .default('127.0.0.1'),
  SANDBOX_CLIENT_ID: z
    .string()
    .regex(/^\d{17,20}$/, 'must be a Discord id of 17 to 20 digits')
    .default('100000000000000001'),
  SANDBOX_CLIENT_SECRET: z.string().default('sandbox-secret'),
  SANDBOX_REDIRECT_URIS: z
    .string()
    .transform((list) => list.split(',').map((uri) => uri.trim()))
    .refine(
      (uris) => uris.every(isRedirectUri),
      'must be http or https addresses without a fragment, separated by commas',
    )
    .default(['http://127.0.0.1:3000/auth/v1/callback']),
  SANDBOX_PRIVATE_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hex characters')
    .default(() => randomBytes(32).toString('hex')),
  SANDBOX_BOT_TOKEN: z.string().default('sandbox-bot-token'),
});

/** Reads the settings; a name without a value counts as unset. @throws Error with one line that names the bad one. */
export function readSettings(env: Readonly<Record<string, string | undefined>>) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const { data, error } = Settings.safeParse(given);
  if (error) throw new Error(`${String(error.issues[0]?.path[0])} ${error.issues[0]?.message}.`);
  return {
    port: data.SANDBOX_PORT,
    host: data.SANDBOX_HOST,
    clientId: data.SANDBOX_CLIENT_ID,
    clientSecret: data.SANDBOX_CLIENT_SECRET,
    redirectUris: data.SANDBOX_REDIRECT_URIS,
    privateKey: data.SANDBOX_PRIVATE_KEY,
    botToken: data.SANDBOX_BOT_TOKEN,
  };
}
