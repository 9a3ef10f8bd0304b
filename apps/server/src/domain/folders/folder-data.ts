import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { roleOf } from '@satchel/contract/roles';
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import { coalesce } from '../../platform/database/coalesce.ts';
import { databaseAwayIn } from '../../platform/database/database-pool.ts';
import type { Db, Queryable } from '../../platform/database/db.ts';
import { opaque, prepared, type Slots } from '../../platform/database/prepared.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { folders, slugs } from '../../platform/schema/folders.ts';
import { temp_encryption_keys } from '../../platform/schema/links.ts';
import { expiryOfDeleted } from '../access/find-folder.ts';
import { type Requester, visibleToColumns } from '../access/folder-access.ts';
import { refuseTakenDown } from '../access/taken-down.ts';
import { picturesInFolder } from '../accounts/pictures.ts';

/** A folder's page as it is asked for. */
interface Asked {
  readonly slug: string;
  readonly requester: Requester;
}

/** Of several pages, each for its requester: a popular site costs a part of a statement for each page. */
const selectJoined = prepared((db, slots: Slots<Readonly<Record<keyof Requester | 'slugs', readonly unknown[]>>>) => {
  const texts = (name: keyof typeof slots) => opaque(sql`${slots[name]}::text[]`);
  // No `with`: the pool repeats a `select` whose connection was lost.
  const asked = sql`unnest(${texts('slugs')}, ${opaque(sql`${slots.profile_id}::uuid[]`)}, ${texts('session_hash')},
    ${texts('holder_hash')}) with ordinality as asked (slug, profile_id, session_hash, holder_hash, n)`;
  const requester = {
    profile_id: sql`asked.profile_id`,
    session_hash: sql`asked.session_hash`,
    holder_hash: sql`asked.holder_hash`,
  };
  return (
    db
      .select({
        n: sql<number>`asked.n`.mapWith(Number),
        folder: {
          id: folders.id,
          slug: folders.slug,
          name: folders.name,
          description: folders.description,
          created_at: folders.created_at,
          expires_at: folders.expires_at,
          bucket: folders.bucket,
          bucket_storage_path: folders.bucket_storage_path,
          size_bytes: folders.size_bytes,
          owner_profile_id: folders.owner_profile_id,
          link_mode: folders.link_mode,
          access: folders.access,
          hide_names: folders.hide_names,
          show_name_in_previews: folders.show_name_in_previews,
        },
        owner: {
          id: profiles.id,
          discord_id: profiles.discord_id,
          discord_username: profiles.discord_username,
          discord_global_name: profiles.discord_global_name,
          avatar_url: profiles.avatar_url,
          banner_url: profiles.banner_url,
          accent_color: profiles.accent_color,
          subscription_tier: profiles.subscription_tier,
        },
        key: {
          api_token: temp_encryption_keys.api_token,
          expires_at: temp_encryption_keys.expires_at,
          created_at: temp_encryption_keys.created_at,
          proof_hash: temp_encryption_keys.proof_hash,
        },
        server_time: sql<Date>`now()`.mapWith(folders.created_at),
      })
      .from(asked)
      .innerJoin(folders, and(eq(folders.slug, sql`asked.slug`), isNull(folders.deleted_at)))
      .innerJoin(profiles, eq(profiles.id, folders.owner_profile_id))
      // A Discord link's key may expire before its folder; an expired key is not joined.
      .leftJoin(
        temp_encryption_keys,
        and(eq(temp_encryption_keys.folder_id, folders.id), gt(temp_encryption_keys.expires_at, sql`now()`)),
      )
      .where(visibleToColumns(requester))
  );
});
type Joined = Awaited<ReturnType<typeof selectJoined>>[number];

/** @returns for each, in their order: undefined when the requester may not know of such a folder */
async function joined(db: Db, all: readonly Asked[]): Promise<(Joined | undefined)[]> {
  const each = (name: keyof Requester) => all.map(({ requester }) => requester[name]);
  const rows = await selectJoined(db, {
    slugs: all.map(({ slug }) => slug),
    profile_id: each('profile_id'),
    session_hash: each('session_hash'),
    holder_hash: each('holder_hash'),
  });
  const found: (Joined | undefined)[] = all.map(() => undefined);
  for (const row of rows) found[row.n - 1] = row;
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
 * Reads the data of a folder's page; of an expired folder only its slug and date.
 * @throws folder.not_found, also when the requester may not know of the folder; folder.taken_down
 */
export type ReadFolder = (slug: string, requester: Requester) => Promise<FolderCompleteData | ExpiredFolder>;

/** A statement of more pages would delay the first of them. */
const PAGES_AT_ONCE = 50;

export function createFolderReader(db: Db): ReadFolder {
  const isUndone = (error: unknown) => databaseAwayIn(error) === null;
  const find = coalesce((all: readonly Asked[]) => joined(db, all), { max: PAGES_AT_ONCE, isUndone });
  return async (slug, requester) => {
    if (!isSlug(slug)) throw new AppError('folder.not_found');
    const found = await find({ slug, requester });
    if (!found) {
      await refuseTakenDown(db, eq(slugs.slug, slug), requester);
      const expiredAt = await expiryOfDeleted(db, slug);
      if (!expiredAt) throw new AppError('folder.not_found');
      return expired(slug, expiredAt);
    }
    if (found.folder.expires_at <= found.server_time) return expired(slug, found.folder.expires_at);
    return complete(found, requester);
  };
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
