import { PATHS } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { maxSealedBytes } from '@satchel/contract/limits';
import type { Tiers } from '@satchel/contract/tiers';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../domain/folders.ts';
import type { Progress } from '../domain/leases.ts';
import { type Appended, type AppendInput, createReceiver, type Receiver } from '../domain/receiver.ts';
import { createUpload, discardUpload } from '../domain/uploads.ts';
import { inClientTurn } from './client-turns.ts';
import type { Transfers } from './connections.ts';
import type { AppDeps } from './deps.ts';
import { openStorageScope, requireLiveSessions } from './storage-scope.ts';
import { CHECKSUM_ALGORITHMS, headerOf, parseChecksum, parseCreation, wholeNumber } from './upload-headers.ts';

/** Resumable uploads: tus 1.0.0 with creation, creation-with-upload, expiration, termination and checksum (DESIGN §5). */

const TUS_VERSION = '1.0.0';
const EXTENSIONS = 'creation,creation-with-upload,expiration,termination,checksum';
const BYTES_TYPE = 'application/offset+octet-stream';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A line that died without a word is noticed after this. */
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

function progressHeaders(upload: Progress): Record<string, string> {
  return { 'upload-offset': String(upload.offset_bytes), 'upload-expires': upload.expires_at.toUTCString() };
}

/** A request with a body as the receiver wants it. */
function sendingOf(request: FastifyRequest) {
  const { profile_id: profileId, session_id: sessionId } = viewerOf(request);
  request.raw.socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return {
    profileId,
    sessionId,
    body: request.raw,
    bodyBytes: wholeNumber(headerOf(request.headers, 'content-length')),
    checksum: parseChecksum(headerOf(request.headers, 'upload-checksum')),
  };
}

function options(tiers: Tiers, reply: FastifyReply): FastifyReply {
  const maxFileBytes = Math.max(...Object.values(tiers).map((limits) => limits.max_file_bytes));
  return reply.code(204).headers({
    'tus-version': TUS_VERSION,
    'tus-extension': EXTENSIONS,
    'tus-max-size': String(maxSealedBytes(maxFileBytes)),
    'tus-checksum-algorithm': CHECKSUM_ALGORITHMS,
  });
}

/** Receives a body, counted as a transfer of its sender's network for as long. */
type Append = (request: FastifyRequest, input: AppendInput) => Promise<Appended>;

interface Receiving {
  readonly receiver: Receiver;
  readonly append: Append;
}

/** POST: makes an upload, and with creation-with-upload takes its first bytes. */
async function create(
  { config, database, blobs, gate }: AppDeps,
  append: Append,
  request: FastifyRequest,
): Promise<Progress> {
  const sending = sendingOf(request);
  const stores = { db: database.db, blobs };
  const creation = parseCreation(request.headers);
  const upload = await inClientTurn(gate, request, () => createUpload(stores, viewerOf(request), creation, config));
  if (!carriesBytes(request)) return upload;
  try {
    const appended = await append(request, { id: upload.id, offsetBytes: 0, ...sending });
    // Whoever left before the answer never learned the address of what it made.
    if (!appended.isWhole) await discardUpload(stores, upload);
    return appended.upload;
  } catch (error) {
    await discardUpload(stores, upload);
    throw error;
  }
}

async function patch({ append }: Receiving, request: UploadRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!carriesBytes(request)) throw new AppError('upload.bad_content_type');
  const offsetBytes = wholeNumber(headerOf(request.headers, 'upload-offset'));
  if (offsetBytes === null) throw new AppError('upload.bad_offset');
  const { upload } = await append(request, { id: idOf(request), offsetBytes, ...sendingOf(request) });
  return reply.code(204).headers(progressHeaders(upload)).send();
}

async function head({ receiver }: Receiving, request: UploadRequest, reply: FastifyReply): Promise<FastifyReply> {
  const upload = await receiver.resume(idOf(request), profileOf(request));
  reply.headers({ ...progressHeaders(upload), 'upload-length': String(upload.length_bytes) });
  return reply.headers({ 'upload-metadata': upload.metadata, 'cache-control': 'no-store' }).send();
}

async function terminate({ receiver }: Receiving, request: UploadRequest, reply: FastifyReply): Promise<FastifyReply> {
  await receiver.terminate(idOf(request), profileOf(request));
  return reply.code(204).send();
}

/** Hooks that every call but OPTIONS passes, in the order in which they refuse. */
function requireTus(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request, reply) => {
    reply.header('tus-resumable', TUS_VERSION);
    if (request.method === 'OPTIONS') return;
    profileOf(request);
    if (headerOf(request.headers, 'tus-resumable') === TUS_VERSION) return;
    reply.header('tus-version', TUS_VERSION);
    throw new AppError('upload.bad_version');
  });
}

interface UploadHooks {
  readonly transfers: Transfers;
  /** Told of each upload that has become a file. */
  readonly onCompleted: (folderId: string) => void;
}

export function uploadRoutes(deps: AppDeps, { transfers, onCompleted }: UploadHooks): FastifyPluginAsync {
  return async (scope) => {
    const receiver = createReceiver({ db: deps.database.db, blobs: deps.blobs, onCompleted }, deps.patience.pace);
    const append: Append = async (request, input) => {
      const endTransfer = transfers.begin(request);
      return receiver.append(input).finally(endTransfer);
    };
    const receiving = { receiver, append };
    const publicUrl = `${deps.config.publicUrl}${PATHS.resumable}`;
    openStorageScope(scope, deps);
    requireLiveSessions(scope, deps);
    requireTus(scope);
    // Bodies reach the receiver as they come, whatever they are and however long.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    // Before the server waits for its connections to end.
    scope.addHook('preClose', () => receiver.close());

    scope.options(PATHS.resumable, async (_request, reply) => options(deps.config.tiers, reply).send());
    scope.post(PATHS.resumable, async (request, reply) => {
      const upload = await create(deps, append, request);
      reply.code(201).headers(progressHeaders(upload));
      return reply.header('location', `${publicUrl}/${upload.id}`).send();
    });

    const byMethod: Record<string, typeof patch> = { HEAD: head, PATCH: patch, DELETE: terminate };
    for (const [method, act] of Object.entries(byMethod)) {
      scope.route<{ Params: { id: string } }>({
        method,
        url: `${PATHS.resumable}/:id`,
        // The description of the API leaves out HEAD, which elsewhere only says what GET says.
        config: { swagger: { exposeHeadRoute: true } },
        handler: (request, reply) => act(receiving, request, reply),
      });
    }
    // The protocol lets senders behind old proxies name the method in a header.
    scope.post<{ Params: { id: string } }>(`${PATHS.resumable}/:id`, async (request, reply) => {
      const method = headerOf(request.headers, 'x-http-method-override') ?? '';
      const act = Object.hasOwn(byMethod, method) && byMethod[method];
      if (!act) throw new AppError('request.not_found');
      return act(receiving, request, reply);
    });
  };
}
