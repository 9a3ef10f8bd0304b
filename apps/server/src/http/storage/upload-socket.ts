import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { KIB } from '@satchel/contract/limits';
import {
  SOCKET_CLOSE_BASE,
  SOCKET_FRAME_MAX_BYTES,
  SOCKET_FRAME_MEAN_BYTES,
  SOCKET_SHORT_FRAMES_MAX,
  SOCKET_TEXT_MAX_BYTES,
  type SocketBegin,
  UPLOAD_SOCKET_PATH,
} from '@satchel/contract/upload-socket';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { Viewer } from '../../domain/access/find-folder.ts';
import { isSessionAlive } from '../../domain/accounts/sessions.ts';
import type { Receiver } from '../../domain/uploads/receiver.ts';
import { inSessionTurn } from '../client-turns.ts';
import type { Transfers } from '../connections.ts';
import type { AppDeps } from '../deps.ts';
import { isUnexpected, toHttpError } from '../errors.ts';
import { failureFields } from '../log.ts';
import { CLOSE, closeFrame, createFrameReader, FrameError, pingFrame, pongFrame, textFrame } from './socket-frames.ts';
import { acceptUpgrade, routeUpgrades, type Upgraded } from './socket-upgrade.ts';

/**
 * The upload socket (docs/upload-socket.md): the client names an upload and its offset, then sends its bytes; the server
 * acknowledges what is durable. Lease, takeover, rate, checkpoints and completion are the receiver's, as for a PATCH.
 */

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** How long a client may take to read its last message and to close. */
const CLOSE_MS = 5000;
/** What the client has to read before more is sent to it. */
const UNREAD_MAX_BYTES = 64 * KIB;
/** A day of pings is 5,760 pongs. */
const CONTROL_FRAMES_MAX = 10_000;
const FRAME_LIMITS = {
  frameMaxBytes: SOCKET_FRAME_MAX_BYTES,
  textMaxBytes: SOCKET_TEXT_MAX_BYTES,
  shortFramesMax: SOCKET_SHORT_FRAMES_MAX,
  frameMeanBytes: SOCKET_FRAME_MEAN_BYTES,
  controlFramesMax: CONTROL_FRAMES_MAX,
};
/** The catalogue's words for a broken protocol. */
const CODE_OF_CLOSE: Readonly<Record<number, ErrorCode>> = { [CLOSE.tooBig]: 'request.too_large' };

/** What the receiver reads: the payload of the binary frames, as the body of a PATCH. */
class FrameBody extends Readable {
  readonly #socket: Socket;
  constructor(socket: Socket) {
    super();
    this.#socket = socket;
  }
  override _read(): void {
    this.#socket.resume();
  }
  takePart(part: Buffer): void {
    if (!this.push(part)) this.#socket.pause();
  }
}

const malformed = (message: string) => new AppError('request.invalid', { message });

/** @throws request.invalid */
function parseBegin(text: string): SocketBegin {
  let message: Partial<Record<keyof SocketBegin, unknown>> | null;
  try {
    message = JSON.parse(text);
  } catch (error) {
    throw new AppError('request.invalid', { message: 'the first message is not JSON' }, { cause: error });
  }
  const { id, offset, token } = message ?? {};
  const isBegin = typeof id === 'string' && typeof token === 'string' && Number.isSafeInteger(offset);
  if (!isBegin || Number(offset) < 0) throw malformed('the first message has id, offset and token');
  return { id, offset: Number(offset), token };
}

type SessionDeps = AppDeps & {
  readonly receiver: Receiver;
  readonly transfers: Transfers;
};

interface Session {
  /** Ends it with an error. */
  fail(error: AppError, closeCode?: number): void;
}

