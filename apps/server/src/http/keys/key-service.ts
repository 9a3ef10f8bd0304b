import { AppError } from '@satchel/contract/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { resealForNode } from '../../domain/links/links.ts';
import {
  KEY_CALLS,
  ResealAnswer,
  ResealCall,
  SealAnswer,
  SealCall,
  ShareCall,
} from '../../platform/keys/key-service.ts';
import { JournalAnswer } from '../../platform/keys/taken-back-journal.ts';
import type { KeyServiceDeps } from '../deps.ts';
import { isNode } from '../request-id.ts';

/** What nodes ask of a key service on its own machine (decision 012). */

const Id = z.uuid().lowercase();
const FolderParams = z.object({ folder_id: Id });
const ShareParams = FolderParams.extend({ share_id: Id });
const BODY_MAX_BYTES = 4096;

/** Routes that write, seal and delete. None of them gives out a key or a share: only a key's own address does. */
export function keyServiceRoutes({
  config,
  database: { db },
  keyShares,
  keySealer,
  journal,
}: KeyServiceDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      if (!isNode(request, config)) throw new AppError('auth.required');
    });

    app.post(
      KEY_CALLS.seal,
      { bodyLimit: BODY_MAX_BYTES, schema: { body: SealCall, response: { 200: SealAnswer } } },
      async ({ body: { key, expires_at, ...folder } }) => ({
        sealed: await keySealer.seal(key, { ...folder, expires_at: new Date(expires_at) }),
      }),
    );

    app.post(
      KEY_CALLS.reseal,
      { bodyLimit: BODY_MAX_BYTES, schema: { body: ResealCall, response: { 200: ResealAnswer } } },
      async ({ body: { sealed, expires_at, new_expires_at, ...folder } }) => {
        const target = { ...folder, expires_at: new Date(expires_at) };
        return {
          sealed: await resealForNode({ db, keySealer }, { sealed, target, expires_at: new Date(new_expires_at) }),
        };
      },
    );

    app.put(
      `${KEY_CALLS.shares}/:folder_id/:share_id`,
      { bodyLimit: BODY_MAX_BYTES, schema: { params: ShareParams, body: ShareCall } },
      async ({ params, body }, reply) => {
        await keyShares.write(params, body.share);
        return reply.code(204).send();
      },
    );

    app.delete(
      `${KEY_CALLS.shares}/:folder_id/:share_id`,
      { schema: { params: ShareParams } },
      async (request, reply) => {
        await keyShares.delete(request.params);
        return reply.code(204).send();
      },
    );

    app.get(KEY_CALLS.journal, { schema: { response: { 200: JournalAnswer } } }, async () => journal.read());

    app.delete(`${KEY_CALLS.shares}/:folder_id`, { schema: { params: FolderParams } }, async (request, reply) => {
      await keyShares.deleteAll(request.params.folder_id);
      return reply.code(204).send();
    });
  };
}
