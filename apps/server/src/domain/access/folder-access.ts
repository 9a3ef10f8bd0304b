import { eq, or, type SQL, sql } from 'drizzle-orm';
import { sessions } from '../../platform/schema/accounts.ts';
import { folders } from '../../platform/schema/folders.ts';
import { folder_guests } from '../../platform/schema/links.ts';

/** Decides who may read a folder. */

/** Who asks for a folder, as far as the request proves it. */
export interface Requester {
  /** The signed-in account. */
  readonly profile_id: string | null;
  /** Hash of a session token, for calls that do not look the session up first. */
  readonly session_hash: string | null;
  /** Hash of the token of a browser that redeemed grants. */
  readonly holder_hash: string | null;
}

/** A requester known by the account alone. */
export const requesterOfViewer = (viewer: { readonly profile_id: string } | null): Requester => ({
  profile_id: viewer?.profile_id ?? null,
  session_hash: null,
  holder_hash: null,
});

// The ways in which a requester may know of a folder.
const isTheirs = (profileId: unknown): SQL => sql`${folders.owner_profile_id} = ${profileId}`;
const isOfSession = (sessionHash: unknown): SQL => sql`exists (
  select 1 from ${sessions} where ${sessions.token_hash} = ${sessionHash}
  and ${sessions.profile_id} = ${folders.owner_profile_id} and ${sessions.expires_at} > clock_timestamp())`;
const isGuests = (holderHash: unknown): SQL => sql`exists (
  select 1 from ${folder_guests} where ${folder_guests.folder_id} = ${folders.id}
  and ${folder_guests.holder_hash} = ${holderHash})`;

/**
 * Condition that holds for folders the requester may know of: folders open to everyone with the link, their own, and
 * folders that a grant opened to them. Every query for a reader has this condition, so that a restricted folder gives all
 * others the same answer as one that never existed.
 */
export function visibleTo({ profile_id, session_hash, holder_hash }: Requester): SQL {
  const ways: SQL[] = [eq(folders.access, 'link')];
  if (profile_id !== null) ways.push(isTheirs(profile_id));
  if (session_hash !== null) ways.push(isOfSession(session_hash));
  if (holder_hash !== null) ways.push(isGuests(holder_hash));
  return or(...ways)!;
}

/** The same for a statement that has a requester in each row: null, which equals nothing, for what is not proved. */
export const visibleToColumns = (column: Readonly<Record<keyof Requester, SQL>>): SQL =>
  or(
    eq(folders.access, 'link'),
    isTheirs(column.profile_id),
    isOfSession(column.session_hash),
    isGuests(column.holder_hash),
  )!;
