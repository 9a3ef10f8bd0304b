import { ensureNginx, ensurePgbouncer } from '../../scripts/tests/browser-and-proxy.mjs';
import { leaveOut } from '../../scripts/tests/left-out.mjs';

/** nginx before a site, and pgbouncer before its database. */
export function setup() {
  const nginx = ensureNginx();
  const pgbouncer = ensurePgbouncer();
  if (nginx) process.env.NGINX_PATH = nginx;
  else leaveOut('the tests behind TLS: there is no nginx, and it could not be installed');
  if (pgbouncer) process.env.PGBOUNCER_PATH = pgbouncer;
  else leaveOut('the tests behind a pooler: there is no pgbouncer, and it could not be installed');
}
