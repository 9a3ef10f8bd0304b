import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Site } from '../site.ts';

/** Grants of restricted folders (DESIGN R16), as created by a click in Discord. */

/** Writes grants into the database: no page or call creates them. */
export async function makeGrants(site: Site, slug: string, count: number): Promise<string[]> {
  const grants = Array.from({ length: count }, () => randomBytes(32).toString('base64url'));
  const client = new pg.Client({ connectionString: site.databaseUrl });
  await client.connect();
  for (const grant of grants) {
    await client.query(
      `insert into folder_grants (token_hash, folder_id, expires_at)
       select $1, id, now() + interval '5 minutes' from folders where slug = $2`,
      [createHash('sha256').update(grant).digest('hex'), slug],
    );
  }
  await client.end();
  return grants;
}
