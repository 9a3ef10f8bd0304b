import type { ActivityHour, FolderAnalytics, RecentVisitor } from '@satchel/contract/api';
import { HOUR_MS } from '@satchel/contract/limits';
import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { folder_activity, folder_visitors, folders } from '../../platform/schema/folders.ts';
import { folderBySlug, type Viewer } from '../access/find-folder.ts';
import type { Requester } from '../access/folder-access.ts';
import { picturesInFolder } from '../accounts/pictures.ts';
import { startOfHour } from './visit-counters.ts';

/** The figures of a folder's Info tab, as far as the requester may see them. */

const RECENT_MAX = 50;

type ActivityRow = typeof folder_activity.$inferSelect;

/** Every hour from the folder's creation to now, including hours without a visit. */
function byHour(rows: readonly ActivityRow[], createdAt: Date, now: Date): ActivityHour[] {
  const counted = new Map(rows.map((row) => [row.hour.getTime(), row]));
  const hours: ActivityHour[] = [];
  for (let hourMs = startOfHour(createdAt).getTime(); hourMs <= now.getTime(); hourMs += HOUR_MS) {
    const row = counted.get(hourMs);
    hours.push({ hour: new Date(hourMs).toISOString(), views: row?.views ?? 0, downloads: row?.downloads ?? 0 });
  }
  return hours;
}

async function recentVisitors(db: Queryable, which: SQL, slug: string, viewer: Viewer): Promise<RecentVisitor[]> {
  const rows = await db
    .select({ visit: folder_visitors, profile: profiles })
    .from(folder_visitors)
    .innerJoin(profiles, eq(profiles.id, folder_visitors.profile_id))
    .where(which)
    .orderBy(desc(folder_visitors.last_seen_at), asc(folder_visitors.profile_id))
    .limit(RECENT_MAX);
  return rows.map(({ visit, profile }) => ({
    profile_id: profile.id,
    name: profile.name,
    username: profile.discord_username,
    avatar_url: picturesInFolder(slug, profile).avatar_url,
    is_you: profile.id === viewer.profile_id,
    last_viewed_at: visit.last_seen_at.toISOString(),
    downloads: visit.downloads,
  }));
}

const sum = (rows: readonly ActivityRow[], field: 'views' | 'downloads' | 'visitors') =>
  rows.reduce((total, row) => total + row[field], 0);

/**
 * A folder's figures. The owner gets all visitors; other viewers get the totals and their own visit.
 * @throws folder.not_found, folder.expired
 */
export async function folderAnalytics(
  db: Queryable,
  slug: string,
  { viewer, requester }: { viewer: Viewer; requester: Requester },
): Promise<FolderAnalytics> {
  const folder = await folderBySlug(db, slug, requester);
  const [clock] = await db
    .select({ now: sql<Date>`clock_timestamp()`.mapWith(folders.created_at) })
    .from(folders)
    .where(eq(folders.id, folder.id));
  const rows = await db.select().from(folder_activity).where(eq(folder_activity.folder_id, folder.id));
  const isOwner = folder.owner_profile_id === viewer.profile_id;
  const ofFolder = eq(folder_visitors.folder_id, folder.id);
  const which = isOwner ? ofFolder : and(ofFolder, eq(folder_visitors.profile_id, viewer.profile_id))!;
  return {
    total_views: sum(rows, 'views'),
    total_downloads: sum(rows, 'downloads'),
    unique_visitors: sum(rows, 'visitors'),
    activity: byHour(rows, folder.created_at, clock?.now ?? folder.created_at),
    recent: await recentVisitors(db, which, slug, viewer),
  };
}
