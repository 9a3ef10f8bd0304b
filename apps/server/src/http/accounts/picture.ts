import { createHash } from 'node:crypto';
import { PATHS } from '@satchel/contract/api';
import { Id } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ownPicture, pictureInFolder } from '../../domain/accounts/pictures.ts';
import type { AppDeps } from '../deps.ts';
import { requesterOf, requireViewer, signedIn } from '../requester.ts';

/**
 * Avatars and banners. This site sends them, so that visitors' browsers never ask Discord and no address names an
 * account.
 */

const OwnParams = z.object({ picture: z.string() });
const FolderParams = z.object({ slug: z.string(), profile_id: z.string(), picture: z.string() });

export function pictureRoutes({ config, database: { db }, pictures }: AppDeps): FastifyPluginAsyncZod {
  async function send(request: FastifyRequest, reply: FastifyReply, address: string): Promise<FastifyReply> {
    const picture = await pictures.read(address);
    if (!picture) throw new AppError('request.not_found');
    const etag = `"${createHash('sha256').update(picture.bytes).digest('base64url')}"`;
    reply.headers({
      // Revalidated each time: the folder may have expired, or its owner may have restricted it.
      'cache-control': 'private, no-cache',
      etag,
    });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type(picture.type).send(picture.bytes);
  }

  return async (app) => {
    app.get(
      `${PATHS.ownPictures}/:picture`,
      { preValidation: signedIn, schema: { params: OwnParams } },
      async (request, reply) =>
        send(request, reply, await ownPicture(db, requireViewer(request), request.params.picture)),
    );

    app.get(
      `${PATHS.folders}/:slug/people/:profile_id/:picture`,
      { schema: { params: FolderParams } },
      async (request, reply) => {
        const { slug, profile_id, picture: name } = request.params;
        if (!Id.safeParse(profile_id).success) throw new AppError('request.not_found');
        const who = { viewer: request.viewer, requester: requesterOf(request, config) };
        return send(request, reply, await pictureInFolder(db, { slug, profileId: profile_id, name }, who));
      },
    );
  };
}
