import type { AddressInfo } from 'node:net';
import { createSandbox } from '@satchel/discord-sandbox/app';
import { atEnd } from './at-end.ts';

export const CLIENT = { clientId: '100000000000000001', clientSecret: 'the client secret of this test' };

/**
 * The real sandbox on its own port, which redirects to `redirectUri` only.
 * @param bot its private key for interactions, and the bot's token
 */
export async function startSandbox(redirectUri: string, bot: { privateKey?: string; botToken?: string } = {}) {
  const app = createSandbox({ ...CLIENT, ...bot, redirectUris: [redirectUri], publicUrl: 'http://localhost' });
  const revocations: number[] = [];
  app.addHook('onResponse', async (request, reply) => {
    if (request.url.endsWith('/oauth2/token/revoke')) revocations.push(reply.statusCode);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  atEnd(() => app.close());
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    origin,
    /** Statuses of the token revocations so far. */ revocations,
    apiUrl: `${origin}/api/v10`,
  };
}
