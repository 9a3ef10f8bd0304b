import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { findPersonaByUserId } from './personas.ts';

const TYPES = { png: 'image/png', gif: 'image/gif' } as const;

async function sendPicture(reply: FastifyReply, path: string, extension: keyof typeof TYPES) {
  const bytes = await readFile(new URL(`./pictures/${path}.${extension}`, import.meta.url)).catch(() => null);
  if (bytes === null) return reply.callNotFound();
  return reply
    .headers({ 'cache-control': 'public, max-age=3600', 'cross-origin-resource-policy': 'cross-origin' })
    .type(TYPES[extension])
    .send(bytes);
}

/** Discord's CDN, as far as avatars and banners go: each is there in the widths that are files of `pictures/`. */
export function registerCdn(app: FastifyInstance) {
  for (const kind of ['avatar', 'banner'] as const) {
    app.get<{
      Params: { user: string; hash: string; extension: keyof typeof TYPES };
      Querystring: { size?: string };
    }>(`/${kind}s/:user/:hash.:extension(^png|gif$)`, ({ params: { user, hash, extension }, query }, reply) => {
      const persona = findPersonaByUserId(user);
      const isTheirs = persona?.user[kind] === hash && /^\d{2,4}$/.test(query.size ?? '');
      return isTheirs ? sendPicture(reply, `${kind}s/${persona.name}-${query.size}`, extension) : reply.callNotFound();
    });
  }
  app.get<{ Params: { index: string } }>('/embed/avatars/:index(^[0-5]$).png', ({ params: { index } }, reply) =>
    sendPicture(reply, `default-avatars/${index}`, 'png'),
  );
}
