import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import { sameToken } from '../platform/keys/tokens.ts';

/** The name of a request: in a header of its answer, in the body of an error, on the page and in each line of the log. */

export const REQUEST_ID_HEADER = 'x-request-id';
const FORM = /^[0-9a-f]{16}$/;

/** At random, so that no restart and no other node gives the same; callers can't name their requests. */
export const newRequestId = (): string => randomBytes(8).toString('hex');

type Raw = Pick<IncomingMessage, 'headers'>;

/**
 * True if a node calls, proven by their common secret. Without that secret in the settings, always false.
 */
export function isNode({ headers }: Raw, { keyServiceSecret }: Pick<Config, 'keyServiceSecret'>): boolean {
  const [, token = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
  return keyServiceSecret !== null && sameToken(token, keyServiceSecret);
}

/** The id that a node gives a call which it forwards to its key service, or a new one. */
export function requestIdOf(raw: Raw, config: Pick<Config, 'role' | 'keyServiceSecret'>): string {
  const given = raw.headers[REQUEST_ID_HEADER];
  const isForwarded = config.role === 'keys' && typeof given === 'string' && FORM.test(given) && isNode(raw, config);
  return isForwarded ? given : newRequestId();
}
