import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../platform/db.ts';
import { folders } from '../platform/schema.ts';

/**
 * What a chat may say of a folder's link: its name, where its owner allows that. An encrypted folder's name is never
 * said, and of one that is restricted, over or not there nobody learns that it is any of these. Nothing is counted.
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
