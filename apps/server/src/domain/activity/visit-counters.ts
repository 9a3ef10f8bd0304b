import { HOUR_MS } from '@satchel/contract/limits';
import { and, eq, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Tx } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { folder_activity, folder_visitors, folders } from '../../platform/schema/folders.ts';
import { deleteInBatches } from '../base/batches.ts';

/**
 * Saves a folder's visits. The rows are bounded by the folder's hours and by a cap on its visitors, also during a flood.
 */

/** What one visitor did since the last save. */
interface Visit {
  /** Null for a visitor who is not signed in. */
  profile_id: string | null;
  hasViewed: boolean;
  downloads: number;
}
/** By visitor: a profile's id, or a pseudonym of the day. */
export type Visits = Map<string, Visit>;

/** A visitor's next view counts after this pause: a reload or a second tab is the same visit. */
const VIEW_PAUSE_MS = 5 * 60_000;
/** Visitors that a folder tells apart at a time; views of further visitors are not counted. */
export const VISITORS_MAX = 10_000;

type Row = typeof folder_visitors.$inferInsert;
type Known = ReadonlyMap<string, Date | null>;
type Totals = Pick<typeof folder_activity.$inferInsert, 'views' | 'downloads' | 'visitors'>;

/**
 * Computes the rows and totals that visits add to.
 * @param known when the last view of each known visitor was counted
 * @param room how many more visitors the folder can tell apart
 */
function tally(visits: Visits, known: Known, room: number, now: Date): { rows: Omit<Row, 'folder_id'>[] } & Totals {
  const totals = { views: 0, downloads: 0, visitors: 0 };
  const rows: Omit<Row, 'folder_id'>[] = [];
  for (const [visitor, { profile_id, hasViewed, downloads }] of visits) {
    totals.downloads += downloads;
    const isNew = !known.has(visitor);
    if (isNew && totals.visitors >= room) continue;
    const countedAt = known.get(visitor) ?? null;
    const isCounted = hasViewed && now.getTime() - (countedAt?.getTime() ?? 0) >= VIEW_PAUSE_MS;
    if (isNew) totals.visitors += 1;
    if (isCounted) totals.views += 1;
    rows.push({
      visitor,
      profile_id,
      first_seen_at: now,
      last_seen_at: now,
      counted_at: isCounted ? now : countedAt,
      views: isCounted ? 1 : 0,
      downloads,
    });
  }
  return { rows, ...totals };
}

/** Locks a folder for saving visits and returns the database's time; null when the folder has been deleted. */
async function lockForSaving(tx: Tx, folderId: string): Promise<Date | null> {
  const [folder] = await tx
    .select({ now: sql<Date>`clock_timestamp()`.mapWith(folders.created_at) })
    .from(folders)
    .where(and(eq(folders.id, folderId), isNull(folders.deleted_at)))
    .for('no key update');
  return folder?.now ?? null;
}

/** The visitors' profiles that still exist, locked until the transaction ends. */
async function existingProfiles(tx: Tx, visits: Visits): Promise<Set<string>> {
  const ids = [...visits.values()].flatMap(({ profile_id }) => profile_id ?? []).sort();
  if (ids.length === 0) return new Set();
  const rows = await tx.select({ id: profiles.id }).from(profiles).where(inArray(profiles.id, ids)).for('key share');
  return new Set(rows.map(({ id }) => id));
}

async function knownVisitors(tx: Tx, ofFolder: SQL, visits: Visits): Promise<Known> {
  const rows = await tx
    .select({ visitor: folder_visitors.visitor, counted_at: folder_visitors.counted_at })
    .from(folder_visitors)
    .where(and(ofFolder, inArray(folder_visitors.visitor, [...visits.keys()])));
  return new Map(rows.map(({ visitor, counted_at }) => [visitor, counted_at]));
}

async function write(tx: Tx, folder_id: string, now: Date, { rows, ...totals }: ReturnType<typeof tally>) {
  if (rows.length > 0) {
    await tx
      .insert(folder_visitors)
      .values(rows.map((row) => ({ ...row, folder_id })))
      .onConflictDoUpdate({
        target: [folder_visitors.folder_id, folder_visitors.visitor],
        set: {
          // Another node may have saved while this one waited for the folder.
          last_seen_at: sql`greatest(${folder_visitors.last_seen_at}, excluded.last_seen_at)`,
          counted_at: sql`excluded.counted_at`,
          views: sql`${folder_visitors.views} + excluded.views`,
          downloads: sql`${folder_visitors.downloads} + excluded.downloads`,
        },
      });
  }
  await tx
    .insert(folder_activity)
    .values({ folder_id, hour: startOfHour(now), ...totals })
    .onConflictDoUpdate({
      target: [folder_activity.folder_id, folder_activity.hour],
      set: {
        views: sql`${folder_activity.views} + excluded.views`,
        downloads: sql`${folder_activity.downloads} + excluded.downloads`,
        visitors: sql`${folder_activity.visitors} + excluded.visitors`,
      },
    });
}

/** The hour (UTC) that a moment is in. */
export const startOfHour = (moment: Date): Date => new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS);

/** Saves visits of one folder in one transaction; does nothing when the folder has been deleted. */
export async function saveVisits(db: Db, folderId: string, visits: Visits): Promise<void> {
  await inTransaction(db, async (tx) => {
    const now = await lockForSaving(tx, folderId);
    if (!now) return;
    const existing = await existingProfiles(tx, visits);
    // A deleted account leaves no visit.
    for (const [visitor, { profile_id }] of visits) {
      if (profile_id !== null && !existing.has(profile_id)) visits.delete(visitor);
    }
    if (visits.size === 0) return;
    const ofFolder = eq(folder_visitors.folder_id, folderId);
    const known = await knownVisitors(tx, ofFolder, visits);
    const room = VISITORS_MAX - (await tx.$count(folder_visitors, ofFolder));
    await write(tx, folderId, now, tally(visits, known, room, now));
  });
}

/** Deletes a folder's visits, as part of its deletion. */
export async function deleteVisitsOf(tx: Tx, folderId: string): Promise<void> {
  await tx.delete(folder_visitors).where(eq(folder_visitors.folder_id, folderId));
  await tx.delete(folder_activity).where(eq(folder_activity.folder_id, folderId));
}

/** Purges the pseudonyms of past days: their salt is deleted, and the totals contain their visits already. */
export async function purgePseudonyms(db: Db, signal?: AbortSignal): Promise<void> {
  const isOver = lt(folder_visitors.last_seen_at, sql`date_trunc('day', now(), 'UTC')`);
  const which = and(isNull(folder_visitors.profile_id), isOver)!;
  await deleteInBatches(db, folder_visitors, { which, since: folder_visitors.last_seen_at }, signal);
}
