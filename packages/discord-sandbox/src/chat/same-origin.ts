import type { FastifyReply, FastifyRequest } from 'fastify';

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/;
const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;

/** A page of another origin says so, in one header or the other; a name that only points here fails by its Host. */
function isSameOrigin({ headers, method }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  // No page can set it. A form of a page without a referrer sends no origin beside it.
  if (site === 'same-origin') return true;
  if (site !== undefined && (site !== 'none' || method !== 'GET')) return false;
  if (method === 'GET' && headers.origin === undefined) return true;
  return headers.origin === `http://${headers.host}`;
}

const refuse = (reply: FastifyReply, message: string) => reply.code(403).send({ message });

/** The chat has no sign-in, so only this machine's own pages may use it. */
export async function requireLoopback({ headers, socket }: FastifyRequest, reply: FastifyReply) {
  const isHere = LOOPBACK_HOST.test(headers.host ?? '') && LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '');
  if (!isHere) return refuse(reply, 'The chat is for this machine only.');
}

export async function requireSameOrigin(request: FastifyRequest, reply: FastifyReply) {
  if (!isSameOrigin(request)) return refuse(reply, 'The chat is for its own page only.');
}
