import type { Config } from '../../config.ts';
import type { CommonSettings } from './shared-site.ts';
import type { SiteRole } from './site-lock-keys.ts';

/** What a process may write alone, and what it must have in common with others, by its settings. */

/** What only this process may write. A server without a key service has key shares of its own. */
export function ownRoles({ role, keyServiceUrl, blobsUrl }: Config): SiteRole[] {
  if (role === 'keys') return ['keys'];
  return [...(blobsUrl === null ? (['site'] as const) : []), ...(keyServiceUrl === null ? (['keys'] as const) : [])];
}

/** What all nodes of a site must have in common; null where the site has one process, and for its key service. */
export function commonSettings(config: Config, sessionSecret: Buffer): CommonSettings | null {
  const { role, blobsUrl, publicUrl, usercontentUrl, keyServiceUrl, keyServiceSecret } = config;
  if (blobsUrl === null || role === 'keys') return null;
  return {
    BLOBS_URL: blobsUrl,
    PUBLIC_URL: publicUrl,
    USERCONTENT_URL: usercontentUrl ?? '',
    SESSION_SECRET: sessionSecret.toString('base64'),
    ...(keyServiceUrl !== null && { KEY_SERVICE_SECRET: keyServiceSecret ?? '' }),
  };
}
