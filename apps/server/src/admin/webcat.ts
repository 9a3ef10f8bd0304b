import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ANSWER_POLICY, documentPolicy, filePolicy, type SiteOrigins } from '@satchel/contract/page-policy';
import { DOCUMENT, MANIFEST_PATH, type SiteManifest } from '@satchel/contract/site-manifest';
import type { Config } from '../config.ts';
import { openBlobs } from '../platform/blobs/open-blobs.ts';
import { readWebcatFile, type WebcatFile, writeWebcatFiles } from '../platform/site/webcat-folder.ts';
import { WEB_DIR } from '../program.ts';
import { CommandError } from './site-access.ts';

/** The files of WEBCAT (https://docs.webcat.tech, github.com/freedomofpress/webcat-spec) for an operator who enrolls. */

/** `manifest` of WEBCAT's manifest.md §1.1. */
interface WebcatManifest {
  readonly app: string;
  readonly version: string;
  readonly default_csp: string;
  readonly extra_csp: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly default_index: string;
  readonly default_fallback: string;
  readonly wasm: readonly string[];
  /** A log's cosigned tree head; enrollments of Sigstore have none. */
  readonly timestamp?: string;
}

/** The paths that no page and no file of the build is at: their answers have one policy. */
const ANSWERS = [
  ...[
    '/.well-known/waict/',
    '/.well-known/webcat/',
    '/abuse/',
    '/auth/v1/',
    '/bot/',
    '/discord/',
    '/dl/',
    '/healthz',
    '/metrics',
    '/openapi.json',
  ],
  ...['/operator/v1/', '/readyz', '/rest/', '/settings.json', '/share-target', '/storage/'],
];

const readText = (path: string, otherwise: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: Error) => {
    throw new CommandError(`${otherwise} (${error.message})`);
  });

const readBuilt = (path: string): Promise<string> =>
  readText(join(WEB_DIR, path), 'the web application has not been built: npm run build');

async function originsOf(config: Config): Promise<SiteOrigins> {
  if (config.usercontentUrl !== null)
    throw new CommandError('USERCONTENT_URL: WEBCAT lets no file be redirected to another origin');
  const store = config.blobsDirect ? await (await openBlobs(config)).direct?.() : undefined;
  return { usercontentUrl: null, bucketUrl: store?.baseUrl ?? null };
}

/** What this build serves with these settings, as WEBCAT wants it. */
async function expectedManifest(config: Config): Promise<WebcatManifest> {
  const origins = await originsOf(config);
  const { version, files, policies, wasm } = JSON.parse(await readBuilt(MANIFEST_PATH)) as SiteManifest;
  const paths = Object.keys(policies).filter((path) => path !== '/');
  const extra = [
    ...paths.map((path) => [path, filePolicy(path, origins)]),
    ...ANSWERS.map((path) => [path, ANSWER_POLICY]),
  ];
  return {
    app: config.links.source ?? config.publicUrl,
    version,
    default_csp: await documentPolicy(await readBuilt(DOCUMENT), origins),
    extra_csp: Object.fromEntries(extra),
    files,
    default_index: DOCUMENT.slice(1),
    default_fallback: DOCUMENT,
    wasm,
  };
}

/**
 * The manifest to sign, for the operator's own tools.
 * @param treeHead path of a file with a log's answer to get-tree-head; `-` for Sigstore, which needs none
 */
export async function makeWebcatManifest(config: Config, treeHead: string): Promise<string> {
  const manifest = await expectedManifest(config);
  const timestamp = treeHead === '-' ? {} : { timestamp: (await readText(treeHead, 'TREE_HEAD can’t be read')).trim() };
  return JSON.stringify({ manifest: { ...manifest, ...timestamp } }, null, 2);
}

/** Canonical JSON (http://wiki.laptop.org/go/Canonical_JSON): what is signed. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonical(name)}:${canonical(member)}`).join(',')}}`;
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();

/** Of a raw Ed25519 key (RFC 8410). */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** What a signer of Sigsum signs: the checksum of the message, which is the hash of the file, in the log's name. */
const leafOf = (text: string): Buffer =>
  Buffer.concat([Buffer.from('sigsum.org/v1/tree-leaf\0'), sha256(sha256(text))]);

