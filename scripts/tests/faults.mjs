import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePostgres } from '../postgres/binaries.mjs';
import { chooseUser } from '../postgres/unprivileged.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { explain } from '../runtime/start-error.mjs';
import { requireBuild, runBesidePostgres } from './beside-postgres.mjs';
import { ensureNginx } from './browser-and-proxy.mjs';
import { measurePace } from './pace.mjs';

/** ROUNDS (50) random moments of kill -9, which are a part of the faults. */
export async function runCrashes() {
  process.env.ROUNDS ||= '50';
  await runFaults(['moments']);
}

/** One fault after the other against the built site (tests/faults/fault-table.ts); exits with its verdict. */
export async function runFaults(parts) {
  await requireBuild();
  measurePace();
  const nginx = ensureNginx();
  const programs = await ensurePostgres().catch(explain);
  const user = chooseUser({ postgres: programs.postgres, dataDir: tmpdir() });
  const env = { FAULTS_POSTGRES: JSON.stringify({ ...programs, ...user }), ...(nginx && { NGINX_PATH: nginx }) };
  await runBesidePostgres([join(ROOT, 'tests/faults/fault-table.ts'), ...parts], { env });
}
