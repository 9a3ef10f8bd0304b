import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findPersona } from '../personas.ts';
import type { Installations } from './installations.ts';

export interface InstallApiDeps {
  readonly installations: Installations;
  readonly clientId: string;
}

const Who = z.object({ persona: z.string().refine((name) => findPersona(name) !== undefined) });

/** Which applications a persona has, and their removal: the settings of the chat's page. */
export function registerInstallApi(app: FastifyInstance, { installations, clientId }: InstallApiDeps) {
  app.get('/chat/api/:persona/installations', async (request, reply) => {
    const who = Who.safeParse(request.params);
    if (!who.success) return reply.callNotFound();
    const query = new URLSearchParams({ client_id: clientId, scope: 'bot applications.commands' });
    return { targets: installations.targetsOf(who.data.persona), add_url: `/oauth2/authorize?${query}` };
  });
  app.delete('/chat/api/:persona/installations', async (request, reply) => {
    const who = Who.safeParse(request.params);
    if (!who.success) return reply.callNotFound();
    await installations.deauthorize(who.data.persona);
    return reply.code(204).send();
  });
}
