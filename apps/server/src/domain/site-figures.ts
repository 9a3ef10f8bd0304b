import { sql } from 'drizzle-orm';
import { type Queryable, rowsOf } from '../platform/database/db.ts';

/** What a site holds and what waits for its sweeps, for operators: figures alone, none of one person or folder. */
export interface SiteFigures {
  readonly profiles: number;
  /** Live ones; `files` and `file_bytes` are theirs. */
  readonly folders: number;
  readonly files: number;
  readonly file_bytes: number;
  /** What all accounts together use and have reserved for uploads. */
  readonly used_bytes: number;
  readonly reserved_bytes: number;
  readonly open_uploads: number;
  /** Blobs that no row points to any more, and since when the oldest of them waits. */
  readonly queued_blobs: number;
  readonly oldest_queued_seconds: number;
  /** How long the oldest expired folder, and the oldest expired key, have waited for a sweep. */
  readonly sweep_lag_seconds: number;
  readonly key_lag_seconds: number;
}

type Row = Record<keyof SiteFigures, string | number | null>;

/** Reads the figures by one statement, a look at every account and live folder. */
export async function readSiteFigures(db: Queryable): Promise<SiteFigures> {
  const age = (moment: unknown) => sql`coalesce(extract(epoch from now() - ${moment}), 0)::float8`;
  const [row] = rowsOf<Row>(
    await db.execute(sql`
      with p as (select count(*) n, coalesce(sum(used_bytes), 0) used, coalesce(sum(reserved_bytes), 0) reserved
          from profiles),
        f as (select count(*) n, coalesce(sum(file_count), 0) files, coalesce(sum(size_bytes), 0) bytes
          from folders where deleted_at is null and expires_at > now()),
        q as (select count(*) n, min(queued_at) oldest from blob_removals where held_until is null or held_until <= now())
      select p.n profiles, f.n folders, f.files, f.bytes file_bytes, p.used used_bytes, p.reserved reserved_bytes,
        (select count(*) from uploads where completed_at is null and expires_at > now()) open_uploads,
        q.n queued_blobs, ${age(sql`q.oldest`)} oldest_queued_seconds,
        ${age(sql`(select min(expires_at) from folders where deleted_at is null and expires_at <= now())`)} sweep_lag_seconds,
        ${age(sql`(select min(expires_at) from temp_encryption_keys where expires_at <= now())`)} key_lag_seconds
      from p, f, q`),
  );
  return Object.fromEntries(
    Object.entries(row!).map(([name, value]) => [name, Number(value)]),
  ) as unknown as SiteFigures;
}
