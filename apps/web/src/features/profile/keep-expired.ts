import type { Folder } from '@satchel/contract/entities';

type Listed = Pick<Folder, 'id' | 'created_at' | 'expires_at'>;

/**
 * Merges a new list with the old list's folders that have expired since: the server omits them, and a row that
 * vanishes gives no reason. Newest first.
 */
export function keepExpired<F extends Listed>(before: readonly F[], now: readonly F[], nowMs: number): readonly F[] {
  const listed = new Set(now.map(({ id }) => id));
  const ended = before.filter(({ id, expires_at }) => !listed.has(id) && Date.parse(expires_at) <= nowMs);
  if (ended.length === 0) return now;
  return [...now, ...ended].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}
