import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DiscordUser } from '../personas/personas.ts';
import type { Authorization, GrantStore } from './grants.ts';

export interface UsersDeps {
  grants: GrantStore;
  /** The servers of a person, in the fields of Discord. */
  guildsOf: (personaName: string) => readonly object[];
}

/** Without the `email` scope Discord leaves out the address and whether it was verified. */
function userWithin(user: DiscordUser, scopes: readonly string[]): Partial<DiscordUser> {
  if (scopes.includes('email')) return user;
  const { email: _email, verified: _verified, ...rest } = user;
  return rest;
}

export function registerUsers(app: FastifyInstance, { grants, guildsOf }: UsersDeps) {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });

  const answer =
    (scope: string, tell: (authorization: Authorization) => unknown) =>
    ({ headers }: FastifyRequest, reply: FastifyReply) => {
      const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
      const authorization = grants.authorizationOf(token);
      if (authorization?.scopes.includes(scope)) return reply.send(tell(authorization));
      return reply.code(401).send({ message: '401: Unauthorized', code: 0 });
    };

  for (const base of ['/api/v10', '/api']) {
    app.get(
      `${base}/users/@me`,
      answer('identify', ({ persona, scopes }) => userWithin(persona.user, scopes)),
    );
    app.get(
      `${base}/users/@me/guilds`,
      answer('guilds', ({ persona }) => guildsOf(persona.name)),
    );
  }
}
