import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const squeeze = promisify(gzip);
const WORTH_IT_BYTES = 1024;

/**
 * An onSend hook for answers that are long and hold nothing but what their reader may know: a list of sealed labels shrinks to
 * less than half. No answer with a token or a key has it: by the length, a person who can put text beside them could guess them.
 */
export async function compressAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < WORTH_IT_BYTES) return payload;
  reply.header('vary', 'accept-encoding');
  if (!/\bgzip\b(?!\s*;\s*q=0(\.0*)?(,|$))/.test(request.headers['accept-encoding'] ?? '')) return payload;
  // The fastest: what is left are random bytes.
  const body = await squeeze(payload, { level: constants.Z_BEST_SPEED });
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  return body;
}
