import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { maxSealedBytes } from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../../domain/access/find-folder.ts';
import type { Progress } from '../../domain/uploads/leases.ts';
import { type Appended, type AppendInput, createReceiver, type Receiver } from '../../domain/uploads/receiver.ts';
import { createSiteQuota, type SiteQuota } from '../../domain/uploads/site-quota.ts';
import { acceptingFolder, createUpload, deleteUpload } from '../../domain/uploads/uploads.ts';
import { createWholeUploads, WHOLE_MAX_BYTES, type WholeUploads } from '../../domain/uploads/whole-uploads.ts';
import { freeChunk } from '../../platform/blobs/body-batches.ts';
import { inClientTurn } from '../client-turns.ts';
import type { Transfers } from '../connections.ts';
import type { AppDeps } from '../deps.ts';
import { openStorageScope, requireLiveSessions } from './storage-scope.ts';
import { CHECKSUM_ALGORITHMS, headerOf, parseChecksum, parseCreation, wholeNumber } from './upload-headers.ts';
import { createUploadSockets } from './upload-socket.ts';

/**
 * Resumable uploads: tus 1.0.0 with creation, creation-with-upload, expiration, termination and checksum.
 */

const TUS_VERSION = '1.0.0';
const EXTENSIONS = 'creation,creation-with-upload,expiration,termination,checksum';
const BYTES_TYPE = 'application/offset+octet-stream';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Keep-alive probes find a dead connection after this. */
const KEEP_ALIVE_MS = 60_000;

type UploadRequest = FastifyRequest<{ Params: { id: string } }>;

/** @throws upload.unauthenticated */
function viewerOf(request: FastifyRequest): Viewer {
  if (!request.viewer) throw new AppError('upload.unauthenticated');
  return request.viewer;
}
const profileOf = (request: FastifyRequest) => viewerOf(request).profile_id;

/** @throws upload.not_found */
function idOf(request: UploadRequest): string {
  if (!UUID.test(request.params.id)) throw new AppError('upload.not_found');
  return request.params.id;
}

const carriesBytes = (request: FastifyRequest) => headerOf(request.headers, 'content-type') === BYTES_TYPE;

/**
 * tus, Upload-Expires: "This header MUST be included in every `PATCH` response if the upload is going to expire. If the
 * expiration is known at the creation, the `Upload-Expires` header MUST be included in the response to the initial
 * `POST` request."
 */
function progressHeaders(upload: Progress): Record<string, string> {
  return { 'upload-offset': String(upload.offset_bytes), 'upload-expires': upload.expires_at.toUTCString() };
}

/** What the receiver needs of a request with a body. */
function sendingOf(request: FastifyRequest) {
  const { profile_id: profileId, session_id: sessionId } = viewerOf(request);
  request.raw.socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return {
    profileId,
    sessionId,
    body: request.raw,
    onWritten: freeChunk,
    bodyBytes: wholeNumber(headerOf(request.headers, 'content-length')),
    checksum: parseChecksum(headerOf(request.headers, 'upload-checksum')),
  };
}

/**
 * tus, OPTIONS: "A successful response indicated by the `204 No Content` or `200 OK` status MUST contain the
 * `Tus-Version` header. It MAY include the `Tus-Extension` and `Tus-Max-Size` headers."
 * tus, Checksum: "The `Tus-Checksum-Algorithm` header MUST be included in the response to an `OPTIONS` request."
 */
function options(tiers: Tiers, reply: FastifyReply): FastifyReply {
  const maxFileBytes = Math.max(...Object.values(tiers).map((limits) => limits.max_file_bytes));
  return reply.code(204).headers({
    'tus-version': TUS_VERSION,
    'tus-extension': EXTENSIONS,
    'tus-max-size': String(maxSealedBytes(maxFileBytes)),
    'tus-checksum-algorithm': CHECKSUM_ALGORITHMS,
  });
}

/** Receives a body, and counts it as a transfer of its sender's network while it does. */
type Append = (request: FastifyRequest, input: AppendInput) => Promise<Appended>;

interface Receiving {
  readonly receiver: Receiver;
  readonly append: Append;
  readonly wholeUploads: WholeUploads;
  readonly transfers: Transfers;
  readonly siteQuota: SiteQuota;
}

