import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockSite } from '../../src/platform/site/site-lock.ts';
import { atEnd, takeDatabase, takeFolder } from '../support/at-end.ts';
import { createServerProcesses, type ServerProcess } from '../support/server-process.ts';
import { TABLE_NAMES } from '../support/stored-state.ts';

/** Who owns a site (decision 019), with real processes and a real database. */

let databaseUrl: string;
let dataDir: string;
let sql: pg.Client;
const { start, started } = createServerProcesses(() => ({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl }));

async function connect(url = databaseUrl): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  atEnd(() => client.end());
  return client;
}

beforeEach(async () => {
  databaseUrl = await takeDatabase();
  dataDir = await takeFolder();
  sql = await connect();
});

const nameOf = ({ child, dataDir: dir }: ServerProcess) =>
  `another Satchel (process ${child.pid} on ${hostname()}, with ${dir})`;

async function expectRefused(second: ServerProcess, line: string): Promise<void> {
  expect(await second.exited).toBe(1);
  expect(second.output.errors).toBe(`satchel: ${line}\n`);
  expect(second.output.text).toBe('');
}
const refusedBy = (first: ServerProcess) => `${nameOf(first)} has the site of this database; stop it first`;

const holderOf = async () =>
  (await sql.query<{ holder: string }>(`select holder from site where role = 'site'`)).rows[0]!.holder;
const lockSessions = () =>
  sql.query<{ pid: number }>(`select pid from pg_stat_activity where application_name like 'satchel-lock %'
    and datname = current_database()`);

async function sessionsAwaitingLock(): Promise<number> {
  const { rowCount } = await sql.query(`select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`);
  return rowCount ?? 0;
}

async function terminateLock(): Promise<number> {
  const { rows } = await lockSessions();
  expect(rows).toHaveLength(1);
  await sql.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
  return rows[0]!.pid;
}

const ban = (client: pg.Client) =>
  client.query(`insert into bans (discord_id, reason) values ($1, 'of a test')`, [randomUUID()]);
const bans = async () => Number((await sql.query('select count(*) from bans')).rows[0].count);

describe('a second server on one database', () => {
  test('is refused by name with the same directory, and with another one', async () => {
    const first = await started();
    const other = await takeFolder();
    const refused = await Promise.all([start(), start({ DATA_DIR: other })]);
    await Promise.all(refused.map((second) => expectRefused(second, refusedBy(first))));
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    // It was refused before it wrote anything.
    await expect(readFile(join(other, 'site-id'))).rejects.toMatchObject({ code: 'ENOENT' });
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
  });

  test('is refused while the first stands still, which then continues', async () => {
    const first = await started();
    first.child.kill('SIGSTOP');
    const refused = await Promise.all([start(), start({ DATA_DIR: await takeFolder() })]);
    await Promise.all(refused.map((second) => expectRefused(second, refusedBy(first))));
    first.child.kill('SIGCONT');
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    expect(first.output.errors).toBe('');
  });

  test('gets the site at once when the first is killed', async () => {
    const first = await started();
    const second = await start();
    first.child.kill('SIGKILL');
    await second.ready();
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
  });

  test('a key service and a node share it; a second key service and a server with keys of its own do not', async () => {
    const secret = { KEY_SERVICE_SECRET: 'what the two know each other by, in this test' };
    const keyService = { ...secret, SATCHEL_ROLE: 'keys', PUBLIC_URL: 'http://127.0.0.1:1' };
    const keys = await started({ ...keyService, DATA_DIR: await takeFolder() });
    const node = await started({ ...secret, KEY_SERVICE_URL: keys.url });
    await expectRefused(await start({ ...keyService, DATA_DIR: await takeFolder() }), refusedBy(keys));
    node.child.kill('SIGTERM');
    expect(await node.exited).toBe(0);
    await expectRefused(await start(), refusedBy(keys));
  });
});

describe('a holder whose lock session ends', () => {
  test('takes the lock again, and continues', async () => {
    const first = await started();
    const holder = await holderOf();
    const pid = await terminateLock();
    await expect.poll(async () => (await lockSessions()).rows.filter((row) => row.pid !== pid)).toHaveLength(1);
    await expect.poll(() => first.output.text).toContain('lock of the site held again');
    expect(await holderOf()).toBe(holder);
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    await expectRefused(await start(), refusedBy(first));
    expect(first.output.errors).toBe('');
  });

  test('ends when another one has taken it first, and can commit no more', async () => {
    const first = await started();
    const holder = await holderOf();
    first.child.kill('SIGSTOP');
    await terminateLock();
    const second = await started();
    expect(await holderOf()).not.toBe(holder);
    // What the first one would write, on a connection that may be open already.
    const late = await connect(
      `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}application_name=satchel%20${holder}`,
    );
    await expect(ban(late)).rejects.toMatchObject({ code: 'ST001' });
    first.child.kill('SIGCONT');
    expect(await first.exited).toBe(1);
    expect(first.output.errors).toBe(`satchel: ${nameOf(second)} has taken the site of this database; ending\n`);
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
    expect(await bans()).toBe(0);
  });

  test('ends when another one held it in between: the disk may have changed', async () => {
    const first = await started();
    first.child.kill('SIGSTOP');
    await terminateLock();
    const second = await started();
    second.child.kill('SIGKILL');
    await second.exited;
    first.child.kill('SIGCONT');
    expect(await first.exited).toBe(1);
    expect(first.output.errors).toContain('has taken the site of this database; ending');
  });
});

