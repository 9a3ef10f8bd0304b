import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Query plans of every server statement in a large site's database (apps/server/test/database/plans.api.test.ts). */

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = 1_000_000;
const FILES = 10_000_000;

/**
 * Fills a database, explains all statements on it and prints a table, with the most expensive statements first.
 * @param folders rows in the folder table, 1,000,000 by default; most other tables get about as many
 * @param files rows in the file table, 10,000,000 by default
 * @returns 0 when no statement reads a large table from end to end
 */
export async function showPlans(folders = String(FOLDERS), files = String(FILES)): Promise<number> {
  const table = join(tmpdir(), `satchel-plans-${process.pid}.md`);
  // Without the backlog of a sweep, which would rewrite most rows: the tests cover its plans.
  const one = ['--project', 'server-api', 'database/plans', '-t', 'no statement of the server'];
  const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...one];
  const env = { ...process.env, PLANS_FOLDERS: folders, PLANS_FILES: files, PLANS_TABLE: table };
  const [code] = (await once(spawn(process.execPath, vitest, { cwd: ROOT, env, stdio: 'inherit' }), 'exit')) as [
    number,
  ];
  try {
    process.stdout.write(readFileSync(table, 'utf8'));
  } catch {
    // The run failed before the table; the printed errors give the reason.
  }
  rmSync(table, { force: true });
  return code;
}
