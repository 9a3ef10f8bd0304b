import { createHash } from 'node:crypto';
import { DOCUMENT, MANIFEST_PATH, type SiteManifest } from '@satchel/contract/site-manifest';
import type { WebFiles } from './web-files.ts';

/**
 * WAICT (https://github.com/waict-wg/waict-integrity-spec, draft v2): browsers that know it compare what they load with a manifest
 * of the site's, and say in their console what differs. In report mode they load it all the same.
 */

const FOLDER = '/.well-known/waict/manifests/';
const HASH_CHARACTERS = 22;
export const WAICT_TYPE = 'application/waict-integrity-manifest';

export interface Waict {
  /** Of `Integrity-Policy-WAICT-v1`. */
  readonly header: string;
  /** Where the manifest is; its bytes never change. */
  readonly path: string;
  readonly body: string;
}

/**
 * @param origin of the site: addresses in the manifest are whole, as §Validating Manifests asks for
 * @returns a policy without transparency (`max-age=0`), which needs no proof of a log; null for pages without a manifest
 */
export async function readWaict({ files }: WebFiles, origin: string): Promise<Waict | null> {
  const built = await files.get(MANIFEST_PATH)?.body('identity');
  if (built === undefined) return null;
  const { files: hashes, wasm } = JSON.parse(built.toString()) as SiteManifest;
  const { [DOCUMENT]: document = '', ...others } = hashes;
  const manifest = {
    hashes: Object.fromEntries(Object.entries(others).map(([path, hash]) => [origin + path, hash])),
    wasm_hashes: wasm,
    // Every page is the same document, at every address.
    fallback_hashes: [document],
  };
  // The second line is the proof.
  const body = `${JSON.stringify(manifest)}\n\n`;
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, HASH_CHARACTERS);
  const path = `${FOLDER}satchel_${hash}`;
  return { header: `max-age=0, mode=report, manifest="${path}"`, path, body };
}
