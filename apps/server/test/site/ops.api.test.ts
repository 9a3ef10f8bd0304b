import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import type { KeyedDeps } from '../../src/http/deps.ts';
import { newestMigration, rowsOf } from '../../src/platform/database/db.ts';
import { PROGRAM, programText } from '../../src/program.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp();

describe('operations', () => {
  test('a running process is healthy, and ready once its database answers', async () => {
    const health = await app.call('GET', '/healthz');
    expect([health.status, await health.text()]).toEqual([
      200,
      `ok\nsatchel ${programText(PROGRAM)}\nhost: as PUBLIC_URL\nproxy: none\n`,
    ]);
    expect((await app.call('GET', '/readyz')).status).toBe(200);
    const broken = await createTestApp();
    await broken.database.close();
    expect((await broken.call('GET', '/healthz')).status).toBe(200);
    const response = await broken.call('GET', '/readyz');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error: { code: 'request.unavailable' },
      checks: { database: 'failed', free_space: 'ok' },
    });
  });

  const refusing = () => Promise.reject(Object.assign(new Error('read-only file system'), { code: 'EROFS' }));
  const FAILURES: [check: string, what: string, fail: (deps: KeyedDeps) => void][] = [
    ['blob_store', 'can’t be written', ({ blobs }) => Object.assign(blobs, { put: refusing })],
    ['blob_store', 'loses what it took', ({ blobs }) => Object.assign(blobs, { put: async () => undefined })],
    ['key_shares', 'can’t be written', ({ keyShares }) => Object.assign(keyShares, { write: refusing })],
    ['free_space', 'is used up', ({ freeSpace }) => Object.assign(freeSpace, { isShort: async () => true })],
  ];
  test.each(FAILURES)('a server whose %s %s is not ready, and says so', async (check, _what, fail) => {
    const failing = await createTestApp();
    fail(failing.deps);
    const response = await failing.call('GET', '/readyz');
    expect(response.status).toBe(503);
    const { checks } = (await response.json()) as { checks: Record<string, string> };
    expect(Object.keys(checks).filter((name) => checks[name] === 'failed')).toEqual([check]);
    expect(failing.log.join()).toContain(`"step":"${check}"`);
  });

  test.each([
    ['refuses', refusing],
    ['is silent', () => new Promise<never>(() => undefined)],
  ])(
    'a store of all nodes that %s makes none of them unready; a deeper look and the metrics name it',
    async (_, put) => {
      const node = await createTestApp({ env: { BLOBS_URL: 'file:///the/store/of/all/nodes' } });
      Object.assign(node.deps.blobs, { put });
      const ready = await node.call('GET', '/readyz');
      expect(ready.status).toBe(200);
      expect(await ready.json()).toEqual({
        checks: { database: 'ok', migrations: 'ok', free_space: 'ok', key_shares: 'ok' },
      });
      const deep = await node.call('GET', '/readyz?deep');
      expect([deep.status, deep.headers.has('retry-after')]).toEqual([503, true]);
      expect(await deep.json()).toMatchObject({ checks: { database: 'ok', blob_store: 'failed' } });
      const figures = await (await node.call('GET', '/metrics')).text();
      expect(figures).toContain('satchel_check_failed{check="blob_store"} 1');
      expect(figures).toContain('satchel_check_failed{check="database"} 0');
      // Pages, folder data and folders that are made need no store.
      const mika = await node.signIn('mika');
      expect((await node.rpc('create_folder_with_temp_key', {}, mika)).status).toBe(201);
    },
  );

  test('asked five times in a row, it tries each store once', async () => {
    const asked = await createTestApp();
    const { blobs, keyShares } = asked.deps;
    const puts = vi.spyOn(blobs, 'put');
    const writes = vi.spyOn(keyShares, 'write');
    const answers = [];
    for (let time = 0; time < 5; time += 1) answers.push((await asked.call('GET', '/readyz')).status);
    expect(answers).toEqual([200, 200, 200, 200, 200]);
    expect([puts.mock.calls.length, writes.mock.calls.length]).toEqual([1, 1]);
  });

  test('a server on the schema of an earlier version is not ready, and says so; on that of a later one it is', async () => {
    const other = await createTestApp();
    const { db } = other.database;
    await db.execute(sql`insert into migrations (id, hash) values (${newestMigration + 1}, 'of a later version')`);
    expect((await other.call('GET', '/readyz')).status).toBe(200);
    await db.execute(sql`delete from migrations where id >= ${newestMigration}`);
    const response = await other.call('GET', '/readyz');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ checks: { database: 'ok', migrations: 'failed' } });
  });

  test('a check for readiness leaves nothing in the stores', async () => {
    const { database, deps } = app;
    await app.call('GET', '/readyz');
    expect(rowsOf(await database.db.execute(sql`select * from blob_removals`))).toEqual([]);
    expect(await deps.keyShares.list()).toEqual([]);
  });

  test('metrics are for this machine, and not for callers through a local proxy', async () => {
    await app.call('GET', '/rest/v1/folders/a-secret-slug-of-mine');
    const numbers = await (await app.call('GET', '/metrics')).text();
    expect(numbers).toContain(
      'http_request_duration_seconds_count{method="GET",route="/rest/v1/folders/:slug",status="404"} 1',
    );
    expect(numbers).not.toContain('a-secret-slug-of-mine');
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      expect((await fetch(`${app.baseUrl}/metrics`, { headers: { [header]: '203.0.113.9' } })).status).toBe(404);
    }
  });

  test('metrics are for holders of the token, too, wherever they call from', async () => {
    const token = 'a token for metrics, as long as secrets must be';
    const watched = await createTestApp({ env: { METRICS_TOKEN: token } });
    const ask = async (authorization: string) => {
      const headers = { authorization, 'x-forwarded-for': '203.0.113.9' };
      return (await fetch(`${watched.baseUrl}/metrics`, { headers })).status;
    };
    expect(await ask(`Bearer ${token}`)).toBe(200);
    expect(await ask(`Bearer ${token}x`)).toBe(404);
    expect(await ask(token)).toBe(404);
  });

  test('metrics tell what the site holds, and what its limits refused', async () => {
    const watched = await createTestApp({ deps: { rateLimits: { reads: [{ max: 1, seconds: 3600 }] } } });
    const mika = await watched.signIn('mika');
    await watched.database.db.execute(
      sql`insert into blob_removals (blob_key, queued_at) values (gen_random_uuid(), now() - interval '90 seconds')`,
    );
    await watched.call('GET', '/auth/v1/user', { as: mika });
    expect((await watched.call('GET', '/auth/v1/user', { as: mika })).status).toBe(429);
    const figures = await (await watched.call('GET', '/metrics')).text();
    const figureOf = (series: string) =>
      Number(
        figures
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      );
    expect(figureOf('satchel_profiles')).toBe(1);
    expect(figureOf('satchel_purge_queue_blobs')).toBe(1);
    expect(figureOf('satchel_purge_queue_oldest_seconds')).toBeGreaterThanOrEqual(90);
    expect(figureOf('satchel_rate_limit_refusals_total{group="reads"}')).toBe(1);
    expect(figureOf('satchel_network_sent_bytes_total')).toBeGreaterThan(0);
    expect(figureOf('satchel_database_connections{state="idle"}')).toBeGreaterThan(0);
  });
});

