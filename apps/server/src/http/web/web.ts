import { createHash, randomBytes } from 'node:crypto';
import { DEVICE_PAGE } from '@satchel/contract/device-code';
import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { showUnseen } from '@satchel/contract/unseen';
import type { WebSettings } from '@satchel/contract/wire/web-settings';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { admittedBy } from '../../domain/accounts/admission.ts';
import { cardNameOf } from '../../domain/folders/folder-data.ts';
import { isLoopback } from '../../setting-types.ts';
import { inClientTurn } from '../client-turns.ts';
import type { AppDeps } from '../deps.ts';
import { describeError, prepareError, toHttpError } from '../errors.ts';
import type { WebFile } from './web-files.ts';

/** The pages and their files, with their headers. */

const SETTINGS_PLACE = '__SATCHEL_SETTINGS__';
const PUBLIC_URL_PLACE = '__PUBLIC_URL__';
/** Placeholders for what differs from answer to answer. */
const NONCE_PLACE = '__CSP_NONCE__';
const ANSWER_PLACES = /__(CSP_NONCE|CARD_TITLE)__/g;
const SITE_NAME = 'Satchel';
const PAGES = [
  '/',
  '/f',
  '/f/*',
  '/auth',
  '/auth/callback',
  DEVICE_PAGE,
  '/profile',
  '/upload',
  '/operator',
  '/privacy',
  '/docs',
];
/** The pages that search engines may list. Addresses that may name a folder are not among them. */
const INDEXED_PAGES: ReadonlySet<string> = new Set(['/', '/f', '/auth', '/upload', '/privacy', '/docs']);
const API_PATH = /^\/(rest|storage|bot|discord|auth\/v1|abuse|operator\/v1)(\/|$)/;
const YEAR_SECONDS = 31_536_000;
const DAY_SECONDS = 86_400;
/** Icons, the share card and the manifest: fetched by every visit and every unfurl, and rarely changed. */
const PICTURE = /^\/[\w-]+\.(png|ico|svg|webmanifest)$/;
const PERMISSIONS = [
  'camera',
  'geolocation',
  'microphone',
  'payment',
  'usb',
  'serial',
  'hid',
  'midi',
  'browsing-topics',
];

/** The one Trusted Types policy, of apps/web/src/engine/worker-addresses.ts: it allows the addresses of our workers. */
const TRUSTED_TYPES_POLICY = 'satchel-workers';
/** The one worker that starts another: its policy allows the sealing worker's address (worker/socket/windows.ts). */
const SEALING_POLICY = 'satchel-sealing';
const UPLOAD_WORKER = /^\/assets\/upload-worker-[\w-]+\.js$/;

interface FilePlaces {
  /** Where answers about files lead to. */
  readonly usercontentUrl: string | null;
  /** The store's bucket, with BLOBS_DIRECT: no other one of the same host. */
  readonly bucketUrl: string | null;
}

const filePlacesOf = ({ config, direct }: AppDeps): FilePlaces => ({
  usercontentUrl: config.usercontentUrl,
  bucketUrl: direct?.baseUrl ?? null,
});

/**
 * @param policies the Trusted Types policies that scripts may make
 * @param from where pages fetch files beside this origin
 * @param inline of a page: the nonce for styles that libraries inject, and the hashes of its own inline scripts
 */
function contentSecurityPolicy(
  policies: string,
  from: FilePlaces,
  inline?: { readonly nonce: string; readonly hashes: string },
): string {
  const content = from.usercontentUrl === null ? '' : ` ${from.usercontentUrl}`;
  const store = from.bucketUrl === null ? '' : ` ${from.bucketUrl}`;
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval'${inline?.hashes ?? ''}`,
    inline ? `style-src 'self' 'nonce-${inline.nonce}'` : "style-src 'self'",
    `img-src 'self' blob: data:${content}`,
    `media-src 'self' blob:${content}`,
    `connect-src 'self'${content}${store}`,
    "worker-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${policies}`,
  ].join('; ');
}

/** A page's inline scripts as sources of its policy: each by the hash of exactly its bytes. */
const inlineHashes = (page: string): string =>
  Array.from(
    page.matchAll(/<script>([\s\S]*?)<\/script>/g),
    ([, code = '']) => ` 'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  ).join('');

const escapeAttribute = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Headers of every answer; routes may set stricter ones. */
export function setCommonHeaders(app: FastifyInstance, config: Config): void {
  const isHttps = config.publicUrl.startsWith('https:');
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      // Addresses of folders, files and keys belong in no search engine; the few listed pages remove this header.
      'x-robots-tag': 'noindex',
      ...(isHttps && { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }),
    });
  });
}

/**
 * The same page under the site's own name, if it was asked for under another name of this machine: cookies belong to
 * one name.
 */
function addressOnLoopback(request: FastifyRequest, publicUrl: string): string | null {
  const here = new URL(publicUrl);
  const asked = `http://${request.headers.host ?? ''}`;
  if (!isLoopback(here.hostname) || !URL.canParse(asked) || !request.url.startsWith('/')) return null;
  const { hostname } = new URL(asked);
  return isLoopback(hostname) && hostname !== here.hostname ? publicUrl + request.url : null;
}

