import { Readable } from 'node:stream';
import { PATHS, StillInput, StillsStored } from '@satchel/contract/api';
import { isSafeSegment } from '@satchel/contract/naming';
import { decodeFrames, encodeLength, type StillFrame, type StillSize } from '@satchel/contract/wire/still-frames';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { folderByStoragePath } from '../../domain/access/find-folder.ts';
import { createDownloadGuard } from '../../domain/files/download-guard.ts';
import { type FileRow, filesNamed } from '../../domain/files/files.ts';
import { readStill } from '../../domain/files/stills.ts';
import { createStillBodies } from '../../domain/uploads/still-bodies.ts';
import { storeStills } from '../../domain/uploads/store-stills.ts';
import { inClientTurn } from '../client-turns.ts';
import type { Transfers } from '../connections.ts';
import type { AppDeps } from '../deps.ts';
import { describeError } from '../errors.ts';
import { requesterOf, requireViewer, signedIn } from '../requester.ts';
import { hasBody } from '../timeouts.ts';
import { refused, storagePathOf } from './file.ts';
import { requireBucket } from './object-path.ts';
import { awaitTurn } from './send-object.ts';
import { clearEndedViewer, openStorageScope, requireLiveSessions } from './storage-scope.ts';
import { wholeNumber } from './upload-headers.ts';

/** Storing and reading stills (docs/container.md §6), of many files in one request. */

const BucketParams = z.object({ bucket: z.string() });
const FolderParams = BucketParams.extend({ storagePath: z.string() });
const FRAMES_TYPE = 'application/octet-stream';
/** Stills that are read from the disk while the reader takes the earlier ones. */
const READ_AHEAD = 4;

/** Strangers' bytes, as objects are (send-object.ts); the addresses of stills are never a page's. */
const HEADERS = {
  'content-type': FRAMES_TYPE,
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
  'cross-origin-resource-policy': 'same-origin',
};

/** Gives back what a request holds when it is answered or its client has left, which may have been before. */
function whenOver({ raw }: FastifyReply, give: () => void): void {
  if (raw.destroyed) give();
  else raw.once('close', give);
}

/** People with the link may read them; in a restricted folder, only people who were let in. */
function reading(deps: AppDeps, transfers: Transfers): FastifyPluginAsyncZod {
  const { db } = deps.database;
  const reportCheck = (error: unknown) =>
    deps.logger.error({ error: describeError(error) }, 'download permission check failed');
  const watch = createDownloadGuard({ db, report: reportCheck });

  const folderFor = (request: FastifyRequest, prefix: string) =>
    folderByStoragePath(db, storagePathOf(prefix), requesterOf(request, deps.config));

  async function filesFor(request: FastifyRequest, { prefix, names }: StillInput): Promise<(FileRow | undefined)[]> {
    const folder = await folderFor(request, prefix);
    const found = new Map(
      (await filesNamed(db, folder.id, names.filter(isSafeSegment))).map((file) => [file.name, file]),
    );
    return names.map((name) => found.get(name));
  }

  /** Answers with none for a still that can't be read: its reader does without. */
  async function readOne(request: FastifyRequest, file: FileRow | undefined, size: StillSize): Promise<Buffer> {
    const still = file
      ? await readStill(deps.blobs, file, size).catch((error: unknown) => {
          request.log.error({ error, route: request.routeOptions.url ?? 'none' }, 'still not read');
          return null;
        })
      : null;
    return still ? Buffer.concat([encodeLength(still.length), still]) : Buffer.from(encodeLength(0));
  }

  async function* framesOf(request: FastifyRequest, input: StillInput, files: readonly (FileRow | undefined)[]) {
    const mayRead = async () => {
      await clearEndedViewer(request, deps);
      return folderFor(request, input.prefix).then(() => true, refused);
    };
    const cut = () => request.raw.socket.resetAndDestroy();
    const first = files.find((file) => file !== undefined);
    let sending = first?.blob_key ?? '';
    // The guard watches the whole answer, also while a still is read: a file that is deleted, or a folder that ends, breaks the connection.
    const end = first && watch.begin({ blobKey: () => sending, mayRead, cut });
    try {
      const ahead = files.slice(0, READ_AHEAD).map((file) => readOne(request, file, input.size));
      for (const [at, file] of files.entries()) {
        if (file) sending = file.blob_key;
        const frame = await ahead.shift()!;
        const next = at + READ_AHEAD;
        if (next < files.length) ahead.push(readOne(request, files[next], input.size));
        yield frame;
      }
    } finally {
      end?.();
    }
  }

  return async (scope) => {
    requireLiveSessions(scope, deps);
    scope.addHook('onClose', async () => watch.close());
    scope.post(
      `${PATHS.still}/:bucket`,
      { schema: { params: BucketParams, body: StillInput } },
      async (request, reply) => {
        requireBucket(request.params.bucket);
        await awaitTurn(reply);
        whenOver(reply, transfers.begin(request, 'download'));
        const files = await inClientTurn(deps.gate, request, () => filesFor(request, request.body));
        return reply
          .headers(HEADERS)
          .send(Readable.from(framesOf(request, request.body, files), { objectMode: false }));
      },
    );
  };
}

const lengthOf = ({ headers }: FastifyRequest) => wholeNumber(headers['content-length']);

/** Only for the owner of a folder that takes uploads. */
function storing(deps: AppDeps, transfers: Transfers): FastifyPluginAsyncZod {
  const { gate, blobs } = deps;
  const { db } = deps.database;

  return async (scope) => {
    const bodies = createStillBodies(deps.timeouts.senderRate);
    requireLiveSessions(scope, deps);
    scope.addHook('onRequest', signedIn);
    scope.addHook('preClose', async () => bodies.close());
    // Before the body is read; given back when the answer is there, or its sender has left.
    scope.addHook('preParsing', async (request, reply) => {
      if (!hasBody(request)) return;
      await awaitTurn(reply);
      whenOver(reply, bodies.take(requireViewer(request).profile_id, lengthOf(request)));
    });

    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(FRAMES_TYPE, async (request: FastifyRequest): Promise<StillFrame[]> => {
      const endTransfer = transfers.begin(request, 'upload');
      return decodeFrames(await bodies.receive(request.raw, lengthOf(request) ?? 0).finally(endTransfer));
    });

    scope.put(
      `${PATHS.still}/:bucket/:storagePath`,
      { schema: { params: FolderParams, response: { 200: StillsStored } } },
      async (request) => {
        requireBucket(request.params.bucket);
        const storagePath = storagePathOf(request.params.storagePath);
        const stills = (request.body ?? []) as readonly StillFrame[];
        const inTurn = <Result>(work: () => Promise<Result>) => inClientTurn(gate, request, work);
        const input = { storagePath, viewer: requireViewer(request), stills, inTurn };
        return { stored: [...(await storeStills({ db, blobs }, input, deps.config.tiers))] };
      },
    );
  };
}

export function stillRoutes(deps: AppDeps, transfers: Transfers): FastifyPluginAsyncZod {
  return async (scope) => {
    openStorageScope(scope, deps);
    await scope.register(reading(deps, transfers));
    await scope.register(storing(deps, transfers));
  };
}
