import { eq, or, type SQL, sql } from 'drizzle-orm';
import { folder_guests, folders, sessions } from '../platform/schema.ts';

/** Who gets into a folder (DESIGN R16). */

/** Whoever comes to a folder, by what their request proves of them. */
export interface Entrant {
  /** Who is signed in. */
  readonly profile_id: string | null;
  /** Hash of a session's token, for calls that are made without asking first whose it is. */
  readonly session_hash: string | null;
  /** Hash of the token of a browser that was let into folders by grants. */
  readonly holder_hash: string | null;
}

/** Somebody of whom nothing is known but their account. */
export const entrantOfViewer = (viewer: { readonly profile_id: string } | null): Entrant => ({
  profile_id: viewer?.profile_id ?? null,
  session_hash: null,
  holder_hash: null,
});

/**
 * Holds for the folders that somebody may know of: those open to whoever has the link, their own, and those they were
 * let into. Every look-up of a folder for a reader has this condition, so that to all others a restricted folder is a
 * row that was not found: the very same answer as for one that never was.
 */
export function visibleTo({ profile_id, session_hash, holder_hash }: Entrant): SQL {
  const ways: SQL[] = [eq(folders.access, 'link')];
  if (profile_id !== null) ways.push(eq(folders.owner_profile_id, profile_id));
  if (session_hash !== null) {
    ways.push(sql`exists (
      select 1 from ${sessions} where ${sessions.token_hash} = ${session_hash}
      and ${sessions.profile_id} = ${folders.owner_profile_id} and ${sessions.expires_at} > clock_timestamp())`);
  }
  if (holder_hash !== null) {
    ways.push(sql`exists (
      select 1 from ${folder_guests} where ${folder_guests.folder_id} = ${folders.id}
      and ${folder_guests.holder_hash} = ${holder_hash})`);
  }
  return or(...ways)!;
}
