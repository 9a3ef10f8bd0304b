import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../platform/db.ts';
import { MIGRATIONS, migrationHash } from '../platform/migrations.ts';

/** Making an embedded database costs seconds, copying one a tenth of that. So the tests copy. */

const CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/satchel');

async function templatePath(): Promise<string> {
  // Versions are pinned exactly, so the manifest says which database this is.
  const manifest = await readFile(join(import.meta.dirname, '../../package.json'));
  const hash = createHash('sha256').update(manifest);
  for (const migration of MIGRATIONS) hash.update(migrationHash(migration));
  return join(CACHE, `database-${hash.digest('hex').slice(0, 16)}`);
}

/** A migrated embedded database that is nobody's yet, in a new folder `dir`. */
export async function copyTemplate(dir: string): Promise<void> {
  const template = await templatePath();
  if (!existsSync(template)) {
    const fresh = join(CACHE, randomUUID());
    await mkdir(CACHE, { recursive: true });
    await (await openDatabase({ dir: fresh })).close();
    // Whole or not at all, however many test files want it at once; whoever comes second throws its own away.
    await rename(fresh, template).catch(() => rm(fresh, { recursive: true }));
  }
  await cp(template, dir, { recursive: true });
}
