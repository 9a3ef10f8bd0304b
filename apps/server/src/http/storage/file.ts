import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { ListInput, ListOutput, PATHS, RelabelInput, RemoveInput, SignInput, SignOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { isSafeSegment, splitObjectPath } from '@satchel/contract/naming';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { folderByStoragePath } from '../../domain/access/find-folder.ts';
import { type Requester, requesterOfViewer } from '../../domain/access/folder-access.ts';
import { purgeBlobs } from '../../domain/files/blob-purge.ts';
import { createDownloadGuard } from '../../domain/files/download-guard.ts';
import { deleteFiles, fileByName, listFiles, type ObjectName, toFileEntry } from '../../domain/files/files.ts';
import { relabelFiles } from '../../domain/files/relabel-files.ts';
import { blobsOfFile } from '../../domain/files/stills.ts';
import { inClientTurn } from '../client-turns.ts';
import type { Transfers } from '../connections.ts';
import type { AppDeps } from '../deps.ts';
import { describeError } from '../errors.ts';
import { requesterOf, requireViewer, signedIn } from '../requester.ts';
import { CONTENT_PATH, type ContentLinks, type ContentReader } from './content-links.ts';
import { sendAddresses, takesAddresses } from './direct-reads.ts';
import { objectOfUrl, pathOfObject, requireBucket } from './object-path.ts';
import { awaitTurn, openFile, sendFile } from './send-object.ts';
import { clearEndedViewer, openStorageScope, requireLiveSessions } from './storage-scope.ts';

/** Listing, reading, signing and deleting objects, in the shapes of storage-js. */

const BucketParams = z.object({ bucket: z.string() });
const SignedQuery = z.object({ token: z.string().max(4096).default('') });
/** A thousand of the longest paths, escaped. */
const REMOVE_MAX_BYTES = 4 * MIB;
const DeletionMessage = z.object({ message: z.string() });
const squeeze = promisify(gzip);
/** A shorter answer is sent as it is. */
const SQUEEZED_FROM_BYTES = 1024;

/**
 * An onSend hook for answers that are long and hold nothing but what their reader may know: a list of sealed labels shrinks to
 * less than half. No answer with a token or a key has it: by the length, a person who can put text beside them could guess them.
 */
async function compressAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < SQUEEZED_FROM_BYTES) return payload;
  reply.header('vary', 'accept-encoding');
  if (!/\bgzip\b(?!\s*;\s*q=0(\.0*)?(,|$))/.test(request.headers['accept-encoding'] ?? '')) return payload;
  // The fastest level: only random bytes remain to be compressed.
  const body = await squeeze(payload, { level: constants.Z_BEST_SPEED });
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
  return body;
}

/** The folder of a listing's prefix, with or without a slash at its end. */
export function storagePathOf(prefix: string): string {
  const storagePath = prefix.replace(/\/$/, '');
  if (storagePath !== '' && !isSafeSegment(storagePath)) throw new AppError('storage.bad_path');
  return storagePath;
}

/** Turns a refusal into false; any other error is thrown on, since it doesn't say who may read. */
export function refused(error: unknown): false {
  if (error instanceof AppError) return false;
  throw error;
}

