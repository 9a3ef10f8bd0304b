import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, relative, resolve, sep } from 'node:path';
import { documentPolicy, filePolicy } from '@satchel/contract/page-policy';
import { DOCUMENT, MANIFEST_PATH, PAGES, policyAt, type SiteManifest } from '@satchel/contract/site-manifest';
import type { Plugin } from 'vite';
import packageJson from './package.json' with { type: 'json' };

/** manifest.json: all that the site serves of this build, so that people can compare (docs/release.md). */

/** A policy of the build alone: a site's settings may add the origins of files. */
const NO_ORIGINS = { usercontentUrl: null, bucketUrl: null };
/** Vite's own notes, and what the server sends in place of a file that it lies beside. */
const NOT_SERVED = /^\/\.|\.br$/;
/** A WebAssembly module in a script: base64 of its first bytes, `\0asm`, and the rest. */
const INLINE_WASM = /AGFzbQ[A-Za-z0-9+/]+=*/g;

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url');
const byText = (one: string, other: string): number => (one < other ? -1 : 1);

function readOutput(dir: string): Map<string, Buffer> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const url = `/${relative(dir, path).split(sep).join('/')}`;
    return entry.isFile() && !NOT_SERVED.test(url) ? [[url, readFileSync(path)] as const] : [];
  });
  return new Map(files.sort(([one], [other]) => byText(one, other)));
}

/** The WebAssembly modules that may run: files of their own, and those in scripts. */
function wasmIn(files: ReadonlyMap<string, Buffer>): string[] {
  const modules = [...files].flatMap(([path, bytes]) => {
    if (extname(path) === '.wasm') return [bytes];
    if (extname(path) !== '.js') return [];
    return Array.from(bytes.toString().matchAll(INLINE_WASM), ([text]) => Buffer.from(text, 'base64'));
  });
  return [...new Set(modules.map(hashOf))].sort(byText);
}

async function policiesOf(files: ReadonlyMap<string, Buffer>): Promise<Record<string, string>> {
  const page = files.get(DOCUMENT)?.toString() ?? '';
  const policies: Record<string, string> = {
    '/': await documentPolicy(page, NO_ORIGINS),
    '/assets/': filePolicy('/assets/', NO_ORIGINS),
  };
  for (const path of [...files.keys(), MANIFEST_PATH]) {
    const policy = filePolicy(path, NO_ORIGINS);
    if (path !== DOCUMENT && policyAt({ policies }, path) !== policy) policies[path] = policy;
  }
  return policies;
}

/** Writes the manifest once all other files are there. */
export function siteManifest(): Plugin {
  let dir = '';
  return {
    name: 'satchel:site-manifest',
    apply: 'build',
    enforce: 'post',
    configResolved(config) {
      dir = resolve(config.root, config.build.outDir);
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const files = readOutput(dir);
        const manifest: SiteManifest = {
          version: packageJson.version,
          policies: await policiesOf(files),
          pages: PAGES,
          wasm: wasmIn(files),
          files: Object.fromEntries([...files].map(([path, bytes]) => [path, hashOf(bytes)])),
        };
        writeFileSync(join(dir, MANIFEST_PATH), `${JSON.stringify(manifest, null, 1)}\n`);
      },
    },
  };
}
