import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createRateLimiter } from '../../src/domain/base/rate-limits.ts';
import type { RateGroup, RateLimits } from '../../src/http/rate-limits.ts';
import { rowsOf } from '../../src/platform/database/db.ts';
import { openTestDatabase } from '../support/at-end.ts';
import { codeOf, createTus, freshName, makeFolder, someBytes } from '../support/storage-kit.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

const FORWARDED = { TRUST_PROXY: '127.0.0.1' };
const few = (...groups: RateGroup[]): RateLimits =>
  Object.fromEntries(groups.map((group) => [group, [{ max: 2, seconds: 3600 }]]));

const start = (rateLimits: RateLimits, env: Record<string, string> = {}) =>
  createTestApp({ env, deps: { rateLimits } });
const statuses = async (times: number, ask: () => Promise<Response>) => {
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const response = await ask();
    all.push(response.status);
    await response.body?.cancel();
  }
  return all;
};
const from = (running: TestApp, address: string, path: string) =>
  fetch(running.baseUrl + path, { headers: { 'x-forwarded-for': address }, redirect: 'manual' });

describe('a client above its limit', () => {
  test('gets 429, and how long to wait', async () => {
    const { call } = await start(few('reads'));
    const session = () => call('GET', '/auth/v1/session');
    expect(await statuses(2, session)).toEqual([200, 200]);
    const refused = await session();
    expect(refused.status).toBe(429);
    const waitSeconds = Number(refused.headers.get('retry-after'));
    expect(waitSeconds).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      error: { code: 'request.too_many', params: { retry_after_seconds: waitSeconds } },
    });
  });

  test('is refused before any look-up, whether or not the route exists', async () => {
    const { call } = await start(few('any'));
    expect(await statuses(3, () => call('GET', '/rest/v1/nothing'))).toEqual([404, 404, 429]);
    expect((await call('GET', '/healthz')).status).toBe(429);
  });

  test('of a folder’s key gets the answer in that service’s shape', async () => {
    const { call } = await start(few('keys'));
    const ask = (method: string, body?: object) => call(method, '/bot/0123456789abcdef/token', body ? { body } : {});
    expect(await statuses(2, () => ask('GET'))).toEqual([404, 404]);
    for (const refused of [await ask('GET'), await ask('POST', { proof: 'p'.repeat(43) })]) {
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({ success: false, retry_after_seconds: expect.any(Number) });
    }
  });

  test('of uploads gets 429 as on every other route, and how long to wait', async () => {
    const running = await start(few('upload_create', 'upload_bytes'));
    const mika = await running.signIn('mika');
    const folder = await makeFolder(running, mika);
    const tus = createTus(running, mika);
    const url = await tus.create({ folder, name: freshName(), length: 30 });
    expect((await tus.patch(url, 0, someBytes(10))).status).toBe(204);
    expect((await tus.patch(url, 10, someBytes(10))).status).toBe(204);
    for (const refused of [await tus.patch(url, 20, someBytes(10)), await tus.terminate(url)]) {
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await codeOf(refused)).toBe('upload.throttled');
    }
    expect((await tus.post({ folder, name: freshName(), length: 30 })).status).toBe(201);
    expect((await tus.post({ folder, name: freshName(), length: 30 })).status).toBe(429);
  });

  test('is an account, or else a network', async () => {
    const running = await start(few('reads'), FORWARDED);
    const [mika, jonas] = [await running.signIn('mika'), await running.signIn('jonas')];
    const session = (headers: Record<string, string>) => () => fetch(`${running.baseUrl}/auth/v1/session`, { headers });
    for (const as of [mika, jonas]) expect(await statuses(3, session({ cookie: as.cookie }))).toEqual([200, 200, 429]);
    const address = (text: string) => session({ 'x-forwarded-for': text });
    expect(await statuses(3, address('192.0.2.1'))).toEqual([200, 200, 429]);
    expect(await statuses(1, address('192.0.2.2'))).toEqual([200]);
    expect(await statuses(2, address('2001:db8:1:2::1'))).toEqual([200, 200]);
    expect(await statuses(1, address('2001:db8:1:2:ffff::2'))).toEqual([429]);
    expect(await statuses(1, address('2001:db8:1:3::1'))).toEqual([200]);
  });

  test('changes nothing by claiming an address, if no proxy is trusted', async () => {
    const running = await start(few('reads'));
    for (const [address, status] of [
      ['192.0.2.1', 200],
      ['192.0.2.2', 200],
      ['192.0.2.3', 429],
    ] as const) {
      expect((await from(running, address, '/auth/v1/session')).status).toBe(status);
    }
  });

  test('adds only so much to one folder’s figures, and still counts in others', async () => {
    const running = await start(few('folder_events'));
    const mika = await running.signIn('mika');
    const [folder, other] = [await makeFolder(running, mika), await makeFolder(running, mika)];
    const tell = async (slug: string) =>
      (await running.rpc('record_folder_event', { folder_slug: slug, kind: 'download' })).status;
    expect([await tell(folder.slug), await tell(folder.slug), await tell(folder.slug)]).toEqual([204, 204, 429]);
    expect(await tell(other.slug)).toBe(204);
    const { body } = await running.rpc('get_folder_analytics', { folder_slug: folder.slug }, mika);
    expect(body).toMatchObject({ total_downloads: 2 });
  });
});

describe('several nodes', () => {
  test.each([2, 4])('%i of them add up a client’s requests, under a hash of its name', async (count) => {
    const database = await openTestDatabase();
    const failures: unknown[] = [];
    const hash = (text: string) => Buffer.from(text).toString('base64').slice(-20);
    const node = () => createRateLimiter({ db: database.db, hash, report: (error) => failures.push(error) });
    const nodes = Array.from({ length: count }, node);
    const others = [...nodes.keys()].slice(1);
    const limits = [{ max: 10, seconds: 86_400 }];
    const take = (at: number, times: number, client = '192.0.2.7') =>
      Array.from({ length: times }, () => nodes[at]!.take('reads', client, limits));
    const share = async () => {
      for (const limiter of nodes) await limiter.sync();
    };
    const shares = [take(0, 6), ...others.map((at) => take(at, 3 / others.length))];
    expect(shares.flat()).toEqual(Array(9).fill(0));
    await share();
    // Each reads the others' sums as it writes its own.
    expect(take(0, 2)).toEqual([0, 0]);
    await share();
    expect(take(0, 1)[0]).toBeGreaterThan(0);
    for (const at of others) {
      expect(take(at, 1)).toEqual([0]);
      await share();
      expect(take(at, 1)[0]).toBeGreaterThan(0);
    }
    expect(take(1, 1, '192.0.2.8')).toEqual([0]);
    const rows = rowsOf<{ counter: string; count: number }>(
      await database.db.execute(sql`select * from rate_counts order by count`),
    );
    expect(rows.map(({ count }) => count)).toEqual([11 + others.length]);
    expect(JSON.stringify(rows)).not.toContain('192.0.2.7');
    expect(failures).toEqual([]);
  });
});
