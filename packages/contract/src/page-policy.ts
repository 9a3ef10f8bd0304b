/**
 * The Content Security Policies of a site. There are four: one for all documents, one for the only worker that starts another,
 * one for all other workers and files, and one for all other answers. Both the build and the server take them from here.
 */

/** Of every other answer: calls, bytes of files, errors. Opened by itself it shows nothing and runs nothing. */
export const ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** The origins beside its own that a site's settings name: nothing else of a policy differs between the sites of one build. */
export interface SiteOrigins {
  /** Where answers about files lead to (USERCONTENT_URL). */
  readonly usercontentUrl: string | null;
  /** The store's bucket, with BLOBS_DIRECT: no other one of the same host. */
  readonly bucketUrl: string | null;
}

/** Features of the browser that the Permissions-Policy of every page turns off, also for a script that attackers bring in. */
export const DISABLED_FEATURES = [
  'camera',
  'geolocation',
  'microphone',
  'payment',
  'usb',
  'serial',
  'hid',
  'midi',
  'browsing-topics',
] as const;

/** The document at `/s/{slug}` leads to the folder by this script: a redirect of the server would lead there what reads the card, too. */
export const CARD_SCRIPT = "location.replace('/f/'+location.pathname.slice(3)+location.search+location.hash)";

/** The one Trusted Types policy, of apps/web/src/engine/worker-addresses.ts: it allows the addresses of our workers. */
const WORKERS_POLICY = 'satchel-workers';
/** The one worker that starts another: its policy allows the sealing worker's address (worker/socket/windows.ts). */
const SEALING_POLICY = 'satchel-sealing';
const UPLOAD_WORKER = /^\/assets\/upload-worker-[\w-]+\.js$/;

/**
 * @param trusted the Trusted Types policies that scripts may make
 * @param inline the hashes of inline scripts, as sources
 */
function policy(trusted: string, inline: readonly string[], { usercontentUrl, bucketUrl }: SiteOrigins): string {
  const sources = (...all: readonly (string | null)[]) => all.filter((source) => source !== null).join(' ');
  return [
    "default-src 'none'",
    `script-src ${sources("'self'", "'wasm-unsafe-eval'", ...inline)}`,
    "style-src 'self'",
    `img-src ${sources("'self'", 'blob:', 'data:', usercontentUrl)}`,
    `media-src ${sources("'self'", 'blob:', usercontentUrl)}`,
    `connect-src ${sources("'self'", usercontentUrl, bucketUrl)}`,
    "worker-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trusted}`,
  ].join('; ');
}

async function sourceOf(script: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`;
}

/**
 * The policy of all documents: each inline script is allowed by the hash of exactly its bytes.
 * @param page the HTML of the one page
 */
export async function documentPolicy(page: string, from: SiteOrigins): Promise<string> {
  const scripts = Array.from(
    page.matchAll(/<script(?: type="importmap")?>([\s\S]*?)<\/script>/g),
    ([, code = '']) => code,
  );
  return policy(WORKERS_POLICY, await Promise.all([...scripts, CARD_SCRIPT].map(sourceOf)), from);
}

/**
 * The policy of a file's answer: the worker's policy if the file is a worker's script.
 * @param path of the file, from the site's root
 */
export const filePolicy = (path: string, from: SiteOrigins): string =>
  policy(UPLOAD_WORKER.test(path) ? SEALING_POLICY : "'none'", [], from);