/** One connection: it waits for the first message, begins, receives bytes, and is over. */
function openSession(deps: SessionDeps, request: FastifyRequest, { socket, head }: Upgraded): Session {
  const { tokens, database, gate, timeouts, receiver, transfers } = deps;
  const begunAtMs = performance.now();
  const body = new FrameBody(socket);
  let state: 'waiting' | 'beginning' | 'receiving' | 'over' = 'waiting';
  let viewer: Viewer | null = null;
  let missingBytes = 0;
  let receivedBytes = 0;
  let hasAnswered = true;
  let isBroken = false;

  const send = (frame: Buffer) => {
    if (socket.writable) socket.write(frame);
  };
  const say = (message: unknown) => send(textFrame(JSON.stringify(message)));

  function log(status: number, failure: AppError | null): void {
    const ms = Math.round(performance.now() - begunAtMs);
    const user = viewer && { user: tokens.hashForLog(viewer.profile_id) };
    request.log.info(
      {
        route: UPLOAD_SOCKET_PATH,
        method: 'GET',
        status,
        ms,
        bytes: receivedBytes,
        ...user,
        ...failureFields(failure),
      },
      'answered',
    );
  }

  /**
   * Ends the session after what was said, and waits for the client's Close frame. A proxy would pass an earlier end on at once,
   * and bytes of the client that are still under way would then reset the connection before the client has read why.
   */
  function close(code: number, reason: string, status: number, failure: AppError | null = null): void {
    if (state === 'over') return;
    state = 'over';
    clearTimeout(late);
    clearInterval(pings);
    send(closeFrame(code, reason));
    socket.resume();
    setTimeout(() => socket.destroy(), CLOSE_MS).unref();
    body.destroy();
    log(status, failure);
  }

  /**
   * RFC 6455 §5.5.1: "If an endpoint receives a Close frame and did not previously send a Close frame, the endpoint MUST send a
   * Close frame in response. […] After both sending and receiving a Close message, an endpoint considers the WebSocket
   * connection closed and MUST close the underlying TCP connection."
   */
  function hearClose(): void {
    close(CLOSE.normal, '', 499);
    socket.end();
  }

  function fail(error: AppError, closeCode = SOCKET_CLOSE_BASE + error.status): void {
    if (state === 'over') return;
    if (isUnexpected(error)) request.log.error({ error, route: UPLOAD_SOCKET_PATH }, error.code);
    say(error.toWire(request.id));
    close(closeCode, error.code, error.status, error);
  }

  /** @throws upload.unauthenticated, request.too_many */
  async function authenticate(token: string): Promise<Viewer> {
    const bearer = tokens.verifyBearer(token);
    const isAlive = bearer && (await inSessionTurn(gate, request, () => isSessionAlive(database.db, bearer)));
    if (!bearer || !isAlive) throw new AppError('upload.unauthenticated');
    return bearer;
  }

  async function receive({ id, offset, token }: SocketBegin): Promise<void> {
    if (!UUID.test(id)) throw new AppError('upload.not_found');
    viewer = await authenticate(token);
    const endTransfer = transfers.begin(request, 'upload', viewer.profile_id);
    const { profile_id: profileId, session_id: sessionId } = viewer;
    const input = { id, profileId, sessionId, offsetBytes: offset, body, bodyBytes: null, checksum: null };
    const appended = receiver.append({
      ...input,
      onWritten: frames.giveBack,
      onBegun(leftBytes) {
        if (state !== 'beginning') return;
        missingBytes = leftBytes;
        state = 'receiving';
        say({ ready: offset });
      },
      onCommitted: (ack) => say({ ack }),
    });
    const { upload, isWhole } = await appended.finally(endTransfer);
    if (!isWhole || state === 'over') return;
    say({ done: upload.offset_bytes });
    close(CLOSE.normal, '', 200);
  }

  function takeText(text: string): void {
    if (state !== 'waiting') throw malformed('only the first message is text');
    const begin = parseBegin(text);
    state = 'beginning';
    clearTimeout(late);
    receive(begin).catch((error: unknown) => fail(toHttpError(error)));
  }

  function takeBytes(part: Buffer): void {
    if (state !== 'receiving') throw malformed('bytes follow the answer to the first message');
    receivedBytes += part.length;
    if (part.length > missingBytes) throw new AppError('upload.length_exceeded');
    missingBytes -= part.length;
    body.takePart(part);
    if (missingBytes === 0) body.push(null);
  }

  /** An error ends the session and not the reader, which drops further frames until the client has closed. */
  function attempt(act: () => void, drop: () => void = () => undefined): void {
    try {
      if (state === 'over') drop();
      else act();
    } catch (error) {
      drop();
      fail(toHttpError(error));
    }
  }

  const frames = createFrameReader(
    {
      onBytes: (part) =>
        attempt(
          () => takeBytes(part),
          () => frames.giveBack(part),
        ),
      onText: (text) => attempt(() => takeText(text)),
      onPing(payload) {
        if (socket.writableLength > UNREAD_MAX_BYTES) socket.destroy();
        send(pongFrame(payload));
      },
      onClose: hearClose,
    },
    FRAME_LIMITS,
  );

  function take(bytes: Buffer): void {
    hasAnswered = true;
    if (isBroken || bytes.length === 0) return;
    try {
      frames.take(bytes);
    } catch (error) {
      // A client that breaks the protocol is not waited for.
      isBroken = true;
      if (error instanceof FrameError)
        fail(new AppError(CODE_OF_CLOSE[error.code] ?? 'request.invalid', { message: error.message }), error.code);
      else fail(toHttpError(error));
      socket.end();
    }
  }

  const late = setTimeout(() => fail(new AppError('request.timeout')), timeouts.socketBeginMs);
  /** Keeps proxies from closing a connection whose client waits for the disk, and finds clients that have gone. */
  const pings = setInterval(() => {
    // A paused socket shows no pong.
    if (!hasAnswered && !socket.isPaused()) return void socket.destroy();
    hasAnswered = false;
    send(pingFrame());
  }, timeouts.socketPingMs);

  socket.setTimeout(0);
  socket.setNoDelay(true);
  socket.on('data', take);
  socket.on('end', () => socket.destroy());
  socket.once('close', () => close(CLOSE.goingAway, '', 499));
  take(head);
  return { fail };
}

/** Upload sockets, which end at once when their server does: a page opens another and continues. */
export interface UploadSockets {
  readonly route: FastifyPluginAsync;
  /** Ends all of them, and takes no further ones. */
  close(): void;
}

export function createUploadSockets(deps: AppDeps, receiver: Receiver, transfers: Transfers): UploadSockets {
  const sessions = new Map<Socket, Session>();
  let isClosing = false;

  const route: FastifyPluginAsync = async (scope) => {
    routeUpgrades(scope);
    scope.get(UPLOAD_SOCKET_PATH, async (request, reply) => {
      if (isClosing) throw new AppError('request.unavailable');
      const upgraded = acceptUpgrade(request, reply, deps.config);
      const { socket } = upgraded;
      sessions.set(socket, openSession({ ...deps, receiver, transfers }, request, upgraded));
      socket.once('close', () => sessions.delete(socket));
      return reply;
    });
  };

  return {
    route,
    close() {
      isClosing = true;
      for (const session of sessions.values()) session.fail(new AppError('request.unavailable'));
    },
  };
}
