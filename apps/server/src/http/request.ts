import { AppError } from '@satchel/contract/errors';
import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../domain/folders.ts';
import type { Tokens } from '../platform/tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who the session cookie says this is; set on the JSON routes, null everywhere else. */
    viewer: Viewer | null;
  }
}

/** Who the bearer of a storage call says this is; null without a valid one. */
export function bearerOf(request: FastifyRequest, tokens: Tokens): Viewer | null {
  const [, token] = /^Bearer ([\w.-]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const bearer = token === undefined ? null : tokens.verifyBearer(token);
  return bearer && { profile_id: bearer.profile_id, session_id: bearer.session_id };
}

/** @throws auth.required */
export function requireViewer(request: FastifyRequest): Viewer {
  if (!request.viewer) throw new AppError('auth.required');
  return request.viewer;
}
