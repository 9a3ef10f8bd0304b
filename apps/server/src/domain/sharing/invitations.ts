import { Id } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { and, asc, eq, isNull } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, type Tx } from '../platform/db.ts';
import { folders, profiles } from '../platform/schema.ts';
import { folder_shares } from '../platform/schema-bot.ts';
import { type Actor, type FolderRow, lockFolder, lockOwnFolder, requireThere } from './folders.ts';
import { addGrant, forgetGuests } from './grants.ts';

/** Cards that /share posts in Discord, and whom they let in (DESIGN R16, docs/decisions/011). */

export type ShareRow = typeof folder_shares.$inferSelect;

/** Whom a card lets in: this person, members of this server, or both at once; else whoever clicks on it. */
export type Audience = Pick<ShareRow, 'discord_id' | 'guild_id'>;

export interface Shared {
  readonly share: ShareRow;
  readonly folder: FolderRow;
  /** The folder was open to its link until now. */
  readonly hasRestricted: boolean;
}

const isNarrow = ({ discord_id, guild_id }: Audience): boolean => discord_id !== null || guild_id !== null;

const sameAs = (column: typeof folder_shares.discord_id | typeof folder_shares.guild_id, value: string | null) =>
  value === null ? isNull(column) : eq(column, value);

/**
 * Makes a card for an audience; cards for the same one are one. Naming somebody restricts the folder: its link alone
 * opens nothing from then on, and cards from the time when it was open let nobody in any more.
 * @throws folder.not_found, folder.expired, folder.forbidden
 */
export async function shareFolder(db: Db, viewer: Actor, folderId: string, audience: Audience): Promise<Shared> {
  const { discord_id, guild_id } = audience;
  return inTransaction(db, async (tx) => {
    let folder = await lockOwnFolder(tx, folderId, viewer);
    const hasRestricted = isNarrow(audience) && folder.access === 'link';
    if (hasRestricted) {
      await forgetGuests(tx, folder.id);
      await tx.update(folders).set({ access: 'restricted' }).where(eq(folders.id, folder.id));
      folder = { ...folder, access: 'restricted' };
    }
    const same = and(
      eq(folder_shares.folder_id, folder.id),
      sameAs(folder_shares.discord_id, discord_id),
      sameAs(folder_shares.guild_id, guild_id),
    );
    const [before] = await tx.select().from(folder_shares).where(same);
    if (before) return { share: before, folder, hasRestricted };
    const [made] = await tx.insert(folder_shares).values({ folder_id: folder.id, discord_id, guild_id }).returning();
    return { share: made!, folder, hasRestricted };
  });
}

/** A folder's cards, the oldest first. */
export async function sharesOf(db: Queryable, folderId: string): Promise<ShareRow[]> {
  return db
    .select()
    .from(folder_shares)
    .where(eq(folder_shares.folder_id, folderId))
    .orderBy(asc(folder_shares.created_at), asc(folder_shares.id));
}

/** The cards that name a person, as far as their folders are still there. */
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

/** Takes back the cards that name a person, who has erased their account. */
export async function forgetInvitationsOf(db: Queryable, discordId: string): Promise<void> {
  await db.delete(folder_shares).where(eq(folder_shares.discord_id, discordId));
}

/** Who clicks on a card, and in which server they are a member there; proven by Discord's signature. */
export interface Clicker {
  readonly discord_id: string;
  readonly guild_id: string | null;
}

export type Opened =
  /** The card was taken back, or never was, or its folder is gone. */
  | { readonly kind: 'gone' }
  /** It is for somebody else, or for members of a server in which it was not clicked on. */
  | { readonly kind: 'foreign_person' | 'foreign_guild' }
  | { readonly kind: 'revoked' }
  /** They own the folder, and need nothing to get in. */
  | { readonly kind: 'owner'; readonly folder: FolderRow }
  | { readonly kind: 'let_in'; readonly folder: FolderRow; readonly grant: string };

async function ownsFolder(tx: Tx, folder: FolderRow, { discord_id }: Clicker): Promise<boolean> {
  const [owner] = await tx
    .select({ discord_id: profiles.discord_id })
    .from(profiles)
    .where(eq(profiles.id, folder.owner_profile_id));
  return owner?.discord_id === discord_id;
}

function refusalOf(share: ShareRow, clicker: Clicker): 'foreign_person' | 'foreign_guild' | null {
  if (share.discord_id !== null && share.discord_id !== clicker.discord_id) return 'foreign_person';
  if (share.guild_id !== null && share.guild_id !== clicker.guild_id) return 'foreign_guild';
  return null;
}

/** What a card's button names; anybody could have made it up. */
export interface CardNames {
  readonly shareId: string;
  readonly folderId: string;
}

async function findShare(db: Queryable, { shareId, folderId }: CardNames): Promise<ShareRow | undefined> {
  const [share] = await db
    .select()
    .from(folder_shares)
    .where(and(eq(folder_shares.id, shareId), eq(folder_shares.folder_id, folderId)));
  return share;
}

async function tryToOpen(tx: Tx, names: CardNames, clicker: Clicker): Promise<Opened> {
  if (!(await findShare(tx, names))) {
    await requireThere(tx, names.folderId);
    return { kind: 'gone' };
  }
  const folder = await lockFolder(tx, names.folderId);
  // Again, under the folder's lock, which all who take cards back hold, too: no grant is made after a card is gone.
  const share = await findShare(tx, names);
  if (!share) return { kind: 'gone' };
  if (await ownsFolder(tx, folder, clicker)) return { kind: 'owner', folder };
  const refusal = refusalOf(share, clicker);
  if (refusal) return { kind: refusal };
  if (folder.link_mode === 'revoked') return { kind: 'revoked' };
  return { kind: 'let_in', folder, grant: await addGrant(tx, folder.id) };
}

/**
 * A click on a card's Open: lets in whom the card is for.
 * @throws folder.expired, folder.taken_down
 */
export async function openShare(db: Db, names: CardNames, clicker: Clicker): Promise<Opened> {
  const isCard = Id.safeParse(names.shareId).success && Id.safeParse(names.folderId).success;
  if (!isCard) return { kind: 'gone' };
  try {
    return await inTransaction(db, (tx) => tryToOpen(tx, names, clicker));
  } catch (error) {
    if (error instanceof AppError && error.code === 'folder.not_found') return { kind: 'gone' };
    throw error;
  }
}