// Characters that turn the direction of text or break the line: with them a name could pass for other words in a chat.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const UNSAFE_IN_TITLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/** The slug in an address that looks like a folder's: `/f/{slug}`, or `/{slug}`, which leads there. */
function slugIn(url: string): string | null {
  const [, slug = ''] = /^\/(?:f\/)?([^/?#]+)(?:[?#]|$)/.exec(url) ?? [];
  return isSlug(slug) ? slug : null;
}

/**
 * The title of a link's card. Without the database the page is still sent: it explains the outage itself, and its
 * status tells programs.
 */
async function cardTitleOf(
  { database, gate, logger }: AppDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const slug = slugIn(request.url);
  if (slug === null) return SITE_NAME;
  const look = () => cardNameOf(database.db, slug);
  const name = await inClientTurn(gate, request, look).catch((thrown) => {
    const error = toHttpError(thrown);
    if (error.code === 'request.unavailable') prepareError(reply.code(error.status), error);
    if (!(thrown instanceof AppError)) logger.error({ error: describeError(thrown) }, 'link card look-up failed');
    return null;
  });
  return (name && showUnseen(name.replace(UNSAFE_IN_TITLE, ' ')).trim()) || SITE_NAME;
}

function createPageSender(deps: AppDeps) {
  const { config, discord, web } = deps;
  const settings: WebSettings = {
    max_file_bytes: config.tiers.free.max_file_bytes,
    free_storage_bytes: config.tiers.free.storage_bytes,
    folder_lifetime_hours: config.tiers.free.folder_lifetime_hours,
    max_folder_files: config.caps.folder_files,
    add_to_discord_url: discord.addToDiscordUrl,
    public_url: config.publicUrl,
    admits: admittedBy(config),
    operator: config.operatorName,
    links: config.links,
  };
  const page = web?.page
    .replaceAll(SETTINGS_PLACE, () => escapeAttribute(JSON.stringify(settings)))
    .replaceAll(PUBLIC_URL_PLACE, () => escapeAttribute(config.publicUrl));
  const hashes = inlineHashes(page ?? '');

  return async (request: FastifyRequest, reply: FastifyReply, status = 200): Promise<FastifyReply> => {
    const elsewhere = addressOnLoopback(request, config.publicUrl);
    // A browser would keep a cached 308 longer than this server keeps its port.
    if (elsewhere) return reply.header('cache-control', 'no-store').redirect(elsewhere, 308);
    if (page === undefined) throw new AppError('request.unavailable');
    reply.code(status);
    const title = escapeAttribute(await cardTitleOf(deps, request, reply));
    const nonce = randomBytes(16).toString('base64url');
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(TRUSTED_TYPES_POLICY, filePlacesOf(deps), { nonce, hashes }),
      'cache-control': 'no-cache',
      'permissions-policy': PERMISSIONS.map((name) => `${name}=()`).join(', '),
    });
    if (INDEXED_PAGES.has(request.url.split('?', 1)[0] ?? '')) reply.removeHeader('x-robots-tag');
    // In one pass: a name may look like a placeholder.
    return reply.send(page.replace(ANSWER_PLACES, (place) => (place === NONCE_PLACE ? nonce : title)));
  };
}

function cacheControl(path: string): string {
  // Names under /assets contain a hash of their content.
  if (path.startsWith('/assets/')) return `public, max-age=${YEAR_SECONDS}, immutable`;
  return PICTURE.test(path) ? `public, max-age=${DAY_SECONDS}` : 'no-cache';
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, path: string, file: WebFile, csp: string) {
  const encoding = file.encodingFor(request.headers['accept-encoding'] ?? '');
  const etag = `"${file.etag}-${encoding}"`;
  reply.removeHeader('x-robots-tag').headers({
    'cache-control': cacheControl(path),
    // A worker has the policy of its script's answer.
    'content-security-policy': csp,
    etag,
    vary: 'accept-encoding',
    ...(path === '/sw.js' && { 'service-worker-allowed': '/' }),
    // Other sites show a link's picture.
    ...(PICTURE.test(path) && { 'cross-origin-resource-policy': 'cross-origin' }),
  });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(file.type).send(await file.body(encoding));
}

/** The pages, the files they need, and Not Found for everything else. */
export function webRoutes(deps: AppDeps): FastifyPluginAsync {
  const sendPage = createPageSender(deps);
  const files = deps.web?.files ?? new Map<string, WebFile>();
  // A worker's policy is that of its script's answer, and only the upload worker starts another.
  const cspOf = (path: string) =>
    contentSecurityPolicy(UPLOAD_WORKER.test(path) ? SEALING_POLICY : "'none'", filePlacesOf(deps));

  return async (app) => {
    for (const path of PAGES) app.get(path, async (request, reply) => sendPage(request, reply));

    // A download that the service worker failed to answer (ADR 005): 204 leaves the page where it is.
    app.get('/dl/*', async (_request, reply) => reply.code(204).send());

    app.get('/*', async (request, reply) => {
      const [path = '/'] = request.url.split('?', 1);
      if (API_PATH.test(path)) throw new AppError('request.not_found');
      const file = files.get(path);
      if (file) return sendFile(request, reply, path, file, cspOf(path));
      // A missing asset is 404, not the page: HTML must not be loaded as a script.
      if (path.startsWith('/assets/')) throw new AppError('request.not_found');
      return sendPage(request, reply, isSlug(path.slice(1)) ? 200 : 404);
    });
  };
}
