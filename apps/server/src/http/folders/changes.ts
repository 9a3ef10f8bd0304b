import { Readable } from 'node:stream';
import { AppError } from '@satchel/contract/errors';
import { CHANGES_PATH, type FolderChange, STREAM_BEAT_SECONDS } from '@satchel/contract/wire/folder-changes';
import { FollowFoldersInput, FollowFoldersOutput } from '@satchel/contract/wire/follow-folders';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Requester } from '../../domain/access/folder-access.ts';
import { createFolderFollowing } from '../../domain/access/follow-folders.ts';
import { createDescriptorBudget, type DescriptorLimits } from '../../domain/base/descriptor-budget.ts';
import { hashToken } from '../../platform/keys/tokens.ts';
import { inClientTurn } from '../client-turns.ts';
import { sessionTokenOf } from '../cookies.ts';
import type { AppDeps } from '../deps.ts';
import { reportTo } from '../log.ts';
import { networkOf } from '../networks.ts';
import { requesterOf } from '../requester.ts';

/**
 * What changed in the folders of open pages (docs/decisions/027): as a stream of server-sent events for a client that
 * accepts one, else once, for a page that has to ask again and again.
 */

const STREAM = 'text/event-stream';
const RETRY_AFTER_SECONDS = 30;
/** The stream of a client that leaves more than this unread ends: the client reads nothing any more. */
const UNREAD_MAX_BYTES = 8192;
/** Number of groups of streams: one group a second gets its comments, so not all at once. */
const BEATS = STREAM_BEAT_SECONDS;

// HTML, server-sent events: "Legacy proxy servers are known to, in certain cases, drop HTTP connections after a short
// timeout. To protect against such proxy servers, authors can include a comment line (one starting with a ':' character)
// every 15 seconds or so."
const COMMENT = ':\n\n';
const eventOf = (change: FolderChange) => `data: ${JSON.stringify(change)}\n\n`;

class ChangeStream extends Readable {
  override _read(): void {}
  say(text: string): void {
    if (this.destroyed || this.readableEnded) return;
    if (this.readableLength > UNREAD_MAX_BYTES) this.destroy();
    else this.push(text);
  }
}

/** All open streams; they end before the server waits for its connections. */
function createStreams() {
  const groups = Array.from({ length: BEATS }, () => new Set<ChangeStream>());
  let next = 0;
  let isClosed = false;
  const beat = setInterval(() => {
    next = (next + 1) % BEATS;
    for (const stream of groups[next]!) stream.say(COMMENT);
  }, 1000);
  beat.unref();
  return {
    get isClosed() {
      return isClosed;
    },
    open(): ChangeStream {
      const stream = new ChangeStream();
      // The group whose turn was last has the longest time until its first comment.
      const group = groups[next]!;
      group.add(stream);
      stream.once('close', () => group.delete(stream));
      return stream;
    },
    close(): void {
      isClosed = true;
      clearInterval(beat);
      for (const group of groups) for (const stream of group) stream.push(null);
    },
  };
}

/** Streams may take half of a network's connections, and half of all: the rest is for requests that end. */
function createStreamBudget({ connections, perNetwork }: DescriptorLimits) {
  const budget = createDescriptorBudget({
    connections,
    transfers: Math.floor(connections / 2),
    perNetwork,
    transfersPerNetwork: Math.max(1, Math.floor(perNetwork / 2)),
  });
  return (request: FastifyRequest) => {
    const taken = budget.takeTransfer(networkOf(request.ip), request.viewer?.profile_id);
    if (typeof taken === 'function') return taken;
    const code = taken === 'network_full' ? 'request.crowded' : 'request.busy';
    throw new AppError(code, { retry_after_seconds: RETRY_AFTER_SECONDS });
  };
}

export function changeRoutes(deps: AppDeps): FastifyPluginAsyncZod {
  const { config, database, gate, logger, changeChannel, descriptorLimits } = deps;
  const takeStream = createStreamBudget(descriptorLimits);

  /** By the session itself, not by its account: a stream ends with the session that opened it. */
  function followerOf(request: FastifyRequest): Requester {
    const requester = requesterOf(request, config);
    const token = sessionTokenOf(request, config);
    if (!request.viewer || !token) return requester;
    return { ...requester, profile_id: null, session_hash: hashToken(token) };
  }

  return async (app) => {
    const following = createFolderFollowing({
      db: database.db,
      elsewhere: changeChannel,
      report: reportTo(logger, 'changed folders not looked up'),
    });
    const streams = createStreams();
    // Not onClose, which waits for the last request: a stream would hold the end of the process for ten seconds.
    app.addHook('preClose', async () => streams.close());
    app.addHook('onClose', () => following.close());

    async function stream(request: FastifyRequest<{ Body: FollowFoldersInput }>, reply: FastifyReply) {
      // A server that ends closes each stream once.
      if (streams.isClosed) throw new AppError('request.unavailable');
      const giveBack = takeStream(request);
      const open = streams.open();
      let stop = () => {};
      open.once('close', () => {
        stop();
        giveBack();
      });
      try {
        const follower = { requester: followerOf(request), tell: (change: FolderChange) => open.say(eventOf(change)) };
        const followed = await inClientTurn(gate, request, () => following.follow(request.body.slugs, follower));
        stop = followed.stop;
        if (open.destroyed || request.raw.socket.destroyed) throw new AppError('request.unavailable');
        open.say(followed.first.map(eventOf).join(''));
      } catch (error) {
        stop();
        open.destroy();
        throw error;
      }
      reply.headers({
        'content-type': STREAM,
        'cache-control': 'no-store, no-transform',
        // It ends with the server or the page: no further request comes on it.
        connection: 'close',
        // nginx collects answers, unless told otherwise.
        'x-accel-buffering': 'no',
      });
      return reply.send(open);
    }

    app.post(
      CHANGES_PATH,
      { schema: { body: FollowFoldersInput, response: { 200: FollowFoldersOutput } } },
      async (request, reply) => {
        if (request.headers.accept?.includes(STREAM)) return stream(request, reply);
        const { slugs } = request.body;
        return { folders: await inClientTurn(gate, request, () => following.look(slugs, followerOf(request))) };
      },
    );
  };
}
