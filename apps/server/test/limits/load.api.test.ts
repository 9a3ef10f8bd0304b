import { get, type IncomingMessage } from 'node:http';
import type { ProfileExport } from '@satchel/contract/api';
import type { FileEntry, Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { CLIENT_GATE, createClientGate } from '../../src/domain/base/client-gate.ts';
import { listStatement } from '../../src/domain/files/files.ts';
import { exportOwnData } from '../../src/domain/own-data.ts';
import { inviteToFolder } from '../../src/domain/sharing/invitations.ts';
import type { RateLimits } from '../../src/http/rate-limits.ts';
import { type Queryable, rowsOf } from '../../src/platform/database/db.ts';
import { makeFolder, OBJECT } from '../support/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';

/** What many rows cost: statements stay small, each client has its turn, and one client holds only its share. */

const EXPORT = '/rest/v1/profiles/me/export';
const LIST = `${OBJECT}/list/unlocked-folders`;
const NETWORKS = { TRUST_PROXY: '127.0.0.1' };
/** With it, an export of 2,000 files is more than socket buffers take unread. */
const LONG_LABEL = 'x'.repeat(8000);
const [ATTACKER, STRANGER] = ['192.0.2.66', '192.0.2.7'];

describe('the work of a call', () => {
  let app: TestApp;
  const start = async (rateLimits: RateLimits = {}, gate = createClientGate(CLIENT_GATE)) => {
    app = await createTestApp({ env: NETWORKS, deps: { rateLimits, gate } });
    return app.signIn('mika');
  };

  /** Rows as uploads leave them; every third has the same time as the one before. */
  async function fill(folder: Folder, count: number, label: string | null = null): Promise<void> {
    await app.database.db.execute(sql`
      insert into files (folder_id, name, size_bytes, mimetype, cache_control, sealed, blob_key, checksum, created_at, updated_at)
      select ${folder.id}::uuid, 'file_' || n || '_abcdefgh.bin', 1, 'text/plain', '3600', ${label}::text, gen_random_uuid(), 0,
        now() + (n - n % 3) * interval '1 second', now() - (n - n % 3) * interval '1 second'
      from generate_series(1, ${count}::integer) n`);
    await app.database.db.execute(sql`update folders set file_count = ${count} where id = ${folder.id}::uuid`);
  }

  /** Counts the statements of `act`, and the most rows of one. */
  async function counted<Result>(
    act: (db: Queryable) => Promise<Result>,
  ): Promise<{ result: Result; statements: number }> {
    let statements = 0;
    const real = app.database.db;
    const counting = new Proxy(real, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name === 'select' || name === 'execute') statements++;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return { result: await act(counting), statements };
  }

  const list = (from: string, folder: Folder, body: object) =>
    fetch(app.baseUrl + LIST, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify({ prefix: folder.bucket_storage_path, ...body }),
    });

  describe('a list', () => {
    test.each([
      ['name', 'asc'],
      ['name', 'desc'],
      ['created_at', 'asc'],
      ['created_at', 'desc'],
      ['updated_at', 'asc'],
      ['updated_at', 'desc'],
    ] as const)('by %s, %s: in pages of any size, each file comes once and in order', async (column, order) => {
      const mika = await start();
      const folder = await makeFolder(app, mika);
      await fill(folder, 730);
      const names = async (limit: number, offset: number) => {
        const response = await list(STRANGER, folder, { limit, offset, sortBy: { column, order } });
        return ((await response.json()) as FileEntry[]).map(({ name }) => name);
      };
      const whole = await names(1000, 0);
      expect(new Set(whole).size).toBe(730);
      const rows = await app.query<{ name: string }>(
        sql`select name from files where folder_id = ${folder.id}::uuid order by ${sql.raw(
          column === 'name' ? '' : `${column} ${order}, `,
        )} name collate "C" ${sql.raw(order)}`,
      );
      expect(whole).toEqual(rows.map(({ name }) => name));
      expect([...(await names(333, 0)), ...(await names(201, 333)), ...(await names(1000, 534))]).toEqual(whole);
      expect(await names(1000, 730)).toEqual([]);
    });

    test.each(['name', 'created_at', 'updated_at'] as const)('by %s is read by an index, unsorted', async (column) => {
      const mika = await start();
      const folder = await makeFolder(app, mika);
      await fill(folder, 3000);
      const { db } = app.database;
      await db.execute(sql`analyze files`);
      for (const order of ['asc', 'desc'] as const) {
        const [last] = await listStatement(db, folder.id, { limit: 1, offset: 700, sortBy: { column, order } });
        for (const behind of [undefined, last]) {
          const statement = listStatement(db, folder.id, { limit: 100, offset: 5, sortBy: { column, order } }, behind);
          const plan = JSON.stringify(rowsOf(await db.execute(sql`explain ${statement}`)));
          expect(plan).toContain('Index Scan');
          expect(plan).not.toContain('Sort');
        }
      }
    });

    test('costs one unit of the rate limit for each hundred rows', async () => {
      const mika = await start({ reads: [{ max: 21, seconds: 3600 }] });
      const folder = await makeFolder(app, mika);
      const statuses = [];
      for (const limit of [1000, 1000, 100, 100]) statuses.push((await list(STRANGER, folder, { limit })).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
      expect((await list(ATTACKER, folder, { limit: 100 })).status).toBe(200);
    });
  });

  test('a network without a free turn waits with all its requests, and a stranger does not', async () => {
    const gate = createClientGate({ running: 2, queued: 100 });
    const mika = await start({}, gate);
    const folder = await makeFolder(app, mika);
    await fill(folder, 200);
    const ends: (() => void)[] = [];
    const held = [1, 2].map(() => gate.run(ATTACKER, () => new Promise<void>((resolve) => ends.push(resolve))));
    let answered = 0;
    const flood = Array.from({ length: 70 }, async () => {
      const { status } = await list(ATTACKER, folder, { limit: 200 });
      answered++;
      return status;
    });
    for (const limit of [1, 100, 200]) expect((await list(STRANGER, folder, { limit })).status).toBe(200);
    expect(answered).toBe(0);
    for (const end of ends) end();
    await Promise.all(held);
    expect(await Promise.all(flood)).toEqual(Array(70).fill(200));
  });

  test('a network with too many waiting requests gets 429 with the time to wait, and others do not', async () => {
    const gate = createClientGate({ running: 1, queued: 0 });
    const mika = await start({}, gate);
    const folder = await makeFolder(app, mika);
    let end = () => {};
    const held = gate.run(ATTACKER, () => new Promise<void>((resolve) => (end = resolve)));
    const refused = await list(ATTACKER, folder, {});
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: 'request.too_many' } });
    expect((await list(STRANGER, folder, {})).status).toBe(200);
    end();
    await held;
    expect((await list(ATTACKER, folder, {})).status).toBe(200);
  });

  describe('an export', () => {
    const ask = (as: Account) => app.call('GET', EXPORT, { as });
    async function statusAndEnd(as: Account): Promise<number> {
      const response = await ask(as);
      await response.body?.cancel();
      return response.status;
    }

    test('runs once at a time for an account: a second one gets 429 with the time to wait', async () => {
      const mika = await start();
      const jonas = await app.signIn('jonas');
      await fill(await makeFolder(app, mika), 2000, LONG_LABEL);
      const first = await ask(mika);
      expect(first.status).toBe(200);
      const others = await Promise.all(Array.from({ length: 39 }, () => ask(mika)));
      expect(others.map(({ status }) => status)).toEqual(Array(39).fill(429));
      expect(Number(others[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await others[0]?.json()).toMatchObject({ error: { code: 'profile.export_running' } });
      expect(await statusAndEnd(jonas)).toBe(200);
      const data = (await first.json()) as ProfileExport;
      expect(data.folders[0]?.files).toHaveLength(2000);
      await expect.poll(() => statusAndEnd(mika)).toBe(200);
    });

    test('whose reader leaves makes room for the next', async () => {
      const mika = await start();
      await fill(await makeFolder(app, mika), 2000, LONG_LABEL);
      const first = await new Promise<IncomingMessage>((resolve) =>
        get(app.baseUrl + EXPORT, { headers: { cookie: mika.cookie }, agent: false }, resolve),
      );
      expect([first.statusCode, (await ask(mika)).status]).toEqual([200, 429]);
      first.destroy();
      await expect.poll(() => statusAndEnd(mika)).toBe(200);
    });

    test('of many folders takes a few statements, and has every file and card in its folder', async () => {
      const mika = await start();
      const { db } = app.database;
      const counts = [0, 3, 450, 1, 0, 200, 7];
      const made = new Map<string, number>();
      for (let at = 0; at < 35; at++) {
        const folder = await makeFolder(app, mika);
        const count = counts[at % counts.length]!;
        await fill(folder, count);
        made.set(folder.id, count);
        if (at % 5 > 0) await inviteToFolder(db, mika, folder.id, { discord_id: null, guild_id: String(at) });
        if (at % 5 > 1) await inviteToFolder(db, mika, folder.id, { discord_id: String(at), guild_id: null });
      }
      const { result: text, statements } = await counted(async (counting) => {
        let pieces = '';
        for await (const piece of await exportOwnData(counting, mika)) pieces += piece;
        return pieces;
      });
      const data = JSON.parse(text) as ProfileExport;
      const found = new Map(data.folders.map(({ id, files }) => [id, files.length]));
      expect(found).toEqual(made);
      const cards = data.folders.map(({ shares }) => shares.length);
      expect(cards.filter((count) => count === 0)).toHaveLength(7);
      expect(cards.reduce((sum, count) => sum + count, 0)).toBe(28 + 21);
      const files = 5 * counts.reduce((sum, count) => sum + count, 0);
      expect(files).toBe(3305);
      // Not several for each of 35 folders; a page of files has 200 rows.
      expect(statements).toBeLessThan(70);
    });

    test('costs as much of the rate limit as a hundred light reads', async () => {
      const mika = await start({ reads: [{ max: 100, seconds: 3600 }] });
      const session = () => app.call('GET', '/auth/v1/session', { as: mika });
      expect((await session()).status).toBe(200);
      await (await ask(mika)).json();
      const refused = await session();
      expect(refused.status).toBe(429);
      expect(await refused.json()).toMatchObject({ error: { code: 'request.too_many' } });
    });
  });
});
