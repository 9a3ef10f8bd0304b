import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/platform/database/db.ts';
import { MIGRATIONS } from '../../src/platform/schema/migrations.ts';
import type { CommonSettings } from '../../src/platform/site/shared-site.ts';
import { lockSite, type SiteLock } from '../../src/platform/site/site-lock.ts';
import { LOCK_SPACE, ROLES } from '../../src/platform/site/site-lock-keys.ts';
import { atEnd, takeDatabase, takeFolder } from '../support/at-end.ts';

/** Who may serve a site whose blobs lie in a store that all nodes reach. */

const COMMON: CommonSettings = { BLOBS_URL: 's3://bucket', SESSION_SECRET: 'the secret of this site' };
/** A node that waits for others to begin or to end, as long as it takes on a busy machine. */
const PATIENT = { roles: [], common: COMMON, startMs: 20_000 };
const QUICK = { startMs: 300, retryMs: 10, beatMs: 50 };

let databaseUrl: string;
let dataDir: string;
let sql: pg.Client;
let locks: SiteLock[];

beforeEach(async () => {
  databaseUrl = await takeDatabase();
  dataDir = await takeFolder();
  sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  atEnd(() => sql.end());
  locks = [];
  atEnd(releaseAll);
});

async function start(options: { roles: ('site' | 'keys')[]; common: CommonSettings | null; startMs?: number }) {
  const { startMs = QUICK.startMs, ...site } = options;
  const lock = await lockSite({
    url: databaseUrl,
    setting: 'DATABASE_URL',
    dataDir,
    name: 'a process of this test',
    report: () => undefined,
    times: { ...QUICK, startMs },
    ...site,
  });
  locks.push(lock);
  await lock.claim();
  return lock;
}
const node = (common = COMMON) => start({ roles: [], common });
const onDisk = () => start({ roles: ['site', 'keys'], common: null });
async function releaseAll() {
  for (const lock of locks.splice(0)) await lock.release();
}
const sessions = async () =>
  (
    await sql.query<{
      pid: number;
      at: Date;
    }>(`select pid, query_start as at from pg_stat_activity where application_name like 'satchel-lock %'
      and datname = current_database()`)
  ).rows;
/** The processes of the database whose sessions have the lock of the site: one may be open and not have it yet. */
async function holders(): Promise<readonly number[]> {
  const { rows } = await sql.query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and granted and classid = $1 and objid = $2
     and database = (select oid from pg_database where datname = current_database())`,
    [LOCK_SPACE, ROLES.site],
  );
  return rows.map(({ pid }) => pid);
}

describe('nodes', () => {
  test('start at once on an empty database, and bring its schema up to date together', async () => {
    await sql.query('drop schema public cascade');
    await sql.query('create schema public');
    const all = await Promise.all([1, 2, 3].map(() => openDatabase({ url: databaseUrl })));
    await Promise.all(all.map((one) => one.close()));
    expect((await sql.query('select id from migrations')).rowCount).toBe(MIGRATIONS.length);
    await Promise.all([start(PATIENT), start(PATIENT), start(PATIENT)]);
    expect(await sessions()).toHaveLength(3);
  });

  test('with another secret are refused by its name, until the others have ended', async () => {
    await node();
    await node();
    const other = { ...COMMON, SESSION_SECRET: 'a secret that this node made for itself' };
    await expect(node(other)).rejects.toThrow(/^SESSION_SECRET: differs from the value of the running nodes/);
    await releaseAll();
    await start({ ...PATIENT, common: other });
    await expect(node()).rejects.toThrow(/^SESSION_SECRET: /);
  });

  test('with another secret start while the database still frees the lock of those that have ended', async () => {
    await node();
    // Stands for the session of a killed node, which the database has not noticed yet.
    await sql.query('select pg_advisory_lock_shared($1, $2)', [LOCK_SPACE, ROLES.site]);
    await releaseAll();
    const other = start({ ...PATIENT, common: { ...COMMON, SESSION_SECRET: 'a new secret' } });
    // It asks for the lock again and again.
    const asked = new Set<number>();
    const timesAsked = async () => {
      for (const { at } of await sessions()) asked.add(at.getTime());
      return asked.size;
    };
    await expect.poll(timesAsked, { interval: 5 }).toBeGreaterThan(2);
    await sql.query('select pg_advisory_unlock_shared($1, $2)', [LOCK_SPACE, ROLES.site]);
    await other;
  });

  test('store no secret in the database', async () => {
    await node();
    const { rows } = await sql.query('select * from node_settings order by name');
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(COMMON.SESSION_SECRET);
  });

  test('take their place again when their session is lost', async () => {
    await node();
    const [before] = await holders();
    await sql.query('select pg_terminate_backend($1)', [before]);
    await expect.poll(async () => (await holders()).filter((pid) => pid !== before)).toHaveLength(1);
    await expect(onDisk()).rejects.toThrow(/has the site of this database; stop it first$/);
  });

  test('one of them at most has key shares on its disk', async () => {
    await start({ roles: ['keys'], common: COMMON });
    await expect(start({ roles: ['keys'], common: COMMON })).rejects.toThrow(/stop it first$/);
    await node();
  });
});

describe('a process with its blobs on a disk', () => {
  test('is refused beside nodes, and after them, since the files lie in their store', async () => {
    await node();
    await expect(onDisk()).rejects.toThrow(/stop it first$/);
    await releaseAll();
    await expect(onDisk()).rejects.toThrow(/^BLOBS_URL: is missing; the files of this database lie in a store/);
  });

  test('keeps nodes out, and after it they are refused, since the files lie on its disk', async () => {
    await onDisk();
    await expect(node()).rejects.toThrow(
      /^another Satchel \(a process of this test\) has the site of this database; stop it first$/,
    );
    await releaseAll();
    await expect(node()).rejects.toThrow(/^BLOBS_URL: the files of this database lie in a DATA_DIR/);
  });
});
