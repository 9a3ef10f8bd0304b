import { sql } from 'drizzle-orm';
import type { Db } from '../../../src/platform/database/db.ts';

/** The step before blobs consisted of parts and had checksums: one file for each blob, and nothing that says so. */
export const BEFORE_PARTS = 18;

/** Takes a database back to BEFORE_PARTS. */
export async function leadBackBeforeParts(db: Db): Promise<void> {
  await db.execute(sql`drop table blob_parts`);
  await db.execute(sql`drop table site_switches`);
  await db.execute(sql`alter table uploads drop column checksum`);
  await db.execute(sql`alter table files drop column checksum, drop column still_checksum`);
  await db.execute(
    sql`drop index sessions_by_token, sessions_by_id, profiles_by_id, folders_by_slug, folders_by_path, temp_encryption_keys_by_folder`,
  );
  await db.execute(sql`delete from migrations where id > ${BEFORE_PARTS}`);
}
