import { DEVICE_PAGE } from './device-code.ts';

/** What a build's web application consists of: /manifest.json, which the site serves and a release signs by its sum. */

export const MANIFEST_PATH = '/manifest.json';
/** The document of every page, as `files` names it; no file is served at this address. */
export const DOCUMENT = '/index.html';

/** The addresses that the one document answers; `*` stands for a name. */
export const PAGES: readonly string[] = [
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
  '/check',
];

export interface SiteManifest {
  readonly version: string;
  /** Content security policies by the beginning of paths: the longest that fits counts, and `/` is the documents' policy. */
  readonly policies: Readonly<Record<string, string>>;
  /** PAGES of the build. */
  readonly pages: readonly string[];
  /** SHA-256 in base64url without padding, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** SHA-256 of the WebAssembly modules that scripts have in them, sorted. */
  readonly wasm: readonly string[];
}

/** The policy of the answer at a path. */
export function policyAt({ policies }: Pick<SiteManifest, 'policies'>, path: string): string {
  const [longest = '/'] = Object.keys(policies)
    .filter((beginning) => path.startsWith(beginning))
    .sort((one, other) => other.length - one.length);
  return policies[longest] ?? '';
}
