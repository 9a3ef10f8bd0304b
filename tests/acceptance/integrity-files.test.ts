import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite } from '../support/site.ts';

/**
 * What a site publishes for those who check it, read as the specifications say and by code of this file alone: its manifest,
 * WAICT (waict-wg/waict-integrity-spec, draft v2) and WEBCAT (freedomofpress/webcat-spec; docs.webcat.tech).
 */

interface Manifest {
  readonly version: string;
  readonly policies: Record<string, string>;
  readonly pages: readonly string[];
  readonly wasm: readonly string[];
  readonly files: Record<string, string>;
}

let site: Site;
let dir: string;
let manifest: Manifest;
beforeAll(async () => {
  [site, dir] = await Promise.all([startSite({ hasOneServer: true }), mkdtemp(join(tmpdir(), 'satchel-webcat-'))]);
  manifest = (await (await get('/manifest.json')).json()) as Manifest;
});
afterAll(async () => {
  await site?.stop();
  await rm(dir, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(site.url + path, { redirect: 'manual', headers });
const bytesAt = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer());
const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('base64url');
const policyOf = (response: Response) => response.headers.get('content-security-policy') ?? '';
/** Longest-prefix match, as WEBCAT's manifest.md has it and our manifest, too. */
const longest = (policies: Record<string, string>, path: string) =>
  Object.entries(policies)
    .filter(([prefix]) => path.startsWith(prefix))
    .toSorted(([one], [other]) => other.length - one.length)[0]?.[1];

const SHA256 = /^[\w-]{43}$/;
const NAME = 'x'.repeat(22);
/** Routes with other answers than pages and files: calls, probes, errors. */
const ANSWERS = [
  ...[
    '/settings.json',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/auth/v1/session',
    '/auth/v1/user',
    '/rest/v1/x',
  ],
  ...[
    '/storage/v1/object/public/x/y',
    '/bot/x/y',
    '/abuse/v1/operator_keys',
    '/operator/v1/reports',
    '/discord/x',
    '/dl/1/x',
  ],
  ...['/.well-known/webcat/enrollment.json', '/.well-known/security.txt'],
];

test('the manifest has the hash of every file that the site serves, and of the one document of all pages', async () => {
  const { '/index.html': document, ...files } = manifest.files;
  for (const [path, hash] of Object.entries(files)) {
    expect([path, hash]).toEqual([path, expect.stringMatching(SHA256)]);
    expect([path, hashOf(await bytesAt(path))]).toEqual([path, hash]);
  }
  for (const page of [...manifest.pages, `/nothing/${NAME}`]) {
    const path = page.replace('*', NAME);
    expect([path, hashOf(await bytesAt(path))]).toEqual([path, document]);
  }
  const html = (await bytesAt('/')).toString();
  const loaded = Array.from(
    html.matchAll(/<(?:script|link)\b[^>]*\s(?:src|href)="(\/[^"]+)"/g),
    ([, path = '']) => path,
  );
  expect(loaded.length).toBeGreaterThan(3);
  expect(loaded.filter((path) => !(path in files))).toEqual([]);
});

test('every answer has one policy, and it is the manifest’s for its path', async () => {
  const { '/index.html': _, ...files } = manifest.files;
  const pages = [...manifest.pages.map((page) => page.replace('*', NAME)), `/nothing/${NAME}`];
  for (const path of [...pages, ...Object.keys(files), '/manifest.json']) {
    expect([path, policyOf(await get(path))]).toEqual([path, longest(manifest.policies, path)]);
  }
});

test('no answer leads elsewhere by a header', async () => {
  for (const path of [...manifest.pages, ...ANSWERS, '/sw.js', '/auth/v1/callback']) {
    const { headers } = await get(path.replace('*', NAME));
    expect([path, headers.get('link'), headers.get('refresh')]).toEqual([path, null, null]);
    expect([path, headers.get('location') ?? '/']).toEqual([path, expect.stringMatching(/^\.{0,2}\/(?![/\\])/)]);
  }
});

test('WAICT: the policy reports, its manifest is immutable and names each active file by its whole address', async () => {
  const header = (await get('/')).headers.get('integrity-policy-waict-v1') ?? '';
  const [, path = '', hash = ''] =
    /^max-age=0, mode=report, manifest="(\/\.well-known\/waict\/manifests\/satchel_([\w-]{22}))"$/.exec(header) ?? [];
  const response = await get(path);
  expect(response.headers.get('content-type')).toBe('application/waict-integrity-manifest');
  expect(response.headers.get('cache-control')).toMatch(/immutable/);
  const body = Buffer.from(await response.arrayBuffer());
  expect(hashOf(body).slice(0, 22)).toBe(hash);
  // manifest, LF, proof, LF; without transparency the proof is empty.
  const [json = '', proof, rest, ...more] = body.toString().split('\n');
  expect([proof, rest, more]).toEqual(['', '', []]);
  const waict = JSON.parse(json) as {
    hashes: Record<string, string>;
    wasm_hashes: string[];
    fallback_hashes: string[];
  };
  for (const [address, sum] of Object.entries(waict.hashes)) {
    expect(address).toBe(new URL(address, site.url).href);
    expect(Buffer.from(sum, 'base64url')).toHaveLength(32);
  }
  for (const sums of [waict.wasm_hashes, waict.fallback_hashes]) expect(sums).toEqual([...new Set(sums)].toSorted());
  const active = Object.keys(manifest.files).filter((name) => /\.(js|css)$/.test(name));
  for (const name of active) expect(waict.hashes[site.url + name]).toBe(hashOf(await bytesAt(name)));
  expect(waict.fallback_hashes).toEqual([hashOf(await bytesAt('/f'))]);
  for (const name of Object.keys(manifest.files).filter((one) => one.endsWith('.wasm')))
    expect(waict.wasm_hashes).toContain(hashOf(await bytesAt(name)));
  // The module in the passphrase worker is written in base64.
  const worker = active.find((name) => name.includes('passphrase-worker')) ?? '';
  const modules = (await bytesAt(worker)).toString().match(/AGFzbQ[\w+/]+=*/g) ?? [];
  expect(modules.length).toBeGreaterThan(0);
  for (const text of modules) expect(waict.wasm_hashes).toContain(hashOf(Buffer.from(text, 'base64')));
});

/** Canonical JSON, http://wiki.laptop.org/go/Canonical_JSON. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one)).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const names = Object.keys(value).toSorted();
    return `{${names.map((name) => `${canonical(name)}:${canonical((value as Record<string, unknown>)[name])}`).join(',')}}`;
  }
  return typeof value === 'string' ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : String(value);
}

interface Webcat {
  readonly manifest: {
    readonly default_csp: string;
    readonly extra_csp: Record<string, string>;
    readonly files: Record<string, string>;
    readonly default_index: string;
    readonly default_fallback: string;
    readonly wasm: string[];
    readonly timestamp?: string;
  };
}

const webcat = (...args: readonly string[]) => site.admin('webcat', ...args);

/** A proof as sigsum-submit writes it, as far as the signer makes it: the log's and witnesses' lines need a log. */
function proofOf(key: KeyObject, text: string): string {
  const sha = (data: Buffer | string) => createHash('sha256').update(data).digest();
  const leaf = Buffer.concat([Buffer.from('sigsum.org/v1/tree-leaf'), Buffer.from([0]), sha(sha(text))]);
  return `version=2\nlog=${'0'.repeat(64)}\nleaf=${'1'.repeat(64)} ${sign(null, leaf, key).toString('hex')}\n\nsize=1\n`;
}

const SOURCES: Readonly<Record<string, RegExp>> = {
  'default-src': /^'(none|self)'$/,
  'script-src': /^'(none|self|wasm-unsafe-eval|sha(256|384|512)-[\w+/=]+)'$/,
  'style-src': /^'(none|self|sha(256|384|512)-[\w+/=]+)'$/,
  'worker-src': /^'(none|self)'$/,
  'object-src': /^'none'$/,
};
/** docs.webcat.tech, CSP. */
function faultsOf(policy: string): string[] {
  const directives = new Map(
    policy.split(';').map((one) => [one.trim().split(' ')[0]!, one.trim().split(' ').slice(1)]),
  );
  const faults = Object.entries(SOURCES).flatMap(([name, allowed]) =>
    (directives.get(name) ?? []).filter((source) => !allowed.test(source)).map((source) => `${name} ${source}`),
  );
  if (policy.includes(',')) faults.push('several policies');
  if (directives.get('default-src')?.join() !== "'none'") faults.push('default-src is not none');
  return [...faults, ...[...directives.keys()].filter((name) => /^(frame|child)-src$|-elem$/.test(name))];
}

test('WEBCAT: the manifest to sign has the members, policies and hashes that the site really sends', async () => {
  const { code, output } = await webcat('manifest', '-');
  expect(code).toBe(0);
  const { manifest: made } = JSON.parse(output) as Webcat;
  expect(Object.keys(made).toSorted()).toEqual(
    ['app', 'default_csp', 'default_fallback', 'default_index', 'extra_csp', 'files', 'version', 'wasm'].toSorted(),
  );
  expect(made.files[`/${made.default_index}`]).toBe(hashOf(await bytesAt('/')));
  expect(made.files[made.default_fallback]).toBe(hashOf(await bytesAt(`/f/${NAME}`)));
  for (const policy of [made.default_csp, ...Object.values(made.extra_csp)]) expect(faultsOf(policy)).toEqual([]);
  const paths = [
    ...Object.keys(made.files).filter((path) => path !== '/index.html'),
    ...ANSWERS,
    '/',
    '/f',
    `/f/${NAME}`,
    '/check',
  ];
  for (const path of paths) {
    expect([path, policyOf(await get(path))]).toEqual([path, longest(made.extra_csp, path) ?? made.default_csp]);
  }
});

test('WEBCAT: what the operator has signed is served, and what a browser would refuse is not taken', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signer = publicKey.export({ format: 'jwk' }).x ?? '';
  const write = (name: string, value: unknown) => writeFile(join(dir, name), JSON.stringify(value));
  await writeFile(join(dir, 'tree-head'), 'size=1\nroot_hash=00\n');
  const { manifest: unsigned } = JSON.parse((await webcat('manifest', join(dir, 'tree-head'))).output) as Webcat;
  expect(unsigned.timestamp).toBe('size=1\nroot_hash=00');
  const enrollment = {
    type: 'sigsum',
    signers: [signer],
    threshold: 1,
    policy: 'AAAA',
    max_age: 1e7,
    cas_url: 'https://cas.example',
    logs: { a: 'https://log.example' },
  };
  await write('enrollment.json', enrollment);

  const signatures = { [signer]: proofOf(privateKey, canonical(unsigned)) };
  const forged = { ...unsigned, files: { ...unsigned.files, '/sw.js': 'A'.repeat(43) } };
  await write('manifest.json', { manifest: forged, signatures: { [signer]: proofOf(privateKey, canonical(forged)) } });
  expect(await webcat('publish', dir)).toMatchObject({ code: 2, output: expect.stringContaining('its files differs') });
  await write('manifest.json', {
    manifest: unsigned,
    signatures: { [signer]: proofOf(privateKey, canonical(forged)) },
  });
  expect(await webcat('publish', dir)).toMatchObject({
    code: 2,
    output: expect.stringContaining('signed by 0 of the enrolled keys'),
  });
  expect((await get('/.well-known/webcat/enrollment.json')).status).toBe(404);

  await write('manifest.json', { manifest: unsigned, signatures });
  expect(await webcat('publish', dir)).toMatchObject({ code: 0 });
  const served = async (name: string) => (await get(`/.well-known/webcat/${name}.json`)).json();
  expect(await served('enrollment')).toEqual(enrollment);
  expect(await served('manifest')).toEqual({ manifest: unsigned, signatures });
  expect(await served('bundle')).toEqual({ enrollment, manifest: unsigned, signatures });

  await write('enrollment.json', { ...enrollment, max_age: 2e7 });
  expect(await webcat('publish', dir)).toMatchObject({ code: 0 });
  expect(await served('enrollment')).toMatchObject({ max_age: 2e7 });
  expect(await served('enrollment-prev')).toEqual(enrollment);
  expect(await served('bundle-prev')).toMatchObject({ enrollment });
});

test('what the site serves is what its build wrote', async () => {
  const built = await readFile(join(import.meta.dirname, '../../apps/web/dist/manifest.json'));
  expect(hashOf(await bytesAt('/manifest.json'))).toBe(hashOf(built));
});
