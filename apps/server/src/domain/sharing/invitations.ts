import { Id } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { and, asc, eq, isNull } from 'drizzle-orm';
import { noteChange } from '../../platform/database/change-notes.ts';
import { type Db, inTransaction, type Queryable, type Tx } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { folders } from '../../platform/schema/folders.ts';
import { folder_shares } from '../../platform/schema/links.ts';
import { type Actor, type FolderRow, lockFolder, lockOwnFolder, visibleFolder } from '../access/find-folder.ts';
import { addGrant, deleteGuests } from './grants.ts';

/** The cards that /share posts in Discord, and the people they let in (docs/decisions/011). */

export type InvitationRow = typeof folder_shares.$inferSelect;

/**
 * Whom a card lets in: this person, members of this server, or a person who is both; with neither, everyone who clicks
 * on it.
 */
export type Audience = Pick<InvitationRow, 'discord_id' | 'guild_id'>;

export interface Invited {
  /** Null for a folder that is open to its link: the card has the link. */
  readonly invitation: InvitationRow | null;
  readonly folder: FolderRow;
  /** True when this invitation restricted a folder that was open to its link. */
  readonly hasRestricted: boolean;
}

const isNarrow = ({ discord_id, guild_id }: Audience): boolean => discord_id !== null || guild_id !== null;

const sameAs = (column: typeof folder_shares.discord_id | typeof folder_shares.guild_id, value: string | null) =>
  value === null ? isNull(column) : eq(column, value);

/**
 * Creates an invitation for an audience; a second one for the same audience is the first. An invitation that names a
 * person or a server restricts the folder: its link alone no longer opens it, and cards from before let no one in. A folder
 * that stays open to its link needs no invitation.
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function inviteToFolder(db: Db, viewer: Actor, folderId: string, audience: Audience): Promise<Invited> {
  const { discord_id, guild_id } = audience;
  return inTransaction(db, async (tx) => {
    let folder = await lockOwnFolder(tx, folderId, viewer);
    const hasRestricted = isNarrow(audience) && folder.access === 'link';
    if (hasRestricted) {
      await deleteGuests(tx, folder.id);
      noteChange(tx, folder.id);
      await tx.update(folders).set({ access: 'restricted' }).where(eq(folders.id, folder.id));
      folder = { ...folder, access: 'restricted' };
    }
    if (folder.access === 'link') return { invitation: null, folder, hasRestricted };
    const same = and(
      eq(folder_shares.folder_id, folder.id),
      sameAs(folder_shares.discord_id, discord_id),
      sameAs(folder_shares.guild_id, guild_id),
    );
    const [before] = await tx.select().from(folder_shares).where(same);
    if (before) return { invitation: before, folder, hasRestricted };
    const [made] = await tx.insert(folder_shares).values({ folder_id: folder.id, discord_id, guild_id }).returning();
    return { invitation: made!, folder, hasRestricted };
  });
}

/** The invitations to a folder, oldest first. */
export async function invitationsTo(db: Queryable, folderId: string): Promise<InvitationRow[]> {
  return db
    .select()
    .from(folder_shares)
    .where(eq(folder_shares.folder_id, folderId))
    .orderBy(asc(folder_shares.created_at), asc(folder_shares.id));
}

/** The invitations that name a person, to folders that still exist. */
export async function invitationsOf(db: Queryable, discordId: string) {
  return db
    .select({
      folder_slug: folders.slug,
      guild_id: folder_shares.guild_id,
      created_at: folder_shares.created_at,
    })
    .from(folder_shares)
    .innerJoin(folders, eq(folders.id, folder_shares.folder_id))
    .where(and(eq(folder_shares.discord_id, discordId), isNull(folders.deleted_at)))
    .orderBy(asc(folder_shares.created_at), asc(folder_shares.id));
}

/** Deletes the invitations that name a person, as part of the deletion of their account. */
export async function deleteInvitationsOf(db: Queryable, discordId: string): Promise<void> {
  await db.delete(folder_shares).where(eq(folder_shares.discord_id, discordId));
}

/** The person who clicks on a card, and the server they are a member of there; proven by Discord's signature. */
export interface Clicker {
  readonly discord_id: string;
  readonly guild_id: string | null;
}

