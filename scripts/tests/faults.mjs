import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildInChild } from '../launch/build-outputs.mjs';
import { ensurePostgres } from '../postgres/binaries.mjs';
import { chooseUser } from '../postgres/unprivileged.mjs';
import { onStopRequest } from '../runtime/children.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { explain } from '../runtime/start-error.mjs';
import { ensureNginx } from './browser-and-proxy.mjs';
import { measurePace } from './pace.mjs';
import { startPostgres } from './private-postgres.mjs';
import { startGroup } from './process-group.mjs';

/** ROUNDS (50) random moments of kill -9, which are a part of the faults. */
export async function runCrashes() {
  process.env.ROUNDS ||= '50';
  await runFaults(['moments']);
}

/** One fault after the other against the built site (tests/faults/fault-table.ts); exits with its verdict. */
export async function runFaults(parts) {
  if (!(await buildInChild())) process.exit(1);
  measurePace();
  const nginx = ensureNginx();
  const programs = await ensurePostgres().catch(explain);
  const user = chooseUser({ postgres: programs.postgres, dataDir: tmpdir() });
  const postgres = await startPostgres({ isDurable: true }).catch(explain);
  const faults = startGroup([join(ROOT, 'tests/faults/fault-table.ts'), ...parts], {
    TEST_DATABASE_URL: postgres.url,
    FAULTS_POSTGRES: JSON.stringify({ ...programs, ...user }),
    ...(nginx && { NGINX_PATH: nginx }),
  });
  const end = async (code) => {
    await postgres.stop();
    process.exit(code);
  };
  onStopRequest(() => faults.stop().then(() => end(130)));
  await end(await faults.exited);
}
