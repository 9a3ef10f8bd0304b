import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { fetchLoopback } from './loopback-fetch.ts';

const LIMIT_BYTES = 8 * 1024 * 1024;
const PICTURES = /^image\/(png|jpeg|gif|webp)(;|$)/i;
const Query = z.object({ url: z.string().max(2048) });

/** Pictures of embeds, through the sandbox as Discord's come through its media proxy: the page asks no other origin. */
export function registerMedia(app: FastifyInstance) {
  app.get('/chat/media', async (request, reply) => {
    const query = Query.safeParse(request.query);
    const picture = query.success
      ? await fetchLoopback(query.data.url, { limitBytes: LIMIT_BYTES, accepts: PICTURES })
      : null;
    if (picture === null) return reply.code(404).send({ message: 'No such picture.' });
    return reply
      .headers({ 'cache-control': 'private, max-age=300', 'content-type': picture.contentType })
      .send(picture.bytes);
  });
}
