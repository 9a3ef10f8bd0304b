import { AppError } from '@satchel/contract/errors';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';

/** Cross-site requests: browsers send `Origin` with every POST, and another site's page can't forge it. */

/** RFC 9110 §9.2.1: "the GET, HEAD, OPTIONS, and TRACE methods are defined to be safe." No route answers TRACE. */
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** True for a read, and for a write of this site's own page: only then does a cookie identify a person. */
export const isReadOrSameSite = ({ method, headers }: FastifyRequest, config: Config): boolean =>
  READS.has(method) || headers.origin === config.publicUrl;

/**
 * Refuses a write of another site's page, on routes that need no cookie. Programs other than browsers send no Origin.
 * @throws request.bad_origin
 */
export function refuseOtherSites({ headers }: FastifyRequest, config: Config): void {
  if (headers.origin !== undefined && headers.origin !== config.publicUrl) throw new AppError('request.bad_origin');
}
