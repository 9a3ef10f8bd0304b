import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/**
 * The built web application in memory: some megabytes, read once, so that no request's path reaches the disk. What only
 * the build before it had is read when a page of that build asks for it.
 */

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const COMPRESSIBLE = /^(text\/|application\/(json|wasm|manifest)|image\/svg)/;
const WORTH_COMPRESSING_BYTES = 1024;
const BROTLI_QUALITY = 6;

export type Encoding = 'br' | 'gzip' | 'identity';

export interface WebFile {
  readonly type: string;
  readonly etag: string;
  /** The bytes in an encoding, compressed at the first request and kept. */
  body(encoding: Encoding): Promise<Buffer>;
  /** The best encoding that a client's Accept-Encoding allows. */
  encodingFor(accepted: string): Encoding;
}

export interface WebFiles {
  /** index.html: the same bytes for every page, visitor and site. */
  readonly page: WebFile;
  /** By URL path. */
  readonly files: ReadonlyMap<string, WebFile>;
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Where the build keeps what only the build before it had (scripts/launch/build-outputs.mjs). */
const PREVIOUS = '/previous';
const PAGE = '/index.html';
/** Beside a file: its bytes as brotli, which the build took more time for than an answer may. */
const BROTLI_SUFFIX = '.br';

/** @param brotliBytes what the build has compressed it to; null if it has not */
export function createWebFile(path: string, bytes: Buffer, brotliBytes: Buffer | null = null): WebFile {
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  const worthIt = COMPRESSIBLE.test(type) && bytes.length > WORTH_COMPRESSING_BYTES;
  const squeezed = new Map<Encoding, Promise<Buffer>>();
  if (brotliBytes) squeezed.set('br', Promise.resolve(brotliBytes));
  const squeeze = (encoding: Encoding): Promise<Buffer> => {
    if (encoding === 'identity') return Promise.resolve(bytes);
    if (encoding === 'gzip') return zip(bytes);
    return brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  };
  return {
    type,
    etag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
    async body(encoding) {
      const kept = squeezed.get(encoding) ?? squeeze(encoding);
      squeezed.set(encoding, kept);
      return kept;
    },
    encodingFor(accepted) {
      if (!worthIt) return 'identity';
      const names = accepted.split(',').flatMap((part) => {
        const [name = '', weight = ''] = part.split(';');
        return /q=0(\.0*)?$/.test(weight.trim()) ? [] : [name.trim()];
      });
      if (names.includes('br')) return 'br';
      return names.includes('gzip') ? 'gzip' : 'identity';
    },
  };
}

/** A file of the build before: its name has a hash of its bytes. */
function createPreviousFile(path: string): WebFile {
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    etag: basename(path),
    body: () => readFile(path),
    encodingFor: () => 'identity',
  };
}

/**
 * Reads the built web application.
 * @param dir its build output
 * @returns null if it has not been built
 */
export async function readWebFiles(dir: string): Promise<WebFiles | null> {
  const files = new Map<string, WebFile>();
  const previous = new Map<string, WebFile>();
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const url = `/${relative(dir, path).split(sep).join('/')}`;
    // The build's own notes (.vite) are not served.
    if (!entry.isFile() || url.includes('/.') || url.endsWith(BROTLI_SUFFIX)) continue;
    if (url.startsWith(`${PREVIOUS}/`)) {
      previous.set(url.slice(PREVIOUS.length), createPreviousFile(path));
      continue;
    }
    const brotliBytes = await readFile(path + BROTLI_SUFFIX).catch(() => null);
    files.set(url, createWebFile(path, await readFile(path), brotliBytes));
  }
  // index.html is a page, not a file.
  const page = files.get(PAGE);
  files.delete(PAGE);
  return page === undefined ? null : { page, files: new Map([...previous, ...files]) };
}
