import { generateKeyPairSync, randomBytes } from 'node:crypto';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * What the launchers give the server and the sandbox. The server knows nothing of the sandbox: it only sees
 * Discord settings that point to it.
 * @returns {{ server: object, sandbox: object, sandboxUrl: string } | { problem: string } | undefined} undefined when no
 *   sandbox may run; a problem is one line for people
 */
export function planSandbox(env, publicUrl) {
  if (env.DISCORD_CLIENT_ID || !isLoopback(publicUrl)) return undefined;
  const port = env.SANDBOX_PORT || '3001';
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    return { problem: 'SANDBOX_PORT: must be a whole number from 1 to 65535' };
  }
  const sandboxUrl = `http://localhost:${port}`;
  const id = '100000000000000001';
  const secret = randomBytes(24).toString('base64url');
  const botToken = randomBytes(24).toString('base64url');
  const { privateKey, publicKey } = newKeyPair();
  return {
    sandboxUrl,
    server: {
      DISCORD_CLIENT_ID: id,
      DISCORD_CLIENT_SECRET: secret,
      DISCORD_PUBLIC_KEY: publicKey,
      DISCORD_API_URL: `${sandboxUrl}/api/v10`,
    },
    /** What `npm run bot:register` needs beside those. */
    register: { DISCORD_BOT_TOKEN: botToken },
    sandbox: {
      SANDBOX_PORT: port,
      SANDBOX_CLIENT_ID: id,
      SANDBOX_CLIENT_SECRET: secret,
      SANDBOX_REDIRECT_URIS: `${publicUrl.replace(/\/+$/, '')}/auth/v1/callback`,
      SANDBOX_PRIVATE_KEY: privateKey,
      SANDBOX_BOT_TOKEN: botToken,
    },
  };
}

/** Ed25519: the seed and the public key, 64 hex characters each, which end their encodings (RFC 8410). */
function newKeyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const hex = (key, type) => key.export({ format: 'der', type }).subarray(-32).toString('hex');
  return { privateKey: hex(privateKey, 'pkcs8'), publicKey: hex(publicKey, 'spki') };
}

/** An invalid address counts as local: the server reports the error, in one line. */
function isLoopback(publicUrl) {
  return !URL.canParse(publicUrl) || LOOPBACK.test(new URL(publicUrl).hostname);
}