/**
 * POST: creates an upload.
 * tus, Creation With Upload: "The Client MAY include either the entirety or a chunk of the upload data in the body of
 * the `POST` request. In this case, similar rules as for the `PATCH` request and response apply."
 */
async function create(
  deps: AppDeps,
  { receiver, append, wholeUploads, transfers, siteQuota }: Receiving,
  request: FastifyRequest,
): Promise<Progress> {
  const { config, database, blobs, gate } = deps;
  const sending = sendingOf(request);
  const stores = { db: database.db, blobs };
  const viewer = viewerOf(request);
  const upload = parseCreation(request.headers);
  receiver.requireOpen();
  await siteQuota.take(upload.length_bytes);
  const isSmall = sending.bodyBytes === upload.length_bytes && upload.length_bytes <= WHOLE_MAX_BYTES;
  // An empty file is whole with its creation, whether or not the request says that it carries bytes.
  if (upload.length_bytes === 0 || (carriesBytes(request) && isSmall)) {
    const { id: folderId } = await inClientTurn(gate, request, () => acceptingFolder(stores.db, viewer, upload));
    const endTransfer = transfers.begin(request, 'upload');
    try {
      const stored = wholeUploads.store({ folderId, viewer, upload, ...sending });
      if (stored) return await stored;
    } finally {
      endTransfer();
    }
  }
  const created = await inClientTurn(gate, request, () => createUpload(stores, viewer, upload, config));
  if (!carriesBytes(request)) return created;
  // Its sender never learned the upload's address.
  const forget = () => deleteUpload(stores, created, 'unknown');
  try {
    const appended = await append(request, { id: created.id, offsetBytes: 0, ...sending });
    // The sender left before the answer.
    if (!appended.isWhole) await forget();
    return appended.upload;
  } catch (error) {
    await forget();
    throw error;
  }
}

async function patch({ append }: Receiving, request: UploadRequest, reply: FastifyReply): Promise<FastifyReply> {
  // tus, PATCH: "All `PATCH` requests MUST use `Content-Type: application/offset+octet-stream`, otherwise the server
  // SHOULD return a `415 Unsupported Media Type` status."
  if (!carriesBytes(request)) throw new AppError('upload.bad_content_type');
  // tus, Upload-Offset: "The value MUST be a non-negative integer."
  const offsetBytes = wholeNumber(headerOf(request.headers, 'upload-offset'));
  if (offsetBytes === null) throw new AppError('upload.bad_offset');
  const { upload } = await append(request, { id: idOf(request), offsetBytes, ...sendingOf(request) });
  // tus, PATCH: "The Server MUST acknowledge successful `PATCH` requests with the `204 No Content` status. It MUST
  // include the `Upload-Offset` header containing the new offset."
  return reply.code(204).headers(progressHeaders(upload)).send();
}

async function head({ receiver }: Receiving, request: UploadRequest, reply: FastifyReply): Promise<FastifyReply> {
  const upload = await receiver.resume(idOf(request), profileOf(request));
  // tus, HEAD: "The Server MUST always include the `Upload-Offset` header in the response for a `HEAD` request, even if
  // the offset is `0`, or the upload is already considered completed. If the size of the upload is known, the Server
  // MUST include the `Upload-Length` header in the response."
  reply.headers({ ...progressHeaders(upload), 'upload-length': String(upload.length_bytes) });
  // tus, Creation: "If an upload contains additional metadata, responses to `HEAD` requests MUST include the
  // `Upload-Metadata` header and its value as specified by the Client during the creation."
  // tus, HEAD: "The Server MUST prevent the client and/or proxies from caching the response by adding the
  // `Cache-Control: no-store` header to the response."
  return reply.headers({ 'upload-metadata': upload.metadata, 'cache-control': 'no-store' }).send();
}

async function terminate({ receiver }: Receiving, request: UploadRequest, reply: FastifyReply): Promise<FastifyReply> {
  // tus, Termination: "When receiving a `DELETE` request for an existing upload the Server SHOULD free associated
  // resources and MUST respond with the `204 No Content` status confirming that the upload was terminated."
  await receiver.terminate(idOf(request), profileOf(request));
  return reply.code(204).send();
}