/** People with the link may list and read; in a restricted folder, only people who were let in. */
function reading(deps: AppDeps, transfers: Transfers): FastifyPluginAsyncZod {
  const { db } = deps.database;
  const report = (error: unknown) =>
    deps.logger.error({ error: describeError(error) }, 'download permission check failed');
  const watch = createDownloadGuard({ db, report });

  const { contentLinks } = deps;
  /** Requesters by a link of the other origin, which no cookie reaches. */
  const readers = new WeakMap<FastifyRequest, ContentReader>();

  function requesterFor(request: FastifyRequest): Requester {
    const reader = readers.get(request);
    if (!reader) return requesterOf(request, deps.config);
    const { session_hash, holder_hash } = reader;
    return { ...requesterOfViewer(request.viewer), session_hash: request.viewer ? null : session_hash, holder_hash };
  }

  const folderFor = (request: FastifyRequest, storagePath: string) =>
    folderByStoragePath(db, storagePath, requesterFor(request));

  async function find(request: FastifyRequest, { storagePath, segment }: ObjectName) {
    const folder = await folderFor(request, storagePath);
    return { folder, file: await fileByName(db, folder.id, segment) };
  }

  /** Leads to the file's bytes on the other origin. */
  async function lead(request: FastifyRequest, reply: FastifyReply, object: ObjectName, links: ContentLinks) {
    await inClientTurn(deps.gate, request, () => find(request, object));
    const { session_hash, holder_hash } = requesterFor(request);
    const link = links.linkTo(object, { viewer: request.viewer, session_hash, holder_hash });
    return reply.header('cache-control', 'private, no-store').redirect(link, 307);
  }

  /** @returns null when the bytes have to come from this server */
  async function leadToParts(request: FastifyRequest, reply: FastifyReply, object: ObjectName) {
    const { direct } = deps;
    if (!direct || readers.has(request) || !takesAddresses(request) || !direct.isOpen()) return null;
    return inClientTurn(deps.gate, request, async () =>
      sendAddresses({ db, direct }, request, reply, await find(request, object)),
    );
  }

  async function send(request: FastifyRequest, reply: FastifyReply, object: ObjectName): Promise<FastifyReply> {
    if (await leadToParts(request, reply, object)) return reply;
    if (contentLinks && !readers.has(request)) return lead(request, reply, object, contentLinks);
    await awaitTurn(reply);
    const look = async () => (await find(request, object)).file;
    const mayRead = async () => {
      await clearEndedViewer(request, deps);
      return look().then(() => true, refused);
    };
    const endTransfer = transfers.begin(request, 'download');
    try {
      // Only the look-up has its turn: a store that is slow to answer holds up no other request of the same client.
      const opened = await openFile(deps.blobs, () => inClientTurn(deps.gate, request, look));
      await sendFile(request, reply, { ...opened, watch, mayRead, isElsewhere: readers.has(request) });
    } finally {
      endTransfer();
    }
    return reply;
  }

  return async (scope) => {
    // A bearer whose session has ended no longer opens its owner's restricted folders.
    requireLiveSessions(scope, deps);
    scope.addHook('onClose', async () => watch.close());

    scope.post(
      `${PATHS.list}/:bucket`,
      { schema: { params: BucketParams, body: ListInput, response: { 200: ListOutput } }, onSend: compressAnswer },
      async (request) => {
        requireBucket(request.params.bucket);
        const folder = await folderFor(request, storagePathOf(request.body.prefix));
        return listFiles(db, folder.id, request.body);
      },
    );

    scope.route({
      method: ['GET', 'HEAD'],
      url: `${PATHS.objectPublic}/:bucket/*`,
      handler: (request, reply) => send(request, reply, objectOfUrl(request.raw.url ?? '', PATHS.objectPublic)),
    });
    scope.get(`${PATHS.object}/:bucket/*`, { exposeHeadRoute: false }, (request, reply) =>
      send(request, reply, objectOfUrl(request.raw.url ?? '', PATHS.object)),
    );

    if (contentLinks) {
      scope.get(
        `${CONTENT_PATH}/:bucket/*`,
        { schema: { hide: true, querystring: SignedQuery } },
        async (request, reply) => {
          const object = objectOfUrl(request.raw.url ?? '', CONTENT_PATH);
          const reader = contentLinks.readerOf(object, request.query.token);
          readers.set(request, reader);
          request.viewer = reader.viewer;
          await clearEndedViewer(request, deps);
          return send(request, reply, object);
        },
      );
    }

    scope.post(
      `${PATHS.objectSign}/:bucket/*`,
      { schema: { body: SignInput, response: { 200: SignOutput } } },
      async (request) => {
        const object = objectOfUrl(request.raw.url ?? '', PATHS.objectSign);
        const { folder } = await find(request, object);
        const path = pathOfObject(object);
        // No signed URL outlives its folder.
        const expiresAtMs = Math.min(Date.now() + request.body.expiresIn * 1000, folder.expires_at.getTime());
        const token = deps.tokens.signObject({ path, expiresAtMs });
        // Relative to the storage's address and not percent-encoded: storage-js adds both.
        return { signedURL: `${PATHS.objectSign.slice(PATHS.storage.length)}/${path}?token=${token}` };
      },
    );

    scope.get(
      `${PATHS.objectSign}/:bucket/*`,
      { exposeHeadRoute: false, schema: { querystring: SignedQuery } },
      async (request, reply) => {
        const object = objectOfUrl(request.raw.url ?? '', PATHS.objectSign);
        await folderFor(request, object.storagePath);
        if (!deps.tokens.verifyObject(request.query.token, pathOfObject(object))) {
          throw new AppError('storage.bad_token');
        }
        return send(request, reply, object);
      },
    );
  };
}

/** Only for the owner, also after the folder has expired. */
function removing(deps: AppDeps): FastifyPluginAsyncZod {
  const { blobs } = deps;
  const { db } = deps.database;

  async function remove(request: FastifyRequest, objects: readonly ObjectName[]) {
    const removed = await deleteFiles(db, requireViewer(request), objects);
    await purgeBlobs({ db, blobs }, removed.flatMap(blobsOfFile));
    return removed.map(toFileEntry);
  }

  return async (scope) => {
    requireLiveSessions(scope, deps);
    scope.addHook('onRequest', signedIn);

    scope.delete(`${PATHS.object}/:bucket/*`, { schema: { response: { 200: DeletionMessage } } }, async (request) => {
      const removed = await remove(request, [objectOfUrl(request.raw.url ?? '', PATHS.object)]);
      if (removed.length === 0) throw new AppError('storage.not_found');
      return { message: 'Successfully deleted' };
    });

    scope.delete(
      `${PATHS.object}/:bucket`,
      {
        bodyLimit: REMOVE_MAX_BYTES,
        schema: { params: BucketParams, body: RemoveInput, response: { 200: ListOutput } },
      },
      async (request) => {
        requireBucket(request.params.bucket);
        return remove(request, request.body.prefixes.map(splitObjectPath));
      },
    );
  };
}

/** New labels for the files of a folder, which has not expired: only for its owner. */
function relabelling(deps: AppDeps): FastifyPluginAsyncZod {
  const { db } = deps.database;
  return async (scope) => {
    requireLiveSessions(scope, deps);
    scope.addHook('onRequest', signedIn);

    scope.patch(
      `${PATHS.object}/:bucket`,
      { bodyLimit: MIB, schema: { params: BucketParams, body: RelabelInput, response: { 200: ListOutput } } },
      async (request) => {
        requireBucket(request.params.bucket);
        const { prefix, labels } = request.body;
        const viewer = requireViewer(request);
        return (await relabelFiles(db, { storagePath: storagePathOf(prefix), viewer, labels })).map(toFileEntry);
      },
    );
  };
}

export function fileRoutes(deps: AppDeps, transfers: Transfers): FastifyPluginAsyncZod {
  return async (scope) => {
    openStorageScope(scope, deps);
    await scope.register(reading(deps, transfers));
    await scope.register(removing(deps));
    await scope.register(relabelling(deps));
  };
}
