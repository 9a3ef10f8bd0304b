import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { findPersonaByUserId } from './personas.ts';

const TYPES: Readonly<Record<string, string>> = { png: 'image/png', webp: 'image/webp', gif: 'image/gif' };
/** Each picture is there in every power of two from 16 pixels to this. */
const LARGEST_PX = { avatar: 512, banner: 1024 };

/** Sends a file of `pictures/`, or 404 where there is none. */
async function sendPicture(reply: FastifyReply, path: string, extension = '') {
  const isKnown = Object.hasOwn(TYPES, extension);
  const file = new URL(`./pictures/${path}.${isKnown ? extension : 'none'}`, import.meta.url);
  const bytes = await readFile(file).catch(() => null);
  reply.header('cross-origin-resource-policy', 'cross-origin');
  if (bytes === null) return reply.code(404).type('text/plain; charset=utf-8').send('404: Not Found');
  return reply
    .headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=3600' })
    .header('x-content-type-options', 'nosniff')
    .type(TYPES[extension] ?? 'application/octet-stream')
    .send(bytes);
}

/** Discord's CDN, as far as avatars and banners go. Any site may show what it serves. */
export function registerCdn(app: FastifyInstance) {
  for (const kind of ['avatar', 'banner'] as const) {
    app.get<{ Params: { user: string; hash: string; extension: string }; Querystring: { size?: string } }>(
      `/${kind}s/:user/:hash.:extension`,
      ({ params: { user, hash, extension }, query: { size = '128' } }, reply) => {
        const persona = findPersonaByUserId(user);
        const isTheirs = persona?.user[kind] === hash && (extension !== 'gif' || hash.startsWith('a_'));
        const widthPx = Math.min(Number(size), LARGEST_PX[kind]);
        return sendPicture(reply, isTheirs ? `${kind}s/${persona.name}-${widthPx}` : 'none', extension);
      },
    );
  }
  app.get<{ Params: { index: string } }>('/embed/avatars/:index(^[0-5]$).png', ({ params: { index } }, reply) =>
    sendPicture(reply, `default-avatars/${index}`, 'png'),
  );
}
