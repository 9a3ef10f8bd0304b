import { sql } from 'drizzle-orm';
import { type Queryable, rowsOf } from '../platform/db.ts';
import { readSiteId } from '../platform/site-id.ts';
import type { Looked } from './findings.ts';

/** Whether a data directory and a database belong to one site. With another's files everything else would be wrong. */
export async function checkSite(db: Queryable, role: 'site' | 'keys', dataDir: string): Promise<Looked> {
  const rows = rowsOf<{ role: string; id: string; is_paired: boolean }>(
    await db.execute(sql`select role, id, is_paired from site`),
  );
  const known = rows[0]?.id ?? null;
  const own = await readSiteId(dataDir);
  // The row comes first: a directory without a file is one whose first start has not come so far.
  const isBegun = own === null && !rows.some((row) => row.role === role && row.is_paired);
  if (own === known || isBegun) return { findings: [], looked: {}, waiting: {} };
  const detail = { directory: own ?? 'none', database: known ?? 'none' };
  return { findings: [{ kind: 'site_mismatch', detail }], looked: {}, waiting: {} };
}
