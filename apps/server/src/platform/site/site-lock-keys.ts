/** What the lock of a site is called in the database, and how a process is refused. */

/**
 * The second half of the lock's key. The first half is the space of these locks; its 0 is the lock that writers share
 * and a new holder takes exclusively.
 */
export const ROLES = { site: 1, keys: 2 } as const;
export const LOCK_SPACE = 7_234_119;
export const WRITERS = 0;
export type SiteRole = keyof typeof ROLES;

/** A refused start, or a site lost to another process, as one line. */
export class SiteLockError extends Error {
  override readonly name = 'SiteLockError';
}
