import type { Report, ReportInput, ReportList } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import { isSlug } from '@satchel/contract/naming';
import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { type Db, inTransaction, type Queryable, type Tx } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { folders, slugs } from '../../platform/schema/folders.ts';
import { bans, reports } from '../../platform/schema/moderation.ts';
import { deleteInBatches, hasNone } from '../base/batches.ts';
import { type Operator, recordAct } from './audit-log.ts';
import { listOperatorKeys } from './operator-keys.ts';

/** Stores reports of folders for the operators. No row tells who reported. */

type ReportRow = typeof reports.$inferSelect;
type Outcome = NonNullable<ReportRow['outcome']>;

/** Open reports that are kept of one folder: further ones say nothing new. */
const OPEN_MAX = 50;
const PAGE = 50;
const LOCK = 7_234_119;
/** How long closed reports are kept, and open ones of deleted folders. */
const CLOSED_FOR = sql`interval '90 days'`;
const ORPHANED_FOR = sql`interval '30 days'`;

const isLive = sql`folders.deleted_at is null and folders.expires_at > clock_timestamp()`;

/** Stores a report if the folder exists; the reporter gets the same answer either way. */
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
    // The lock serialises reports of one folder: parallel ones would all find room. The folder's row is locked, too, so
    // that its deletion (deleteReportedKeys) finds the report.
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

/** The newest reports, or the reports before one of them. */
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

// A closed report needs the folder's keys no longer.
const closed = (outcome: Outcome) => ({ closed_at: sql`clock_timestamp()`, outcome, sealed_keys: '[]' });

/** @throws request.not_found, also for a closed report */
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

/** Purges reports that are too old. */
export async function purgeReports(db: Queryable, signal?: AbortSignal): Promise<void> {
  const isOld = sql`closed_at <= now() - ${CLOSED_FOR}`;
  await deleteInBatches(db, reports, { which: isOld, since: reports.closed_at }, signal);
  const isFolderGone = hasNone(folders, sql`folders.slug = reports.slug and ${isLive}`);
  const isOrphaned = sql`closed_at is null and created_at <= now() - ${ORPHANED_FOR} and ${isFolderGone}`;
  await deleteInBatches(db, reports, { which: isOrphaned, since: reports.created_at }, signal);
}
