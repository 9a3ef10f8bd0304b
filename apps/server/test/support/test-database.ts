import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { openDatabase } from '../../src/platform/database/db.ts';
import { MIGRATIONS, migrationHash } from '../../src/platform/schema/migrations.ts';

/** Each test's own database on the server of TEST_DATABASE_URL: a copy of a template that is migrated once. */

const TEMPLATE_LOCK = 7_234_118;
const hash = createHash('sha256');
for (const migration of MIGRATIONS) hash.update(migrationHash(migration));
const TEMPLATE = `satchel_template_${hash.digest('hex').slice(0, 16)}`;

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is not set: the global setup of Vitest’s projects starts a PostgreSQL');
  return url;
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

async function onServer<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  return work(client).finally(() => client.end());
}

/** The first test creates it; all others, in any process, wait for it. */
async function makeTemplate(client: pg.Client): Promise<void> {
  const exists = async () =>
    (await client.query('select from pg_database where datname = $1', [TEMPLATE])).rowCount === 1;
  if (await exists()) return;
  await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    if (await exists()) return;
    // Renamed once complete: a run that is killed here leaves no half of a template.
    const unfinished = `satchel_unfinished_${randomUUID().replaceAll('-', '')}`;
    await client.query(`create database ${unfinished}`);
    await (await openDatabase({ url: urlOf(unfinished) })).close();
    await client.query(`alter database ${unfinished} rename to ${TEMPLATE}`);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** An empty, migrated database. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `satchel_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(async (client) => {
    await makeTemplate(client);
    // Copied as files: the other way writes each page into the log first.
    await client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`);
  });
  return {
    url: urlOf(name),
    drop: () => onServer(async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
  };
}
