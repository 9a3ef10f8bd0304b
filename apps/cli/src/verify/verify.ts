import { createHash, randomBytes } from 'node:crypto';
import { pause } from '@satchel/client/pause';
import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { DOCUMENT, MANIFEST_PATH, policyAt } from '@satchel/contract/site-manifest';
import { CommandError, EXIT } from '../outcome.ts';
import { showProgress } from '../terminal.ts';
import { countForeignScripts, findForeignAddresses } from './page-parts.ts';
import { comparePolicies, enabledFeatures } from './policy-difference.ts';
import { parseManifest, type ReleaseManifest } from './release-manifest.ts';

/** `satchel verify`: whether a site serves the web application of a release, seen from outside. */

type DifferenceKind = 'bytes' | 'missing' | 'policy' | 'redirect' | 'header' | 'extra';

export interface Difference {
  readonly path: string;
  readonly what: DifferenceKind;
  readonly text: string;
}

export interface Comparison {
  readonly site: string;
  readonly release: { readonly version: string; readonly manifest_sha256: string };
  readonly compared: { readonly pages: number; readonly files: number };
  readonly differences: readonly Difference[];
  /** Origins that the site's own settings add to the release's policies. */
  readonly own_origins: readonly string[];
}

/** What no look from outside can show. */
export const UNPROVEN = [
  'A server can send one visitor another page than this command got: by their address, cookies, browser or time.',
  'It can send another page a minute later. It can also serve more files: this command asks for the files of the release only.',
  'Answers to calls, files of people and the cards of links (/s/…) are the site’s own, and not part of the release.',
] as const;

/** As a browser asks: a server that looks for this command by its name has to look closer. */
const AS_BROWSER = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Accept-Language': 'en-US,en;q=0.5',
};
const DOCUMENT_HEADERS = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
/** What browsers take, and the bytes as they are: a server keeps both. */
const ENCODINGS = ['gzip, deflate, br', 'identity'] as const;
const LANES = 6;
/** Other headers that load or lead elsewhere; a redirect is one, too. */
const LEADING_HEADERS = ['link', 'refresh'] as const;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

const isBusy = (status: number) => status === 429 || status >= 500;

/** @throws what fetch throws, after all retries */
async function ask(url: URL, headers: Readonly<Record<string, string>>): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    const delayMs = RETRY_DELAYS_MS[attempt + 1];
    try {
      const answer = await fetch(url, { headers: { ...AS_BROWSER, ...headers }, redirect: 'manual' });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (!isBusy(answer.status) || delayMs === undefined)
        return { status: answer.status, headers: answer.headers, bytes };
    } catch (error) {
      if (delayMs === undefined) throw error;
    }
    await pause(delayMs);
  }
}

const base64url = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url');
const inHex = (hash: string): string => Buffer.from(hash, 'base64url').toString('hex');

/** One thing to ask for, and what the release says of the answer. */
interface Expected {
  readonly path: string;
  readonly sha256: string;
  readonly policy: string;
  /** 404 for an address that no page has: the same document says so. */
  readonly status: 200 | 404;
  readonly isPage: boolean;
}

const SLUG_BYTES = 12;
/** No folder has it. */
const randomName = () => randomBytes(SLUG_BYTES).toString('base64url');

function expectedOf(manifest: ReleaseManifest): Expected[] {
  const { files, pages } = manifest;
  const { [DOCUMENT]: document = '', ...others } = files;
  const page = (path: string, status: 200 | 404): Expected => ({
    path,
    sha256: document,
    policy: policyAt(manifest, path),
    status,
    isPage: true,
  });
  return [
    ...pages.map((path) => page(path.replace('*', randomName()), 200)),
    page(`/${randomName()}/${randomName()}`, 404),
    ...Object.entries({ ...others, [MANIFEST_PATH]: Buffer.from(manifest.sha256, 'hex').toString('base64url') }).map(
      ([path, sha256]): Expected => ({ path, sha256, policy: policyAt(manifest, path), status: 200, isPage: false }),
    ),
  ];
}

function redirectOf(path: string, { status, headers }: Answer): Difference[] {
  const location = headers.get('location');
  if (location === null && (status < 300 || status > 399)) return [];
  const isRelative = location !== null && /^\.{0,2}\/(?![/\\])/.test(location);
  const kind = isRelative ? 'redirects' : 'redirects to an absolute address';
  return [{ path, what: 'redirect', text: `${kind}: ${location ?? `HTTP ${status}`}` }];
}

