import { AppError } from '@satchel/contract/errors';
import { KIB } from '@satchel/contract/limits';
import {
  type AddressesInput,
  DIRECT_ADDRESSES_MAX,
  DIRECT_BLOCK_BYTES,
  DIRECT_COMMITTED_MAX,
  DIRECT_LEASE_HEADER,
  DIRECT_PART_MAX_BYTES,
  DIRECT_SUM_BYTES,
  DIRECT_UPLOAD_PATH,
  type PartClaim,
} from '@satchel/contract/wire/direct-uploads';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { commitParts, grantParts, mayGoDirect, type Sender } from '../../domain/uploads/direct-parts.ts';
import type { UploadRow } from '../../domain/uploads/leases.ts';
import type { ReceiverDeps } from '../../domain/uploads/receiver.ts';
import type { DirectAccess } from '../../platform/blobs/direct/direct-access.ts';
import { inClientTurn } from '../client-turns.ts';
import type { AppDeps } from '../deps.ts';
import { openStorageScope, requireLiveSessions } from './storage-scope.ts';

/**
 * The calls of an upload whose parts go to the store (docs/decisions/033): for addresses, and to acknowledge what is there.
 * The upload itself is created, taken over and ended by tus.
 */

const BODY_MAX_BYTES = 16 * KIB;

/** Base64 of four bytes for each block. */
const hasSums = ({ size_bytes, crc32 }: PartClaim): boolean =>
  Buffer.from(crc32, 'base64').length === Math.ceil(size_bytes / DIRECT_BLOCK_BYTES) * DIRECT_SUM_BYTES;

const Params = z.object({ id: z.uuid() });
const Lease = z.int32().nonnegative();
const Claim = z
  .object({
    start: z.number().int().nonnegative(),
    size_bytes: z.number().int().positive().max(DIRECT_PART_MAX_BYTES),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    crc32: z.base64(),
  })
  .refine(hasSums, { path: ['crc32'], message: 'has four bytes for each block' });
const Addresses = z.object({ lease: Lease, parts: z.array(Claim).min(1).max(DIRECT_ADDRESSES_MAX) });
const Address = z.object({ name: z.string(), url: z.string(), headers: z.record(z.string(), z.string()) });
const AddressesAnswer = z.object({ parts: z.array(Address).nullable() });
/** A name as a store makes them; others may have characters that PostgreSQL can't take. */
const PartName = z.string().regex(/^[\da-z-]{1,100}$/);
const Parts = z.object({ lease: Lease, names: z.array(PartName).min(1).max(DIRECT_COMMITTED_MAX) });
const PartsAnswer = z.object({ offset_bytes: z.number().int().nonnegative() });

/** What a sender hears at the creation of an upload, and when it takes one over: that its parts may go to the store. */
export const directHeaders = (direct: DirectAccess | null, upload: UploadRow): Record<string, string> =>
  mayGoDirect(upload) && direct?.uploads() ? { [DIRECT_LEASE_HEADER]: String(upload.lease_epoch) } : {};

/** @throws upload.unauthenticated */
function senderOf(request: FastifyRequest, id: string, epoch: number): Sender {
  if (!request.viewer) throw new AppError('upload.unauthenticated');
  const { profile_id: profileId, session_id: sessionId } = request.viewer;
  return { id, profileId, sessionId, epoch };
}

export function directUploadRoutes(deps: AppDeps, receiverDeps: ReceiverDeps): FastifyPluginAsyncZod {
  const { db } = receiverDeps;
  return async (scope) => {
    openStorageScope(scope, deps);
    requireLiveSessions(scope, deps);
    scope.addHook('onRequest', async (request) => void senderOf(request, '', 0));

    scope.post(
      `${DIRECT_UPLOAD_PATH}/:id/addresses`,
      { bodyLimit: BODY_MAX_BYTES, schema: { params: Params, body: Addresses, response: { 200: AddressesAnswer } } },
      async (request, reply) => {
        const { lease, parts }: AddressesInput = request.body;
        const store = deps.direct?.uploads() ?? null;
        const sender = senderOf(request, request.params.id, lease);
        const grant = () => grantParts({ db, store }, sender, parts, deps.config.tiers);
        const addresses = await inClientTurn(deps.gate, request, grant);
        return reply.header('cache-control', 'no-store').send({ parts: addresses && [...addresses] });
      },
    );
    scope.post(
      `${DIRECT_UPLOAD_PATH}/:id/parts`,
      { bodyLimit: BODY_MAX_BYTES, schema: { params: Params, body: Parts, response: { 200: PartsAnswer } } },
      async (request, reply) => {
        const { lease, names } = request.body;
        // Also while no addresses are given any more: what is stored may be acknowledged.
        const store = deps.direct?.parts ?? null;
        const sender = senderOf(request, request.params.id, lease);
        const offset_bytes = await commitParts({ ...receiverDeps, store }, sender, names);
        return reply.header('cache-control', 'no-store').send({ offset_bytes });
      },
    );
  };
}
