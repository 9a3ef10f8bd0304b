import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findPersonaByUserId, type Persona } from './personas.ts';

const DEFAULT_AVATAR_COUNT = 6;

// Discord takes any power of two from 16 to 4096, and sends no more than the original has.
const sizeQuery = z.object({
  size: z
    .string()
    .default('128')
    .transform(Number)
    .refine((size) => Number.isInteger(Math.log2(size)) && size >= 16 && size <= 4096),
});

const contentTypes: Record<string, string> = { png: 'image/png', webp: 'image/webp', gif: 'image/gif' };

function sendImage(reply: FastifyReply, extension: string, bytes: Buffer) {
  return reply
    .headers({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    .type(contentTypes[extension] ?? 'application/octet-stream')
    .send(bytes);
}

function sendRefusal(reply: FastifyReply, statusCode: 400 | 404 | 415) {
  const texts = { 400: '400: Bad Request', 404: '404: Not Found', 415: '415: Unsupported Media Type' };
  return reply
    .code(statusCode)
    .headers({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'cross-origin' })
    .type('text/plain; charset=utf-8')
    .send(texts[statusCode]);
}

interface Picture {
  hash: string | null | undefined;
  /** Each picture is there in every size from 16 pixels to this. */
  largestWidth: number;
}

const pictures: Record<'avatars' | 'banners', (persona: Persona | undefined) => Picture> = {
  avatars: (persona) => ({ hash: persona?.user.avatar, largestWidth: 512 }),
  banners: (persona) => ({ hash: persona?.user.banner, largestWidth: 1024 }),
};

const readPicture = (path: string) => readFile(new URL(`./pictures/${path}`, import.meta.url));

async function answerPicture(kind: keyof typeof pictures, request: FastifyRequest, reply: FastifyReply) {
  const { user, file } = z.object({ user: z.string(), file: z.string() }).parse(request.params);
  const [, hash = '', extension = ''] = /^((?:a_)?[0-9a-f]{32})\.([a-z]+)$/.exec(file) ?? [];
  const persona = findPersonaByUserId(user);
  const picture = pictures[kind](persona);
  if (persona === undefined || hash === '' || picture.hash !== hash) return sendRefusal(reply, 404);
  const moves = hash.startsWith('a_');
  if (contentTypes[extension] === undefined || (extension === 'gif' && !moves)) return sendRefusal(reply, 415);
  const query = sizeQuery.safeParse(request.query);
  if (!query.success) return sendRefusal(reply, 400);
  const width = Math.min(query.data.size, picture.largestWidth);
  return sendImage(reply, extension, await readPicture(`${kind}/${persona.name}-${width}.${extension}`));
}

/** Discord's CDN, as far as avatars and banners go. Any site may show what it serves. */
export function registerCdn(app: FastifyInstance) {
  app.get('/avatars/:user/:file', (request, reply) => answerPicture('avatars', request, reply));
  app.get('/banners/:user/:file', (request, reply) => answerPicture('banners', request, reply));
  app.get('/embed/avatars/:file', async (request, reply) => {
    const { file } = z.object({ file: z.string() }).parse(request.params);
    const index = /^(\d)\.png$/.exec(file)?.[1];
    if (index === undefined || Number(index) >= DEFAULT_AVATAR_COUNT) return sendRefusal(reply, 404);
    return sendImage(reply, 'png', await readPicture(`default-avatars/${index}.png`));
  });
}
