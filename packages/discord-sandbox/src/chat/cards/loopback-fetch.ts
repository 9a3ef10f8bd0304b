import type { FastifyInstance } from 'fastify';

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const TIMEOUT_MS = 10_000;
const PICTURE_LIMIT_BYTES = 8 * 1024 * 1024;
const PICTURES = /^image\/(png|jpeg|gif|webp)(;|$)/i;

/** How Discord's own fetcher names itself. */
const DISCORDBOT = 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)';

interface Fetched {
  readonly url: URL;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** @returns null for anything but a page of this machine: the sandbox fetches from no other machine */
export function readLoopbackUrl(text: string): URL | null {
  const url = URL.parse(text);
  const isLocal = url !== null && /^https?:$/.test(url.protocol) && LOOPBACK_NAME.test(url.hostname);
  if (!isLocal || url.username !== '' || url.password !== '') return null;
  // Browsers send no fragment either: what stands there is for the reader alone.
  url.hash = '';
  return url;
}

async function readBytes(response: Response, limitBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes >= limitBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, limitBytes);
}

/**
 * Fetches from this machine as Discord fetches what people link to. It follows no redirect, which might lead off it.
 * @returns the first `limitBytes`, or null after any failure: then there is no card
 */
export async function fetchLoopback(
  address: string,
  { limitBytes, accepts, signal }: { limitBytes: number; accepts: RegExp; signal?: AbortSignal },
): Promise<Fetched | null> {
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const url = readLoopbackUrl(address);
  if (url === null) return null;
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { 'user-agent': DISCORDBOT },
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    const contentType = response.headers.get('content-type') ?? '';
    if (response.ok && accepts.test(contentType)) {
      return { url, contentType, bytes: await readBytes(response, limitBytes) };
    }
    await response.body?.cancel();
  } catch {
    // Nothing listens there, or the answer took too long.
  }
  return null;
}

/** Pictures of embeds, through the sandbox as Discord's come through its media proxy: the page asks no other origin. */
export function registerMedia(app: FastifyInstance) {
  app.get<{ Querystring: { readonly url?: unknown } }>('/chat/media', async ({ query: { url = '' } }, reply) => {
    const picture = await fetchLoopback(String(url), { limitBytes: PICTURE_LIMIT_BYTES, accepts: PICTURES });
    if (picture === null) return reply.code(404).send({ message: 'No such picture.' });
    return reply
      .headers({ 'cache-control': 'private, max-age=300', 'content-type': picture.contentType })
      .send(picture.bytes);
  });
}
