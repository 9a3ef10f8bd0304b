import { and, eq, gt, sql } from 'drizzle-orm';
import type { Db } from '../platform/db.ts';
import { sessions } from '../platform/schema.ts';
import { hashToken, newToken } from '../platform/tokens.ts';
import type { Viewer } from './folders.ts';

/** A session ends so many days after its sign-in, however much it is used. */
export const SESSION_DAYS = 30;

/** Begins a session; its token is told once, here, and kept only as a hash. */
export async function beginSession(db: Db, profileId: string): Promise<{ token: string; session_id: string }> {
  const token = newToken();
  const [session] = await db
    .insert(sessions)
    .values({
      token_hash: hashToken(token),
      profile_id: profileId,
      expires_at: sql`now() + make_interval(days => ${SESSION_DAYS}::integer)`,
    })
    .returning({ session_id: sessions.id });
  return { token, session_id: session!.session_id };
}

/** Whose session a token opens, or null. */
export async function viewerOf(db: Db, token: string): Promise<Viewer | null> {
  const [viewer] = await db
    .select({ profile_id: sessions.profile_id, session_id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.token_hash, hashToken(token)), gt(sessions.expires_at, sql`now()`)));
  return viewer ?? null;
}

/** True for a session that nobody has ended, and whose account is still there. */
export async function isSessionAlive(db: Db, { profile_id, session_id }: Viewer): Promise<boolean> {
  const [session] = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, session_id), eq(sessions.profile_id, profile_id), gt(sessions.expires_at, sql`now()`)));
  return session !== undefined;
}

/** Ends a session; one that has ended already stays so. */
export async function endSession(db: Db, sessionId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.id, sessionId));
}
