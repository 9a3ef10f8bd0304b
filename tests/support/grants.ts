import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { Site } from './site.ts';

/** Grants of restricted folders (DESIGN R16), as a click in Discord gives them. */

/**
 * Makes grants for a folder, by hand: no page and no call gives one, so they are put into the database while the server
 * is down.
 */
export async function makeGrants(site: Site, slug: string, count: number): Promise<string[]> {
  const grants = Array.from({ length: count }, () => randomBytes(32).toString('base64url'));
  await site.kill9();
  const database = await PGlite.create({ dataDir: join(site.dataDir, 'db') });
  for (const grant of grants) {
    await database.query(
      `insert into folder_grants (token_hash, folder_id, expires_at)
       select $1, id, now() + interval '5 minutes' from folders where slug = $2`,
      [createHash('sha256').update(grant).digest('hex'), slug],
    );
  }
  await database.close();
  await site.restart();
  return grants;
}
