import { tabStorage } from '../../lib/base/device.ts';

/** Return path after signing in: a path of this site, for this tab only. */
const KEY = 'satchel.return_to';

/** Placeholder for the site's origin. */
const HERE = 'https://here.invalid';
/** Pages of the sign-in itself are no place to come back to. */
const NEVER = /^\/auth(\/|$|\?)/;

/**
 * A path of this site, or null for anything that could lead elsewhere. The fragment is cut off: it may hold a folder's
 * secret, which only engine/keys/kept-fragment carries through sign-in (docs/container.md §3).
 */
export function safeReturnPath(path: string): string | null {
  if (!/^\/(?![/\\])/.test(path) || !URL.canParse(path, HERE)) return null;
  const url = new URL(path, HERE);
  if (url.origin !== HERE) return null;
  const clean = `${url.pathname}${url.search}`;
  return NEVER.test(clean) || clean.startsWith('//') ? null : clean;
}

/** Remembers the path until the sign-in is over; without storage it ends on the landing page. */
export function rememberReturnPath(path: string): void {
  const safe = safeReturnPath(path);
  if (safe) tabStorage.set(KEY, safe);
  else tabStorage.delete(KEY);
}

/** The remembered path, once; `/` when there is none. */
export function takeReturnPath(): string {
  const path = tabStorage.get(KEY);
  tabStorage.delete(KEY);
  return (path && safeReturnPath(path)) || '/';
}

const FOLDER = /^\/f\/([^/?#]+)/;

/** The slug of a folder page's path, or null. */
export const slugOf = (path: string): string | null => FOLDER.exec(path)?.[1] ?? null;