/** Refuses strangers and other versions of tus. */
function requireTus(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request, reply) => {
    // tus, Tus-Resumable: "The `Tus-Resumable` header MUST be included in every request and response except for
    // `OPTIONS` requests."
    reply.header('tus-resumable', TUS_VERSION);
    // tus, OPTIONS: "The Client SHOULD NOT include the `Tus-Resumable` header in the request and the Server MUST ignore
    // the header."
    if (request.method === 'OPTIONS') return;
    profileOf(request);
    // tus, Tus-Resumable: "If the version specified by the Client is not supported by the Server, it MUST respond with
    // the `412 Precondition Failed` status and MUST include the `Tus-Version` header into the response. In addition,
    // the Server MUST NOT process the request."
    if (headerOf(request.headers, 'tus-resumable') === TUS_VERSION) return;
    reply.header('tus-version', TUS_VERSION);
    throw new AppError('upload.bad_version');
  });
}

interface UploadHooks {
  readonly transfers: Transfers;
  /** Called for each upload that has become a file. */
  readonly onCompleted: (folderId: string) => void;
}

interface TusParts {
  readonly receiver: Receiver;
  readonly wholeUploads: WholeUploads;
  readonly transfers: Transfers;
}

/** The tus routes, in their own scope: its hooks are not the socket's. */
function tusRoutes(deps: AppDeps, { receiver, wholeUploads, transfers }: TusParts): FastifyPluginAsync {
  return async (scope) => {
    const append: Append = async (request, input) => {
      const endTransfer = transfers.begin(request, 'upload');
      return receiver.append(input).finally(endTransfer);
    };
    const { freeSpace, database, config } = deps;
    const siteQuota = createSiteQuota(database.db, freeSpace, config.siteStorageBytes);
    const receiving = { receiver, append, wholeUploads, transfers, siteQuota };
    const publicUrl = `${deps.config.publicUrl}${PATHS.resumable}`;
    openStorageScope(scope, deps);
    requireLiveSessions(scope, deps);
    requireTus(scope);
    // Bodies of any type and length reach the receiver as a stream.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));

    scope.options(PATHS.resumable, async (_request, reply) => options(deps.config.tiers, reply).send());
    scope.post(PATHS.resumable, async (request, reply) => {
      const upload = await create(deps, receiving, request);
      // tus, Creation: "The Server MUST acknowledge a successful upload creation with the `201 Created` status. The
      // Server MUST set the `Location` header to the URL of the created resource."
      reply.code(201).headers(progressHeaders(upload));
      return reply.header('location', `${publicUrl}/${upload.id}`).send();
    });

    const byMethod: Record<string, typeof patch> = { HEAD: head, PATCH: patch, DELETE: terminate };
    for (const [method, act] of Object.entries(byMethod)) {
      scope.route<{ Params: { id: string } }>({
        method,
        url: `${PATHS.resumable}/:id`,
        // The API's description leaves out HEAD, which on other routes repeats GET.
        config: { swagger: { exposeHeadRoute: true } },
        handler: (request, reply) => act(receiving, request, reply),
      });
    }
    // tus, X-HTTP-Method-Override: "The `X-HTTP-Method-Override` request header MUST be a string which MUST be
    // interpreted as the request's method by the Server, if the header is presented."
    scope.post<{ Params: { id: string } }>(`${PATHS.resumable}/:id`, async (request, reply) => {
      const method = headerOf(request.headers, 'x-http-method-override') ?? '';
      const act = Object.hasOwn(byMethod, method) && byMethod[method];
      if (!act) throw new AppError('request.not_found');
      return act(receiving, request, reply);
    });
  };
}

/** The routes of uploads: tus and the socket, which bring bytes to the same receiver. */
export function uploadRoutes(deps: AppDeps, { transfers, onCompleted }: UploadHooks): FastifyPluginAsync {
  return async (scope) => {
    const receiverDeps = { db: deps.database.db, blobs: deps.blobs, onCompleted };
    const receiver = createReceiver(receiverDeps, deps.timeouts.senderRate);
    const wholeUploads = createWholeUploads(receiverDeps, deps.config, deps.timeouts.senderRate);
    const sockets = createUploadSockets(deps, receiver, transfers);
    // Uploads end before the server waits for its connections to end.
    scope.addHook('preClose', async () => {
      sockets.close();
      const { uploadEndMs } = deps.timeouts;
      await Promise.all([receiver.close(uploadEndMs), wholeUploads.close(uploadEndMs)]);
    });
    scope.register(tusRoutes(deps, { receiver, wholeUploads, transfers }));
    scope.register(sockets.route);
  };
}