export type Opened =
  /** The invitation or its folder has been deleted, or never existed. */
  | { readonly kind: 'gone' }
  /** The invitation is for another person, or for members of another server. */
  | { readonly kind: 'foreign_person' | 'foreign_guild' }
  | { readonly kind: 'revoked' }
  /** The clicker owns the folder and needs no grant. */
  | { readonly kind: 'owner'; readonly folder: FolderRow }
  | { readonly kind: 'let_in'; readonly folder: FolderRow; readonly grant: string };

async function ownsFolder(tx: Tx, folder: FolderRow, { discord_id }: Clicker): Promise<boolean> {
  const [owner] = await tx
    .select({ discord_id: profiles.discord_id })
    .from(profiles)
    .where(eq(profiles.id, folder.owner_profile_id));
  return owner?.discord_id === discord_id;
}

function refusalOf(invitation: InvitationRow, clicker: Clicker): 'foreign_person' | 'foreign_guild' | null {
  if (invitation.discord_id !== null && invitation.discord_id !== clicker.discord_id) return 'foreign_person';
  if (invitation.guild_id !== null && invitation.guild_id !== clicker.guild_id) return 'foreign_guild';
  return null;
}

/** The ids in the custom_id of a card's button; a client can make them up. */
export interface CardAddress {
  /** Empty on the card of a folder that is open to its link. */
  readonly invitationId: string;
  readonly folderId: string;
}

async function findInvitation(
  db: Queryable,
  { invitationId, folderId }: CardAddress,
): Promise<InvitationRow | undefined> {
  const [invitation] = await db
    .select()
    .from(folder_shares)
    .where(and(eq(folder_shares.id, invitationId), eq(folder_shares.folder_id, folderId)));
  return invitation;
}

/**
 * Finds the folder of a card, without a check of who clicks.
 * @returns null when the card was taken back, or its folder is gone
 * @throws folder.expired, folder.taken_down
 */
export async function folderOfCard(db: Db, address: CardAddress): Promise<FolderRow | null> {
  const { invitationId, folderId } = address;
  const isCard = Id.safeParse(folderId).success && (invitationId === '' || Id.safeParse(invitationId).success);
  if (!isCard) return null;
  try {
    if (invitationId === '') return await visibleFolder(db, folderId);
    return await inTransaction(db, async (tx) =>
      (await findInvitation(tx, address)) ? lockFolder(tx, folderId) : null,
    );
  } catch (error) {
    if (error instanceof AppError && error.code === 'folder.not_found') return null;
    throw error;
  }
}

/** Deletes an invitation of a server's members, where that server's moderators take the card down. */
export async function withdrawInvitation(
  db: Queryable,
  { invitationId, folderId }: CardAddress,
  guildId: string | null,
): Promise<void> {
  if (guildId === null || invitationId === '') return;
  const own = and(eq(folder_shares.id, invitationId), eq(folder_shares.folder_id, folderId));
  await db.delete(folder_shares).where(and(own, eq(folder_shares.guild_id, guildId)));
}

async function tryToOpen(tx: Tx, address: CardAddress, clicker: Clicker): Promise<Opened> {
  if (!(await findInvitation(tx, address))) {
    await visibleFolder(tx, address.folderId);
    return { kind: 'gone' };
  }
  const folder = await lockFolder(tx, address.folderId);
  // Looked up again under the folder's lock, which every deletion of invitations holds: no grant is made after an
  // invitation is deleted.
  const invitation = await findInvitation(tx, address);
  if (!invitation) return { kind: 'gone' };
  if (await ownsFolder(tx, folder, clicker)) return { kind: 'owner', folder };
  const refusal = refusalOf(invitation, clicker);
  if (refusal) return { kind: refusal };
  if (folder.link_mode === 'revoked') return { kind: 'revoked' };
  return { kind: 'let_in', folder, grant: await addGrant(tx, folder.id) };
}

/**
 * Answers a click on a card's Open: lets in the people whom the invitation names.
 * @throws folder.expired, folder.taken_down
 */
export async function openInvitation(db: Db, address: CardAddress, clicker: Clicker): Promise<Opened> {
  const isCard = Id.safeParse(address.invitationId).success && Id.safeParse(address.folderId).success;
  if (!isCard) return { kind: 'gone' };
  try {
    return await inTransaction(db, (tx) => tryToOpen(tx, address, clicker));
  } catch (error) {
    if (error instanceof AppError && error.code === 'folder.not_found') return { kind: 'gone' };
    throw error;
  }
}