/** What a page that is not the release's has beside the release's. */
function foreignParts(url: URL, html: string, manifest: ReleaseManifest): Difference[] {
  const isKnown = (path: string) => path in manifest.files || manifest.pages.includes(path);
  const { pathname: path } = url;
  const scripts = countForeignScripts(html, policyAt(manifest, '/'));
  return [
    ...findForeignAddresses(html, url, isKnown).map(
      (address): Difference => ({
        path: address,
        what: 'extra',
        text: `named by ${path}, and not part of the release`,
      }),
    ),
    ...(scripts > 0
      ? [{ path, what: 'extra', text: `${scripts} inline scripts that are not part of the release` } as const]
      : []),
  ];
}

function compareAnswer(url: URL, expected: Expected, answer: Answer, manifest: ReleaseManifest) {
  const { path, sha256, policy, status, isPage } = expected;
  const redirects = redirectOf(path, answer);
  const headers = LEADING_HEADERS.flatMap((name): Difference[] => {
    const value = answer.headers.get(name);
    return value === null ? [] : [{ path, what: 'header', text: `sends ${name}: ${value}` }];
  });
  if (redirects.length > 0) return { differences: [...redirects, ...headers], ownOrigins: [] };
  if (answer.status !== status) {
    const missing: Difference = { path, what: 'missing', text: `HTTP ${answer.status}, and not ${status}` };
    return { differences: [missing, ...headers], ownOrigins: [] };
  }
  const { directives, ownOrigins } = comparePolicies(answer.headers.get('content-security-policy'), policy);
  const served = base64url(answer.bytes);
  const differences: Difference[] = [...headers];
  if (served !== sha256) {
    const text = `other bytes: SHA-256 ${inHex(served)}, and not ${inHex(sha256)}`;
    differences.push({ path, what: 'bytes', text });
    if (isPage) differences.push(...foreignParts(url, answer.bytes.toString(), manifest));
  }
  if (directives.length > 0)
    differences.push({ path, what: 'policy', text: `other Content-Security-Policy: ${directives.join('; ')}` });
  const features = isPage ? enabledFeatures(answer.headers.get('permissions-policy')) : [];
  if (features.length > 0)
    differences.push({ path, what: 'policy', text: `Permissions-Policy leaves open: ${features.join(', ')}` });
  return { differences, ownOrigins };
}

/** @throws CommandError where the site says that it runs another release than the one to compare with */
async function requireSameRelease(origin: string, manifest: ReleaseManifest): Promise<void> {
  const { status, bytes } = await ask(new URL(MANIFEST_PATH, origin), { 'Accept-Encoding': ENCODINGS[0] });
  const said = status === 200 ? parseManifest(bytes.toString()) : null;
  if (said === null || said.version === manifest.version) return;
  throw new CommandError(
    EXIT.refused,
    'verify.other_release',
    `${origin} says that it runs ${said.version}, and the manifest to compare with is of ${manifest.version}. Take the satchel of that release, or give its manifest, from the release and not from the site, with --manifest`,
  );
}

/**
 * Compares what a site serves with a release's manifest.
 * @throws CommandError where the site says that it runs another release; what fetch throws after all retries
 */
export async function compareSite(origin: string, manifest: ReleaseManifest): Promise<Comparison> {
  await requireSameRelease(origin, manifest);
  const all = expectedOf(manifest);
  const waiting = ENCODINGS.flatMap((encoding) => all.map((expected) => ({ expected, encoding })));
  const total = waiting.length;
  const found = new Map<string, Difference>();
  const ownOrigins = new Set<string>();
  let done = 0;
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { expected, encoding } = next;
      const url = new URL(expected.path, origin);
      const answer = await ask(url, { ...(expected.isPage && DOCUMENT_HEADERS), 'Accept-Encoding': encoding });
      const compared = compareAnswer(url, expected, answer, manifest);
      for (const difference of compared.differences) found.set(`${difference.path} ${difference.text}`, difference);
      for (const own of compared.ownOrigins) ownOrigins.add(own);
      done += 1;
      showProgress(`${done} of ${total} answers compared, ${found.size} differences`);
    }
  }
  await Promise.all(Array.from({ length: LANES }, work));
  const pages = all.filter(({ isPage }) => isPage).length;
  return {
    site: origin,
    release: { version: manifest.version, manifest_sha256: manifest.sha256 },
    compared: { pages, files: all.length - pages },
    differences: [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1)),
    own_origins: [...ownOrigins].sort(),
  };
}
