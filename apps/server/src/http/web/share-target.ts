import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { MIB } from '@satchel/contract/limits';
import { SHARE_TARGET_PATH } from '@satchel/contract/paths';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';

/**
 * What another app shares with the installed site is posted to this address, and the service worker takes it on the device
 * (engine/uploads/shared/share-inbox.ts). A post that arrives here found none: its files are not encrypted, so nothing of
 * them is looked at or kept, and the page says that they have to be shared again.
 */

/** Of a longer body nothing is read, and the connection is closed with the answer. */
const DISCARDED_MAX_BYTES = 256 * MIB;

/**
 * Lets the body pass: a browser reads the answer once it has sent the body, and a connection that is closed before shows an
 * error of its own in place of the page.
 * @returns whether all of it has come
 */
async function discard({ headers }: FastifyRequest, body: Readable): Promise<boolean> {
  if (!(Number(headers['content-length']) <= DISCARDED_MAX_BYTES)) return false;
  return finished(body.resume()).then(
    () => true,
    () => false,
  );
}

export const shareTargetRoutes: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', discard);
  app.post(SHARE_TARGET_PATH, async ({ body }, reply) => {
    if (body === false) reply.header('connection', 'close');
    return reply.header('cache-control', 'no-store').redirect('/upload?shared=unread', 303);
  });
};