/** Whether a proof's leaf is a signature of the text by the key. That a log has it is for the proof's own checkers. */
function isSignedBy(key: string, proof: string, text: string): boolean {
  const [, signature = ''] = /^leaf=[0-9a-f]+ ([0-9a-f]{128})$/m.exec(proof) ?? [];
  const spki = Buffer.concat([ED25519_PREFIX, Buffer.from(key, 'base64url')]);
  try {
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    return verify(null, leafOf(text), publicKey, Buffer.from(signature, 'hex'));
  } catch {
    return false;
  }
}

interface SignedManifest {
  readonly manifest: WebcatManifest;
  readonly signatures?: Readonly<Record<string, string>> | readonly unknown[];
}
interface Enrollment {
  readonly type?: string;
  readonly signers?: readonly string[];
  readonly threshold?: number;
}

async function readJson<Value>(dir: string, name: WebcatFile): Promise<Value> {
  const path = join(dir, name);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Value;
  } catch (error) {
    throw new CommandError(`${path} can't be read as JSON (${(error as Error).message})`);
  }
}

/** @throws CommandError naming the first member that differs */
function requireSame({ timestamp: _, ...signed }: WebcatManifest, expected: WebcatManifest): void {
  for (const name of Object.keys(expected) as (keyof WebcatManifest)[]) {
    if (canonical(signed[name as keyof typeof signed] ?? null) !== canonical(expected[name]))
      throw new CommandError(
        `manifest.json is of another build or of other settings: its ${name} differs. Sign it again`,
      );
  }
}

/** @throws CommandError where too few of the enrolled signers have signed it */
function requireSignatures({ manifest, signatures }: SignedManifest, enrollment: Enrollment): void {
  if (enrollment.type === 'sigstore') {
    if (Array.isArray(signatures) && signatures.length > 0) return;
    throw new CommandError('manifest.json has no Sigstore bundle');
  }
  const { signers = [], threshold = 1 } = enrollment;
  const proofs = new Map(Object.entries(signatures ?? {}));
  const text = canonical(manifest);
  const signed = new Set(signers.filter((key) => isSignedBy(key, String(proofs.get(key) ?? ''), text)));
  if (signed.size >= threshold && manifest.timestamp) return;
  throw new CommandError(
    manifest.timestamp
      ? `manifest.json is signed by ${signed.size} of the enrolled keys, and ${threshold} have to sign`
      : 'manifest.json has no timestamp: a log’s tree head',
  );
}

/**
 * Checks what the operator has signed against this build and these settings, and has the server serve it.
 * @param dir with enrollment.json and manifest.json, as WEBCAT's own tools make them
 * @returns the names of the files that are served from now on
 * @throws CommandError where a browser would refuse the site
 */
export async function publishWebcat(config: Config, dir: string): Promise<readonly WebcatFile[]> {
  const enrollment = await readJson<Enrollment>(dir, 'enrollment.json');
  const signed = await readJson<SignedManifest>(dir, 'manifest.json');
  requireSame(signed.manifest, await expectedManifest(config));
  requireSignatures(signed, enrollment);
  const { dataDir } = config;
  const files = new Map<WebcatFile, string>();
  const before = await readWebcatFile(dataDir, 'enrollment.json');
  const bundleBefore = await readWebcatFile(dataDir, 'bundle.json');
  const isOther = before !== null && canonical(JSON.parse(before)) !== canonical(enrollment);
  if (isOther && bundleBefore !== null) files.set('enrollment-prev.json', before).set('bundle-prev.json', bundleBefore);
  files.set('enrollment.json', JSON.stringify(enrollment));
  files.set('manifest.json', JSON.stringify(signed));
  files.set('bundle.json', JSON.stringify({ enrollment, ...signed }));
  await writeWebcatFiles(dataDir, files);
  return [...files.keys()];
}
