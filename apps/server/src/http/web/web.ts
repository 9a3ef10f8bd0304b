import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { ANSWER_POLICY, DISABLED_FEATURES, documentPolicy, filePolicy } from '@satchel/contract/page-policy';
import { PATHS } from '@satchel/contract/paths';
import { PAGES } from '@satchel/contract/site-manifest';
import { WebSettings } from '@satchel/contract/wire/web-settings';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { admittedBy } from '../../domain/accounts/admission.ts';
import type { AppDeps } from '../deps.ts';
import { linkCard } from './link-card.ts';
import { readWaict, WAICT_TYPE } from './waict.ts';
import { createWebFile, type WebFile } from './web-files.ts';

/** The pages and their files, with their headers. */

/** The pages that search engines may list. Addresses that may name a folder are not among them. */
const INDEXED_PAGES: ReadonlySet<string> = new Set(['/', '/f', '/auth', '/upload', '/privacy', '/docs', '/check']);
const API_PATH = /^\/(rest|storage|bot|discord|auth\/v1|abuse|operator\/v1)(\/|$)/;
const YEAR_SECONDS = 31_536_000;
const DAY_SECONDS = 86_400;
const IMMUTABLE = `public, max-age=${YEAR_SECONDS}, immutable`;
/** Icons, the share card and the manifest: fetched by every visit and every unfurl, and rarely changed. */
const PICTURE = /^\/[\w-]+\.(png|ico|svg|webmanifest)$/;

/** Headers of every answer; routes may set stricter ones. */
export function setCommonHeaders(app: FastifyInstance, config: Config): void {
  const isHttps = config.publicUrl.startsWith('https:');
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': ANSWER_POLICY,
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      // Addresses of folders, files and keys belong in no search engine; the few listed pages remove this header.
      'x-robots-tag': 'noindex',
      ...(isHttps && { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }),
    });
  });
}

const settingsOf = ({ config, discord }: AppDeps): WebSettings => ({
  max_file_bytes: config.tiers.free.max_file_bytes,
  free_storage_bytes: config.tiers.free.storage_bytes,
  folder_lifetime_hours: config.tiers.free.folder_lifetime_hours,
  max_folder_files: config.caps.folder_files,
  add_to_discord_url: discord.addToDiscordUrl,
  public_url: config.publicUrl,
  admits: admittedBy(config),
  operator: config.operatorName,
  links: config.links,
});

function cacheControl(path: string): string {
  // Names under /assets contain a hash of their content.
  if (path.startsWith('/assets/')) return IMMUTABLE;
  return PICTURE.test(path) ? `public, max-age=${DAY_SECONDS}` : 'no-cache';
}

/** Sends a file as well compressed as the client allows; 304 to one that has it. */
async function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile): Promise<FastifyReply> {
  const encoding = file.encodingFor(request.headers['accept-encoding'] ?? '');
  const etag = `"${file.etag}-${encoding}"`;
  reply.headers({ etag, vary: 'accept-encoding' });
  if (reply.statusCode === 200 && request.headers['if-none-match'] === etag) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(file.type).send(await file.body(encoding));
}

/** The pages, the files they need, and Not Found for everything else. */
export function webRoutes(deps: AppDeps): FastifyPluginAsync {
  const { config, direct, web } = deps;
  const origins = { usercontentUrl: config.usercontentUrl, bucketUrl: direct?.baseUrl ?? null };
  const settings = createWebFile('settings.json', Buffer.from(JSON.stringify(settingsOf(deps))));

  return async (app) => {
    const page = (await web?.page.body('identity')) ?? '';
    const documentHeaders = {
      'content-security-policy': await documentPolicy(page.toString(), origins),
      'permissions-policy': DISABLED_FEATURES.map((name) => `${name}=()`).join(', '),
      'cache-control': 'no-cache',
    };

    const waict = web && (await readWaict(web, config.publicUrl));
    const pageHeaders = { ...documentHeaders, ...(waict && { 'integrity-policy-waict-v1': waict.header }) };
    if (waict) {
      app.get(waict.path, async (_request, reply) =>
        reply.header('cache-control', IMMUTABLE).type(WAICT_TYPE).send(waict.body),
      );
    }

    const sendPage = async (request: FastifyRequest, reply: FastifyReply, status = 200) => {
      if (!web) throw new AppError('request.unavailable');
      if (INDEXED_PAGES.has(request.url.split('?', 1)[0] ?? '')) reply.removeHeader('x-robots-tag');
      return sendFile(request, reply.code(status).headers(pageHeaders), web.page);
    };

    for (const path of PAGES) app.get(path, async (request, reply) => sendPage(request, reply));

    app.get<{ Params: { slug: string } }>('/s/:slug', async (request, reply) => {
      const { slug } = request.params;
      if (!isSlug(slug)) return sendPage(request, reply, 404);
      const card = await linkCard(deps, request, reply, slug);
      return reply.headers(documentHeaders).type('text/html; charset=utf-8').send(card);
    });

    app.get(PATHS.settings, { schema: { response: { 200: WebSettings } } }, async (request, reply) =>
      sendFile(request, reply.header('cache-control', 'no-cache'), settings),
    );

    // A download that the service worker failed to answer (ADR 005): 204 leaves the page where it is.
    app.get('/dl/*', async (_request, reply) => reply.code(204).send());

    app.get('/*', async (request, reply) => {
      const [path = '/'] = request.url.split('?', 1);
      if (API_PATH.test(path)) throw new AppError('request.not_found');
      const file = web?.files.get(path);
      if (file) {
        reply.removeHeader('x-robots-tag').headers({
          'cache-control': cacheControl(path),
          'content-security-policy': filePolicy(path, origins),
          ...(path === '/sw.js' && { 'service-worker-allowed': '/' }),
          // Other sites show a link's picture.
          ...(PICTURE.test(path) && { 'cross-origin-resource-policy': 'cross-origin' }),
        });
        return sendFile(request, reply, file);
      }
      // A missing asset is 404, not the page: HTML must not be loaded as a script.
      if (path.startsWith('/assets/')) throw new AppError('request.not_found');
      return sendPage(request, reply, isSlug(path.slice(1)) ? 200 : 404);
    });
  };
}
