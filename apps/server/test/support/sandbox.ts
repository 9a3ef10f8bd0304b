import type { AddressInfo } from 'node:net';
import { createSandbox } from '../../../sandbox/src/app.ts';

export const CLIENT = { clientId: '100000000000000001', clientSecret: 'the client secret of this test' };

/**
 * The real sandbox, on a port of its own, that sends back to `redirectUri` only.
 * @param bot what it signs interactions with, and the bot's token there
 */
export async function startSandbox(redirectUri: string, bot: { privateKey?: string; botToken?: string } = {}) {
  const app = createSandbox({ ...CLIENT, ...bot, redirectUris: [redirectUri], publicUrl: 'http://localhost' });
  const revocations: number[] = [];
  app.addHook('onResponse', async (request, reply) => {
    if (request.url.endsWith('/oauth2/token/revoke')) revocations.push(reply.statusCode);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    origin,
    /** Statuses of the token revocations so far. */ revocations,
    apiUrl: `${origin}/api/v10`,
    close: () => app.close(),
  };
}
