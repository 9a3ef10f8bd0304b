import { createHash } from 'node:crypto';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '@satchel/contract/errors';
import { UPLOAD_SOCKET_PATH, UPLOAD_SOCKET_PROTOCOL } from '@satchel/contract/upload-socket';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { REQUEST_ID_HEADER } from '../request-id.ts';

/**
 * The opening handshake of the upload socket (RFC 6455 §4.2). A request to upgrade passes the same router and hooks as
 * every other one, so that rate limits, connection limits and logs hold for it, too.
 */

/** RFC 6455 §1.3: the GUID that is appended to the client's key. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const KEY = /^[A-Za-z0-9+/]{22}==$/;
const VERSION = '13';

/** A connection that has left HTTP, with what was read of it beyond the request. */
export interface Upgraded {
  readonly socket: Socket;
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgraded>();

/** True for the requests that Node passes to `upgrade`; a request for another path is answered as if it had not asked. */
export const mayUpgrade = ({ url }: IncomingMessage): boolean => url?.split('?', 1)[0] === UPLOAD_SOCKET_PATH;

/** Sends requests to upgrade through the app's routes. */
export function routeUpgrades(app: FastifyInstance): void {
  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => undefined);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    // An answer other than 101 ends the connection.
    response.once('finish', () => socket.destroySoon());
    upgrades.set(request, { socket, head });
    app.routing(request, response);
  });
}

const tokensOf = (header: string | undefined) => (header ?? '').split(',').map((token) => token.trim());

/**
 * Accepts a request to upgrade.
 * @throws request.bad_origin, request.invalid
 */
export function acceptUpgrade(request: FastifyRequest, reply: FastifyReply, { publicUrl }: Config): Upgraded {
  const { headers } = request;
  const upgraded = upgrades.get(request.raw);
  const key = headers['sec-websocket-key'] ?? '';
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket' && KEY.test(key);
  if (!upgraded || !isWebSocket) throw new AppError('request.invalid', { message: 'a WebSocket is opened here' });
  // RFC 6455 §10.2: "Servers that are not intended to process input from any web page but only for certain sites SHOULD
  // verify the |Origin| field is an origin they expect."
  if (headers.origin !== publicUrl) throw new AppError('request.bad_origin');
  if (headers['sec-websocket-version'] !== VERSION) {
    // RFC 6455 §4.4: "[…] the server MUST respond with […] a |Sec-WebSocket-Version| header field".
    reply.header('sec-websocket-version', VERSION);
    throw new AppError('request.invalid', { message: `Sec-WebSocket-Version must be ${VERSION}` });
  }
  if (!tokensOf(headers['sec-websocket-protocol']).includes(UPLOAD_SOCKET_PROTOCOL)) {
    throw new AppError('request.invalid', { message: `Sec-WebSocket-Protocol must name ${UPLOAD_SOCKET_PROTOCOL}` });
  }
  reply.hijack();
  const accept = createHash('sha1')
    .update(key + GUID)
    .digest('base64');
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    `Sec-WebSocket-Protocol: ${UPLOAD_SOCKET_PROTOCOL}`,
    `${REQUEST_ID_HEADER}: ${request.id}`,
  ];
  upgraded.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return upgraded;
}
