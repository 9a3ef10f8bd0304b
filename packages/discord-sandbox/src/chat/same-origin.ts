import { existsSync, readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/;
const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;

/** The default gateway of a `/proc/net/route`, whose lines have interface, destination and gateway in hexadecimal, last byte first. */
export function gatewayIn(routes: string): string | null {
  const [, hex] = /^\S+\t0{8}\t([\dA-F]{8})\t/m.exec(routes) ?? [];
  return hex ? Buffer.from(hex, 'hex').reverse().join('.') : null;
}

/** The address from which the machine around a container connects: published ports lead through the gateway of the container's network. */
function containerHost(): string | null {
  const isContained = existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  return isContained ? gatewayIn(readFileSync('/proc/net/route', 'utf8')) : null;
}

const CONTAINER_HOST = containerHost();

const isThisMachine = (address: string): boolean =>
  LOOPBACK_ADDRESS.test(address) || (CONTAINER_HOST !== null && address.replace(/^::ffff:/, '') === CONTAINER_HOST);

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
  const isHere = LOOPBACK_HOST.test(headers.host ?? '') && isThisMachine(socket.remoteAddress ?? '');
  if (!isHere) return refuse(reply, 'The chat is for this machine only.');
}

export async function requireSameOrigin(request: FastifyRequest, reply: FastifyReply) {
  if (!isSameOrigin(request)) return refuse(reply, 'The chat is for its own page only.');
}
