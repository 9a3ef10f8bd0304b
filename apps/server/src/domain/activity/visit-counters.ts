import { and, eq, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Tx } from '../platform/db.ts';
import { folder_activity, folder_visitors, folders, profiles } from '../platform/schema.ts';
import { deleteInBatches } from './batches.ts';

/** The books of a folder's activity: bounded by its hours and by a cap on its visitors, whoever floods them. */

/** What one visitor did since the last booking. */
interface Visit {
  /** Null for somebody not signed in. */
  profile_id: string | null;
  hasViewed: boolean;
  downloads: number;
}
/** By visitor: a profile's id, or a pseudonym of the day. */
export type Visits = Map<string, Visit>;

/** A visitor's next view counts after this pause: a page loaded again, or opened in a second tab, is one visit. */
const VIEW_PAUSE_MS = 5 * 60_000;
/** So many visitors are told apart in a folder at a time; views of those beyond are not counted. */
export const VISITORS_MAX = 10_000;

type Row = typeof folder_visitors.$inferInsert;
type Known = ReadonlyMap<string, Date | null>;
type Totals = Pick<typeof folder_activity.$inferInsert, 'views' | 'downloads' | 'visitors'>;

/**
 * What visits come to.
 * @param known when the last view of each known visitor was counted
 * @param room how many more visitors the folder can tell apart
 */
function reckon(visits: Visits, known: Known, room: number, now: Date): { rows: Omit<Row, 'folder_id'>[] } & Totals {
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

/** Locks a folder for booking, and tells the time; null when it is gone. */
async function lockForBooking(tx: Tx, folderId: string): Promise<Date | null> {
  const [folder] = await tx
    .select({ now: sql<Date>`clock_timestamp()`.mapWith(folders.created_at) })
    .from(folders)
    .where(and(eq(folders.id, folderId), isNull(folders.deleted_at)))
    .for('no key update');
  return folder?.now ?? null;
}

/** Those of the visitors' profiles that still exist, held until the transaction ends. */
async function livingProfiles(tx: Tx, visits: Visits): Promise<Set<string>> {
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

async function write(tx: Tx, folder_id: string, now: Date, { rows, ...totals }: ReturnType<typeof reckon>) {
  if (rows.length > 0) {
    await tx
      .insert(folder_visitors)
      .values(rows.map((row) => ({ ...row, folder_id })))
      .onConflictDoUpdate({
        target: [folder_visitors.folder_id, folder_visitors.visitor],
        set: {
          last_seen_at: sql`excluded.last_seen_at`,
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

export const HOUR_MS = 60 * 60_000;
/** The hour (UTC) that a moment is in. */
export const startOfHour = (moment: Date): Date => new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS);

/** Books visits of one folder, in one transaction; those of a folder that is gone are nobody's. */
export async function bookVisits(db: Db, folderId: string, visits: Visits): Promise<void> {
  await inTransaction(db, async (tx) => {
    const now = await lockForBooking(tx, folderId);
    if (!now) return;
    const living = await livingProfiles(tx, visits);
    // Whoever has erased their account since left no visit behind.
    for (const [visitor, { profile_id }] of visits) {
      if (profile_id !== null && !living.has(profile_id)) visits.delete(visitor);
    }
    if (visits.size === 0) return;
    const ofFolder = eq(folder_visitors.folder_id, folderId);
    const known = await knownVisitors(tx, ofFolder, visits);
    const room = VISITORS_MAX - (await tx.$count(folder_visitors, ofFolder));
    await write(tx, folderId, now, reckon(visits, known, room, now));
  });
}

/** Takes a folder's activity away: part of its removal. */
export async function dropActivity(tx: Tx, folderId: string): Promise<void> {
  await tx.delete(folder_visitors).where(eq(folder_visitors.folder_id, folderId));
  await tx.delete(folder_activity).where(eq(folder_activity.folder_id, folderId));
}

/** Forgets the pseudonyms of days that are over: their salt is gone, and they are counted in the figures already. */
export async function forgetPseudonyms(db: Db, signal?: AbortSignal): Promise<void> {
  const isOver = lt(folder_visitors.last_seen_at, sql`date_trunc('day', now(), 'UTC')`);
  await deleteInBatches(db, folder_visitors, and(isNull(folder_visitors.profile_id), isOver)!, signal);
}