describe('the log', () => {
  test('has a line per answer: the route and never the path, and a pseudonym of the person', async () => {
    const mika = await app.signIn('mika');
    await app.call('GET', '/rest/v1/folders/a-slug-canary-0123?q=canary', { as: mika });
    const line = JSON.parse(app.log.at(-1) ?? '{}');
    expect(line).toMatchObject({ route: '/rest/v1/folders/:slug', method: 'GET', status: 404, msg: 'answered' });
    expect(line.user).toMatch(/^[0-9a-f]{16}$/);
    expect(app.log.join()).not.toContain('canary');
    expect(app.log.join()).not.toContain(mika.profile_id);
  });

  test('of an unexpected error has its kind and place, and no value of the failed query', async () => {
    const broken = await createTestApp();
    const mika = await broken.signIn('mika');
    await broken.database.db.execute(sql`drop table temp_encryption_keys`);
    const { status, body } = await broken.rpc(
      'get_folder_complete_data',
      { input_folder_slug: 'a-slug-canary-0123' },
      mika,
    );
    expect(status).toBe(500);
    expect(body).toMatchObject({
      error: { code: 'unexpected', params: {}, message: 'An unexpected error occurred', status: 500 },
    });
    const log = broken.log.join();
    expect(log).toContain('"code":"42P01"');
    expect(log).not.toContain('canary');
  });
});

describe('malformed requests', () => {
  const post = (body: string) =>
    fetch(`${app.baseUrl}/rest/v1/rpc/get_folder_complete_data`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });

  test.each([
    ['{"input_folder_slug":', 400, 'request.invalid'],
    ['', 400, 'request.invalid'],
    ['[]', 400, 'request.invalid'],
    ['{"input_folder_slug":5}', 400, 'request.invalid'],
    ['{"__proto__":{"x":1}}', 400, 'request.invalid'],
    [JSON.stringify({ input_folder_slug: 'x'.repeat(2_000_000) }), 413, 'request.too_large'],
  ])('%.40s is answered %i %s', async (body, status, code) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  test('an address of invalid UTF-8 is refused without being repeated', async () => {
    const response = await fetch(`${app.baseUrl}/f/canary%E0%A4%A`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        code: 'request.invalid',
        params: { message: 'malformed' },
        message: 'Invalid request: malformed',
        status: 400,
        request_id: response.headers.get('x-request-id'),
      },
    });
  });

  test('an unknown path and an unknown method are Not Found in the words of the catalogue', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const response = await app.call(method, '/nothing');
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'request.not_found' } });
    }
  });
});

test('behind TLS the cookies are Secure and host-bound', async () => {
  const secure = await createTestApp({ env: { PUBLIC_URL: 'https://files.example.org', TRUST_PROXY: '127.0.0.1/32' } });
  const begun = await secure.call('GET', '/auth/v1/authorize?provider=discord');
  expect(begun.headers.getSetCookie().join()).toMatch(/^__Host-sign-in=.*Path=\/; HttpOnly; Secure; SameSite=Lax/);
  expect(new URL(begun.headers.get('location') ?? '').searchParams.get('redirect_uri')).toBe(
    'https://files.example.org/auth/v1/callback',
  );
  const mika = await secure.signIn('mika');
  expect(mika.cookie).toMatch(/^__Host-sid=/);
  expect((await secure.call('GET', '/auth/v1/user', { as: mika })).status).toBe(200);
  const ended = await secure.call('POST', '/auth/v1/logout', { as: mika });
  expect(ended.headers.getSetCookie().join()).toMatch(/^__Host-sid=; Max-Age=0; Path=\/; .*HttpOnly; Secure/);
});