describe('the fence', () => {
  async function hold(name: string) {
    const lost: string[] = [];
    const lock = await lockSite({
      url: databaseUrl,
      setting: 'DATABASE_URL',
      roles: ['site', 'keys'],
      dataDir,
      name,
      report: (event) => lost.push(event),
      times: { trustMs: 500 },
    });
    atEnd(() => lock.release());
    await lock.claim();
    return { lock, lost, writer: await connect(lock.nameWriters(databaseUrl)) };
  }

  test('lets the holder write, and no one after its session has ended', async () => {
    const { lock, lost, writer } = await hold('a');
    await ban(writer);
    await lock.requireHeld();
    // Another process holds the lock, but has not registered as the holder yet.
    const other = await connect();
    const taken = other.query('select pg_advisory_lock(7234119, 1)');
    // The holder takes a lock again that no other session has asked for before.
    await expect.poll(sessionsAwaitingLock).toBe(1);
    await terminateLock();
    await taken;
    await expect.poll(() => lost).toEqual(['lost']);
    await expect(lock.requireHeld()).rejects.toThrow('lost');
    expect((await lock.lostForGood).message).toContain('has taken the site');
  });

  test('refuses writes while the lock is free', async () => {
    const { lock, writer } = await hold('a');
    await lock.release();
    await expect(ban(writer)).rejects.toMatchObject({ code: 'ST001' });
    for (const table of TABLE_NAMES.filter((name) => name !== 'site')) {
      await expect(writer.query(`delete from ${table}`), table).rejects.toMatchObject({ code: 'ST001' });
    }
    // A person at the database, or a dump that is restored.
    await ban(sql);
    expect(await bans()).toBe(1);
  });

  test('ends a transaction that an older holder has open when a new one comes', async () => {
    const { lock, writer } = await hold('a');
    await writer.query('begin');
    await ban(writer);
    await lock.release();
    await hold('b');
    await expect(writer.query('commit')).rejects.toThrow();
    expect(await bans()).toBe(0);
  });

  test('is checked again after a standstill, before any write to a disk', async () => {
    const { lock } = await hold('a');
    // Like SIGSTOP: for longer than the trust lasts, no timer runs and no answer is read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    await lock.requireHeld();
  });
});

describe('directory and database', () => {
  const idIn = async (dir: string) => (await readFile(join(dir, 'site-id'), 'utf8')).trim();
  const siteId = async () => (await sql.query<{ id: string }>('select id from site limit 1')).rows[0]!.id;

  async function startOnce(env: Record<string, string> = {}): Promise<void> {
    const server = await started(env);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  }

  test('know each other from the first start on, and another directory is refused', async () => {
    await startOnce();
    const id = await siteId();
    expect(await idIn(dataDir)).toBe(id);
    const other = await takeFolder();
    const how = 'docs/deploy/backup-and-upgrade.md says how to join them';
    await expectRefused(
      await start({ DATA_DIR: other }),
      `DATA_DIR: ${other} belongs to no site yet, and the database of DATABASE_URL to site ${id}; ${how}`,
    );
    const foreign = randomUUID();
    await writeFile(join(other, 'site-id'), `${foreign}\n`);
    await expectRefused(
      await start({ DATA_DIR: other }),
      `DATA_DIR: ${other} belongs to site ${foreign}, and the database of DATABASE_URL to site ${id}; ${how}`,
    );
    const empty = await takeDatabase();
    await expectRefused(
      await start({ DATABASE_URL: empty }),
      `DATA_DIR: ${dataDir} belongs to site ${id}, and the database of DATABASE_URL to no site yet; ${how}`,
    );
    await startOnce();
  });

  test('a first start that was cut between the two is completed', async () => {
    await startOnce();
    const id = await siteId();
    await rm(join(dataDir, 'site-id'));
    await sql.query('update site set is_paired = false');
    await startOnce();
    expect([await idIn(dataDir), await siteId()]).toEqual([id, id]);
  });

  test('of two first starts at once, each with its own database, one has the directory and the other is refused', async () => {
    const other = await takeDatabase();
    const claims = [databaseUrl, other].map(async (url) => {
      const lock = await lockSite({
        url,
        setting: 'DATABASE_URL',
        roles: ['site', 'keys'],
        dataDir,
        name: 'a first start',
        report: () => undefined,
      });
      atEnd(() => lock.release());
      return lock;
    });
    const both = await Promise.all(claims);
    const outcomes = await Promise.allSettled(both.map((lock) => lock.claim()));
    const ids = await Promise.all(
      [sql, await connect(other)].map(async (client) => (await client.query('select id from site')).rows[0].id),
    );
    const own = await idIn(dataDir);
    expect(outcomes.map(({ status }) => status)).toEqual(ids.map((id) => (id === own ? 'fulfilled' : 'rejected')));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { name: 'SiteIdError', message: expect.stringContaining(`${dataDir} belongs to site ${own}`) } },
    ]);
    expect(await readdir(dataDir)).toEqual(['site-id']);
    await Promise.all(both.map((lock) => lock.release()));
  });
});
