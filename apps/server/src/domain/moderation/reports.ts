import type { Report, ReportInput, ReportList } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { and, desc, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { type Db, inTransaction, type Queryable, type Tx } from '../platform/db.ts';
import { bans, folders, profiles, reports, slugs } from '../platform/schema.ts';
import { deleteInBatches } from './batches.ts';
import { type Operator, recordAct } from './operator-acts.ts';
import { listOperatorKeys } from './operator-keys.ts';

/** What people report, and what operators see of it. Nothing here knows who reported. */

type ReportRow = typeof reports.$inferSelect;
type Outcome = NonNullable<ReportRow['outcome']>;

/** So many open reports of one folder are kept: those beyond say nothing new. */
const OPEN_MAX = 50;
const PAGE = 50;
const LOCK = 7_234_119;
/** Closed reports are kept for so long, and open ones of folders that are gone. */
const CLOSED_FOR = sql`interval '90 days'`;
const ORPHANED_FOR = sql`interval '30 days'`;

const isLive = sql`folders.deleted_at is null and folders.expires_at > clock_timestamp()`;

/** Keeps a report, if there is such a folder; whoever sends it is told the same either way. */
export async function submitReport(
  db: Db,
  operators: readonly Operator[],
  { folder_slug: slug, reason, note, sealed_keys }: z.output<typeof ReportInput>,
): Promise<void> {
  if (!isSlug(slug)) return;
  const known = new Set((await listOperatorKeys(db, operators)).map(({ id }) => id));
  const sealed = new Map(
    sealed_keys.filter((key) => known.has(key.operator_key_id)).map((key) => [key.operator_key_id, key]),
  );
  await inTransaction(db, async (tx) => {
    // One at a time by folder, or many at once would all find room. The folder stays until the report is there: what goes
    // with it (forgetReportedKeys) finds the report.
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK}::integer, hashtext(${slug}::text))`);
    await tx.execute(sql`
      insert into reports (slug, reason, note, sealed_keys, created_at)
      select slug, ${reason}::text, ${note ?? null}::text, ${JSON.stringify([...sealed.values()])}::text, clock_timestamp()
      from folders where slug = ${slug} and ${isLive}
      and (select count(*) from reports where slug = ${slug} and closed_at is null) < ${OPEN_MAX}::integer
      for share of folders`);
  });
}

interface Joined {
  readonly report: ReportRow;
  readonly folder: typeof folders.$inferSelect | null;
  readonly owner: typeof profiles.$inferSelect | null;
  readonly ban: typeof bans.$inferSelect | null;
  readonly taken_down_reason: string | null;
}

function toReport({ report, folder, owner, ban, taken_down_reason }: Joined): Report {
  const { slug, created_at, closed_at, sealed_keys, reason, ...rest } = report;
  return {
    ...rest,
    folder_slug: slug,
    reason: reason as Report['reason'],
    sealed_keys: JSON.parse(sealed_keys) as Report['sealed_keys'],
    created_at: created_at.toISOString(),
    closed_at: closed_at?.toISOString() ?? null,
    taken_down_reason,
    folder: folder &&
      owner && {
        name: folder.name,
        description: folder.description,
        created_at: folder.created_at.toISOString(),
        expires_at: folder.expires_at.toISOString(),
        link_mode: folder.link_mode,
        size_bytes: folder.size_bytes,
        file_count: folder.file_count,
        owner_discord_id: owner.discord_id,
        owner_username: owner.discord_username,
        is_owner_banned: ban !== null,
      },
  };
}

/** The newest reports, or those before one of them. */
export async function listReports(
  db: Queryable,
  { state, before }: { state: 'open' | 'closed'; before?: string | undefined },
): Promise<ReportList> {
  const isInState = state === 'open' ? isNull(reports.closed_at) : isNotNull(reports.closed_at);
  const isBefore =
    before === undefined
      ? undefined
      : sql`(${reports.created_at}, ${reports.id}) < (select created_at, id from reports where id = ${before}::uuid)`;
  const rows: Joined[] = await db
    .select({
      report: reports,
      folder: folders,
      owner: profiles,
      ban: bans,
      taken_down_reason: slugs.taken_down_reason,
    })
    .from(reports)
    .leftJoin(slugs, eq(slugs.slug, reports.slug))
    .leftJoin(folders, and(eq(folders.slug, reports.slug), isNull(folders.deleted_at)))
    .leftJoin(profiles, eq(profiles.id, folders.owner_profile_id))
    .leftJoin(bans, eq(bans.discord_id, profiles.discord_id))
    .where(and(isInState, isBefore))
    .orderBy(desc(reports.created_at), desc(reports.id))
    .limit(PAGE + 1);
  return { reports: rows.slice(0, PAGE).map(toReport), has_more: rows.length > PAGE };
}

// What opens the folder has done its service with the report.
const closed = (outcome: Outcome) => ({ closed_at: sql`clock_timestamp()`, outcome, sealed_keys: '[]' });

/** @throws request.not_found also for one that is closed */
export async function dismissReport(db: Db, operator: Operator, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const [dismissed] = await tx
      .update(reports)
      .set(closed('dismissed'))
      .where(and(eq(reports.id, id), isNull(reports.closed_at)))
      .returning();
    if (!dismissed) throw new AppError('request.not_found');
    await recordAct(tx, operator, { act: 'dismiss', target: id, detail: dismissed.slug });
  });
}

/** Closes all open reports of a folder that is being taken down. */
export async function closeReportsOf(tx: Tx, slug: string): Promise<void> {
  await tx
    .update(reports)
    .set(closed('taken_down'))
    .where(and(eq(reports.slug, slug), isNull(reports.closed_at)));
}

/** Deletes what opened a folder that goes. The caller has locked its row, so no report of it comes in between. */
export async function forgetReportedKeys(tx: Tx, slug: string): Promise<void> {
  await tx
    .update(reports)
    .set({ sealed_keys: '[]' })
    .where(and(eq(reports.slug, slug), ne(reports.sealed_keys, '[]')));
}

/** Deletes reports whose time is over. */
export async function forgetOldReports(db: Queryable, signal?: AbortSignal): Promise<void> {
  await deleteInBatches(db, reports, sql`closed_at <= now() - ${CLOSED_FOR}`, signal);
  const isFolderGone = sql`not exists (select from folders where folders.slug = reports.slug and ${isLive})`;
  const isOrphaned = sql`closed_at is null and created_at <= now() - ${ORPHANED_FOR} and ${isFolderGone}`;
  await deleteInBatches(db, reports, isOrphaned, signal);
}
