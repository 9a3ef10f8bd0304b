import { AppError } from '@satchel/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Viewer } from '../../domain/access/find-folder.ts';
import type { ObjectName } from '../../domain/files/files.ts';
import type { TextSealer } from '../../platform/keys/text-sealer.ts';
import { pathOfObject } from './object-path.ts';

/**
 * With USERCONTENT_URL, bytes of files come from their own origin, to which browsers send no cookies:
 * the site checks who asks, and redirects to a link there that says in sealed form who that was. Each request on the
 * link is checked again, so it opens nothing that its reader may not read at that moment.
 */

export const CONTENT_PATH = '/usercontent/v1';
/** A download that breaks off is resumed by its link. */
const LINK_MS = 15 * 60_000;
const PREFLIGHT_SECONDS = 600;

/** Who a link was made for. */
const Reader = z.object({
  viewer: z.object({ profile_id: z.string(), session_id: z.string() }).nullable(),
  session_hash: z.string().nullable(),
  holder_hash: z.string().nullable(),
  expires_at_ms: z.number(),
});
export type ContentReader = Omit<z.output<typeof Reader>, 'expires_at_ms'> & { readonly viewer: Viewer | null };

export interface ContentLinks {
  linkTo(object: ObjectName, reader: ContentReader): string;
  /** @throws storage.bad_token */
  readerOf(object: ObjectName, token: string): ContentReader;
}

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** @param usercontentUrl the origin of the links */
export function createContentLinks(usercontentUrl: string, sealer: TextSealer): ContentLinks {
  return {
    linkTo(object, reader) {
      const path = pathOfObject(object);
      const token = sealer.seal(JSON.stringify({ ...reader, expires_at_ms: Date.now() + LINK_MS }), path);
      return `${usercontentUrl}${CONTENT_PATH}/${encoded(path)}?token=${token}`;
    },
    readerOf(object, token) {
      const opened = sealer.open(token, pathOfObject(object));
      const reader = opened === null ? null : Reader.parse(JSON.parse(opened));
      if (reader === null || reader.expires_at_ms <= Date.now()) throw new AppError('storage.bad_token');
      return reader;
    },
  };
}

interface Origins {
  readonly publicUrl: string;
  readonly usercontentUrl: string;
}

/** Lets the site's page read answers of the other origin, and no other page. */
function allowPage(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  reply.header('vary', 'origin');
  if (request.headers.origin !== publicUrl) return;
  reply.headers({
    'access-control-allow-origin': publicUrl,
    'access-control-expose-headers': 'content-length, content-range, accept-ranges, etag, retry-after, x-request-id',
  });
}

/** Serves bytes alone on the origin of the links, and no bytes of that kind on the site's. */
export function separateContent(app: FastifyInstance, { publicUrl, usercontentUrl }: Origins): void {
  const { host } = new URL(usercontentUrl);
  app.addHook('onRequest', async (request, reply) => {
    const isContent = request.url.startsWith(`${CONTENT_PATH}/`);
    if (isContent !== (request.headers.host?.toLowerCase() === host)) throw new AppError('request.not_found');
    if (isContent) allowPage(request, reply, publicUrl);
  });
  app.options(`${CONTENT_PATH}/*`, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': 'range, if-range, if-none-match',
        'access-control-max-age': String(PREFLIGHT_SECONDS),
      })
      .code(204)
      .send(),
  );
}
