import type { FastifyRequest } from 'fastify';

export type IssuerOf = (request: FastifyRequest) => string;

/**
 * The sandbox's own name towards a relying party: the origin it was called at, for it is reached by two names on
 * loopback and, in tests, on a port known only after it listens. A `Host` that is no host name gives `publicUrl`.
 */
export function createIssuerOf(publicUrl: string): IssuerOf {
  return ({ host }) => {
    const candidate = `http://${host}`;
    return URL.canParse(candidate) && new URL(candidate).origin === candidate ? candidate : new URL(publicUrl).origin;
  };
}
