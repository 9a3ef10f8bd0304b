import { SHARE_TARGET_PATH } from '@satchel/contract/paths';
import type { FastifyPluginAsync } from 'fastify';

/**
 * What another app shares with the installed site is posted to this address, and the service worker takes it on the device
 * (engine/uploads/shared/share-inbox.ts). A post that arrives here found none: its files are not encrypted, so not a byte of
 * them is read, and the page says that they have to be shared again.
 */
export const shareTargetRoutes: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers();
  // Whatever the type: the body is left where it is.
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.post(SHARE_TARGET_PATH, async (_request, reply) =>
    // Without this, Node would read the body to its end for the sake of the next request.
    reply.header('connection', 'close').header('cache-control', 'no-store').redirect('/upload?shared=unread', 303),
  );
};
