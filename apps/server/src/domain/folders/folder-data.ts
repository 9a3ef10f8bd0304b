import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { roleOf } from '@satchel/contract/roles';
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/db.ts';
import { folders, profiles, slugs, temp_encryption_keys } from '../../platform/database/schema.ts';
import { expiryOfDeleted, type FolderRow } from '../access/find-folder.ts';
import { type Requester, visibleTo } from '../access/folder-access.ts';
import { refuseTakenDown } from '../access/taken-down.ts';
import { picturesInFolder } from '../accounts/pictures.ts';
import type { ProfileRow } from '../accounts/profiles.ts';

type KeyRow = typeof temp_encryption_keys.$inferSelect;
interface Joined {
  readonly folder: FolderRow;
  readonly owner: ProfileRow;
  readonly key: KeyRow | null;
  readonly server_time: Date;
}

async function joined(db: Queryable, slug: string, requester: Requester): Promise<Joined | undefined> {
  const [found] = await db
    .select({
      folder: folders,
      owner: profiles,
      key: temp_encryption_keys,
      server_time: sql<Date>`now()`.mapWith(folders.created_at),
    })
    .from(folders)
    .innerJoin(profiles, eq(profiles.id, folders.owner_profile_id))
    // A Discord link's key may expire before its folder; an expired key is not joined.
    .leftJoin(
      temp_encryption_keys,
      and(eq(temp_encryption_keys.folder_id, folders.id), gt(temp_encryption_keys.expires_at, sql`now()`)),
    )
    .where(and(eq(folders.slug, slug), isNull(folders.deleted_at), visibleTo(requester)));
  return found;
}

const expired = (folder_slug: string, expiresAt: Date): ExpiredFolder => ({
  folder_slug,
  folder_expires_at: expiresAt.toISOString(),
});

function complete({ folder, owner, key, server_time }: Joined, { profile_id }: Requester): FolderCompleteData {
  const isOwner = roleOf(profile_id, folder.owner_profile_id) === 'owner';
  const pictures = picturesInFolder(folder.slug, owner);
  return {
    folder_id: folder.id,
    folder_slug: folder.slug,
    folder_name: folder.name,
    folder_description: folder.description,
    folder_created_at: folder.created_at.toISOString(),
    folder_expires_at: folder.expires_at.toISOString(),
    folder_bucket: folder.bucket,
    folder_bucket_storage_path: folder.bucket_storage_path,
    folder_size_bytes: folder.size_bytes,
    folder_owner_profile_id: folder.owner_profile_id,
    folder_link_mode: folder.link_mode,
    folder_access: folder.access,
    hide_names: folder.hide_names,
    show_name_in_previews: folder.show_name_in_previews,
    owner_discord_username: owner.discord_username,
    owner_discord_global_name: owner.discord_global_name,
    owner_avatar_url: pictures.avatar_url,
    owner_discord_id: isOwner ? owner.discord_id : null,
    owner_subscription_tier: isOwner ? owner.subscription_tier : null,
    owner_banner_url: pictures.banner_url,
    owner_accent_color: owner.accent_color,
    temp_key_api_token: key?.api_token ?? null,
    temp_key_expires_at: key?.expires_at.toISOString() ?? null,
    temp_key_created_at: key?.created_at.toISOString() ?? null,
    temp_key_passphrase: key && key.proof_hash !== null,
    server_time: server_time.toISOString(),
  };
}

/**
 * The data of a folder's page; for an expired folder only its slug and date (DESIGN §5).
 * @throws folder.not_found, also when the requester may not know of the folder (DESIGN R16); folder.taken_down
 */
export async function folderCompleteData(
  db: Queryable,
  slug: string,
  requester: Requester,
): Promise<FolderCompleteData | ExpiredFolder> {
  if (!isSlug(slug)) throw new AppError('folder.not_found');
  const found = await joined(db, slug, requester);
  if (!found) {
    await refuseTakenDown(db, eq(slugs.slug, slug), requester);
    const expiredAt = await expiryOfDeleted(db, slug);
    if (!expiredAt) throw new AppError('folder.not_found');
    return expired(slug, expiredAt);
  }
  if (found.folder.expires_at <= found.server_time) return expired(slug, found.folder.expires_at);
  return complete(found, requester);
}

/**
 * The folder name that a preview of its link may show: only where its owner allows that. The name of an encrypted
 * folder is never shown, and a folder that is restricted, expired or unknown has no preview, so that none of these can
 * be told apart. A preview counts as no visit.
 */
export async function cardNameOf(db: Queryable, slug: string): Promise<string | null> {
  const [folder] = await db
    .select({ name: folders.name })
    .from(folders)
    .where(
      and(
        eq(folders.slug, slug),
        eq(folders.show_name_in_previews, true),
        eq(folders.link_mode, 'plain'),
        eq(folders.access, 'link'),
        isNull(folders.deleted_at),
        gt(folders.expires_at, sql`now()`),
      ),
    );
  return folder?.name ?? null;
}
