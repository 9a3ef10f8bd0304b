import type { SessionList } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { and, desc, eq, gt, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import { sessions } from '../platform/schema.ts';
import { hashToken, newToken } from '../platform/tokens.ts';
import type { Viewer } from './folders.ts';

/** A session ends so many days after its sign-in, however much it is used. */
export const SESSION_DAYS = 30;
/** When a session was last used is known to this; exact would be a write for each request. */
const SEEN_EVERY = sql`interval '15 minutes'`;

const isLive = gt(sessions.expires_at, sql`now()`);

/**
 * Begins a session; its token is told once, here, and kept only as a hash.
 * @param label of the device, for the list of one's sessions
 */
export async function beginSession(
  db: Queryable,
  profileId: string,
  label: string | null = null,
): Promise<{ token: string; session_id: string }> {
  const token = newToken();
  const [session] = await db
    .insert(sessions)
    .values({
      token_hash: hashToken(token),
      profile_id: profileId,
      expires_at: sql`now() + make_interval(days => ${SESSION_DAYS}::integer)`,
      label,
    })
    .returning({ session_id: sessions.id });
  return { token, session_id: session!.session_id };
}

/** Whose session a token opens, or null. */
export async function viewerOf(db: Queryable, token: string): Promise<Viewer | null> {
  const isStale = lte(sessions.last_seen_at, sql`now() - ${SEEN_EVERY}`);
  const [found] = await db
    .select({ profile_id: sessions.profile_id, session_id: sessions.id, isStale: sql<boolean>`${isStale}` })
    .from(sessions)
    .where(and(eq(sessions.token_hash, hashToken(token)), isLive));
  if (!found) return null;
  const { profile_id, session_id } = found;
  if (found.isStale) {
    await db
      .update(sessions)
      .set({ last_seen_at: sql`now()` })
      .where(and(eq(sessions.id, session_id), isStale));
  }
  return { profile_id, session_id };
}

const ofViewer = ({ profile_id, session_id }: Viewer) =>
  and(eq(sessions.id, session_id), eq(sessions.profile_id, profile_id));

/** True for a session that nobody has ended, and whose account is still there. */
export async function isSessionAlive(db: Queryable, viewer: Viewer): Promise<boolean> {
  const [session] = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(ofViewer(viewer), isLive));
  return session !== undefined;
}

/** Where one is signed in, the last used first. */
export async function listSessions(db: Queryable, viewer: Viewer): Promise<SessionList> {
  const rows = await db
    .select()
    .from(sessions)
    .where(and(eq(sessions.profile_id, viewer.profile_id), isLive))
    .orderBy(desc(sessions.last_seen_at), sessions.id);
  return rows.map(({ id, label, created_at, last_seen_at, expires_at }) => ({
    id,
    label,
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
    expires_at: expires_at.toISOString(),
    is_this_one: id === viewer.session_id,
  }));
}

/** Ends a session; one that has ended already stays so. */
export async function endSession(db: Queryable, sessionId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.id, sessionId));
}

/**
 * Ends a session of one's own.
 * @throws request.not_found for somebody else's, too
 */
export async function endOwnSession(db: Queryable, { profile_id }: Viewer, sessionId: string): Promise<void> {
  const ended = await db
    .delete(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.profile_id, profile_id), isLive))
    .returning({ id: sessions.id });
  if (ended.length === 0) throw new AppError('request.not_found');
}

export type SignOutScope = 'local' | 'others' | 'global';

/** Signs out here, everywhere else, or everywhere. */
export async function signOut(db: Queryable, viewer: Viewer, scope: SignOutScope): Promise<void> {
  const which: Record<SignOutScope, SQL | undefined> = {
    local: eq(sessions.id, viewer.session_id),
    others: ne(sessions.id, viewer.session_id),
    global: undefined,
  };
  await db.delete(sessions).where(and(eq(sessions.profile_id, viewer.profile_id), which[scope]));
}
