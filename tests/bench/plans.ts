import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What every statement of the server looks at in a database of a large site (apps/server/src/http/plans.api.test.ts). */

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = 1_000_000;
const FILES = 10_000_000;

/**
 * Fills a database, explains all statements on it and prints a table of them, those that look at most first.
 * @param folders how many the database has, 1,000,000 when left out; about as many rows of most other kinds
 * @param files how many files, 10,000,000 when left out
 * @returns 0 when none of them reads a large table from end to end
 */
export async function showPlans(folders = String(FOLDERS), files = String(FILES)): Promise<number> {
  const table = join(tmpdir(), `satchel-plans-${process.pid}.md`);
  const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'server-api', 'http/plans'];
  const env = { ...process.env, PLANS_FOLDERS: folders, PLANS_FILES: files, PLANS_TABLE: table };
  const [code] = (await once(spawn(process.execPath, vitest, { cwd: ROOT, env, stdio: 'inherit' }), 'exit')) as [
    number,
  ];
  try {
    process.stdout.write(readFileSync(table, 'utf8'));
  } catch {
    // It came to no table; what was printed says why.
  }
  rmSync(table, { force: true });
  return code;
}
