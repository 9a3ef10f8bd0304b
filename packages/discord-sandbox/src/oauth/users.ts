import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DiscordUser } from '../personas/personas.ts';
import type { Authorization, GrantStore } from './grants.ts';

export interface UsersDeps {
  clientId: string;
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

function describeAuthorization({ persona, scopes, expires_at }: Authorization, clientId: string) {
  const { id, username, avatar, discriminator, global_name, public_flags } = persona.user;
  return {
    application: {
      id: clientId,
      name: 'Satchel',
      icon: null,
      description: '',
      hook: true,
      bot_public: true,
      bot_require_code_grant: false,
    },
    scopes,
    expires: new Date(expires_at).toISOString(),
    ...(scopes.includes('identify') && {
      user: { id, username, avatar, discriminator, global_name, public_flags },
    }),
  };
}

export function registerUsers(app: FastifyInstance, { clientId, grants, guildsOf }: UsersDeps) {
  function authorizationFor(request: FastifyRequest): Authorization | undefined {
    const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    return token === undefined ? undefined : grants.authorizationOf(token);
  }

  const refuse = (reply: FastifyReply) => reply.code(401).send({ message: '401: Unauthorized', code: 0 });

  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });

  for (const base of ['/api/v10', '/api']) {
    app.get(`${base}/users/@me`, (request, reply) => {
      const authorization = authorizationFor(request);
      if (!authorization?.scopes.includes('identify')) return refuse(reply);
      return reply.send(userWithin(authorization.persona.user, authorization.scopes));
    });
    app.get(`${base}/users/@me/guilds`, (request, reply) => {
      const authorization = authorizationFor(request);
      if (!authorization?.scopes.includes('guilds')) return refuse(reply);
      return reply.send(guildsOf(authorization.persona.name));
    });
    app.get(`${base}/oauth2/@me`, (request, reply) => {
      const authorization = authorizationFor(request);
      return authorization === undefined ? refuse(reply) : reply.send(describeAuthorization(authorization, clientId));
    });
  }
}
