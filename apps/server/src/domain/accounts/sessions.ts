import type { SessionList } from '@satchel/contract/api';
import type { SessionKind } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { and, desc, eq, gt, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/db.ts';
import { prepared, type Slots } from '../../platform/database/prepared.ts';
import { hashToken, newToken } from '../../platform/keys/tokens.ts';
import { sessions } from '../../platform/schema/accounts.ts';
import type { Viewer } from '../access/find-folder.ts';

/** A session expires this many days after its sign-in, however much it is used. */
export const SESSION_DAYS = { browser: 30, device: 90 } as const satisfies Record<SessionKind, number>;
/** Precision of `last_seen_at`: an exact time would cost a write for each request. */
const SEEN_EVERY = sql`interval '15 minutes'`;

const isLive = gt(sessions.expires_at, sql`now()`);

/**
 * Begins a session. Only this call returns its token; the database stores a hash.
 * @param label name of the device, for the list of sessions
 */
export async function beginSession(
  db: Queryable,
  profileId: string,
  label: string | null = null,
  kind: SessionKind = 'browser',
): Promise<{ token: string; session_id: string }> {
  const token = newToken();
  const [session] = await db
    .insert(sessions)
    .values({
      token_hash: hashToken(token),
      profile_id: profileId,
      kind,
      expires_at: sql`now() + make_interval(days => ${SESSION_DAYS[kind]}::integer)`,
      label,
    })
    .returning({ session_id: sessions.id });
  return { token, session_id: session!.session_id };
}

const isStale = lte(sessions.last_seen_at, sql`now() - ${SEEN_EVERY}`);

/** Asked by every call with a session's cookie, or with a device's bearer. */
const selectViewer = prepared((db, { token_hash, kind }: Slots<{ token_hash: string; kind: SessionKind }>) =>
  db
    .select({ profile_id: sessions.profile_id, session_id: sessions.id, isStale: sql<boolean>`${isStale}` })
    .from(sessions)
    .where(and(eq(sessions.token_hash, token_hash), eq(sessions.kind, kind), isLive)),
);

/** The viewer whose session of this kind a token opens, or null. */
export async function viewerOf(db: Queryable, token: string, kind: SessionKind): Promise<Viewer | null> {
  const [found] = await selectViewer(db, { token_hash: hashToken(token), kind });
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

/** Asked by every storage call. */
const selectLive = prepared((db, { profile_id, session_id }: Slots<Viewer>) =>
  db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, session_id), eq(sessions.profile_id, profile_id), isLive)),
);

/** True while the session and its account exist. */
export async function isSessionAlive(db: Queryable, { profile_id, session_id }: Viewer): Promise<boolean> {
  const [session] = await selectLive(db, { profile_id, session_id });
  return session !== undefined;
}

/** The viewer's sessions, last used first. */
export async function listSessions(db: Queryable, viewer: Viewer): Promise<SessionList> {
  const rows = await db
    .select()
    .from(sessions)
    .where(and(eq(sessions.profile_id, viewer.profile_id), isLive))
    .orderBy(desc(sessions.last_seen_at), sessions.id);
  return rows.map(({ id, kind, label, created_at, last_seen_at, expires_at }) => ({
    id,
    kind,
    label,
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
    expires_at: expires_at.toISOString(),
    is_this_one: id === viewer.session_id,
  }));
}

/** Ends a session; does nothing for one that has ended. */
export async function endSession(db: Queryable, sessionId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.id, sessionId));
}

/**
 * Ends a session of the viewer.
 * @throws request.not_found, also for a session of another account
 */
export async function endOwnSession(db: Queryable, { profile_id }: Viewer, sessionId: string): Promise<void> {
  const ended = await db
    .delete(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.profile_id, profile_id), isLive))
    .returning({ id: sessions.id });
  if (ended.length === 0) throw new AppError('request.not_found');
}

export type SignOutScope = 'local' | 'others' | 'global';

/** Ends this session, all others, or all. */
export async function signOut(db: Queryable, viewer: Viewer, scope: SignOutScope): Promise<void> {
  const which: Record<SignOutScope, SQL | undefined> = {
    local: eq(sessions.id, viewer.session_id),
    others: ne(sessions.id, viewer.session_id),
    global: undefined,
  };
  await db.delete(sessions).where(and(eq(sessions.profile_id, viewer.profile_id), which[scope]));
}
