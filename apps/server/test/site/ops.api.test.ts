import { once } from 'node:events';
import { connect, createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import type { WireError } from '@satchel/contract/errors';
import { SHARE_TARGET_PATH } from '@satchel/contract/paths';
import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import type { KeyedDeps } from '../../src/http/deps.ts';
import { newestMigration, rowsOf } from '../../src/platform/database/db.ts';
import { PROGRAM, programText } from '../../src/program.ts';
import { discordPageOf } from '../support/discord/sandbox.ts';
import { createKeyServiceSite } from '../support/keys/key-service-site.ts';
import { createTus, freshName, makeFolder, OBJECT } from '../support/storage-kit.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { openSocket } from '../support/uploads/socket-kit.ts';

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

  test('a server on the schema of an earlier version is not ready, and says so; on a later schema it is', async () => {
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
  expect((await discordPageOf(begun)).searchParams.get('redirect_uri')).toBe(
    'https://files.example.org/auth/v1/callback',
  );
  const mika = await secure.signIn('mika');
  expect(mika.cookie).toMatch(/^__Host-sid=/);
  expect((await secure.call('GET', '/auth/v1/user', { as: mika })).status).toBe(200);
  const ended = await secure.call('POST', '/auth/v1/logout', { as: mika });
  expect(ended.headers.getSetCookie().join()).toMatch(/^__Host-sid=; Max-Age=0; Path=\/; .*HttpOnly; Secure/);
});

/** Every answer can be found in the log. */
const ID = /^[0-9a-f]{16}$/;
const mika = await app.signIn('mika');
const folder = await makeFolder(app, mika);
const linesOf = (site: Pick<TestApp, 'log'>, id: string | null | undefined) =>
  site.log.map((line) => JSON.parse(line)).filter((line) => line.request === id);

test.each([
  ['a page of the API', 'GET', '/auth/v1/session', 200],
  ['an address that is none', 'GET', '/rest/v1/nothing', 404],
  ['an address that is no UTF-8', 'GET', '/rest/v1/folders/%ff', 400],
  ['a refused procedure', 'POST', '/rest/v1/rpc/delete_folder_complete', 401],
  ['a file that is not there', 'GET', `${OBJECT}/public/unlocked-folders/nothing/here`, 404],
])('%s has a request id: header, body of an error, and line in the log', async (_what, method, path, status) => {
  const response = await app.call(method, path, method === 'POST' ? { body: {} } : {});
  expect(response.status).toBe(status);
  const id = response.headers.get('x-request-id') ?? '';
  expect(id).toMatch(ID);
  const { error } = (await response.json()) as Partial<WireError>;
  if (status >= 400) expect(error?.request_id).toBe(id);
  await expect.poll(() => linesOf(app, id)).toMatchObject([{ msg: 'answered', status }]);
  expect(linesOf(app, id)[0].code).toBe(error?.code);
});

test('an upload that fails is found by what its sender got', async () => {
  const tus = createTus(app, mika);
  const refused = await tus.post({ folder, name: freshName(), length: 10 ** 15 });
  const { error } = (await refused.json()) as WireError;
  expect(refused.headers.get('x-request-id')).toBe(error.request_id);
  expect(linesOf(app, error.request_id)).toMatchObject([{ code: error.code, status: refused.status }]);
});

test('an upload socket that fails names its request, too', async () => {
  const client = await openSocket(app);
  client.begin('/00000000-0000-4000-8000-000000000000', 0, mika);
  const { error } = (await client.heard('error')) as unknown as WireError;
  expect(error.request_id).toMatch(ID);
  expect(linesOf(app, error.request_id)).toMatchObject([{ code: 'upload.not_found', status: 404 }]);
});

test('what is no HTTP is answered with a request id, and has a line', async () => {
  const socket = createConnection({ port: Number(new URL(app.baseUrl).port), host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.write('this is no HTTP\r\n\r\n');
  const answer = await text(socket);
  const [, id] = /^x-request-id: (.*)\r$/m.exec(answer) ?? [];
  expect(answer).toContain(`"request_id":"${id}"`);
  expect(linesOf(app, id)).toMatchObject([{ code: 'request.invalid', status: 400 }]);
});

test('a failure inside has the same id in its line and in the answer’s line', async () => {
  const broken = await createTestApp();
  await broken.database.close();
  const { headers } = await broken.call('POST', '/rest/v1/rpc/get_folder_complete_data', {
    body: { input_folder_slug: 'nothing-has-this-slug' },
  });
  const lines = linesOf(broken, headers.get('x-request-id') ?? '');
  expect(lines.map(({ level }) => level).sort()).toEqual(['error', 'info']);
});

test('no two have the same id, whoever asks and after a restart', async () => {
  const again = await createTestApp();
  const ids = new Set<string | null>();
  for (const site of [app, again]) {
    for (let time = 0; time < 20; time += 1) {
      const headers = { 'x-request-id': 'deadbeefdeadbeef', 'request-id': 'deadbeefdeadbeef' };
      ids.add((await fetch(`${site.baseUrl}/auth/v1/session`, { headers })).headers.get('x-request-id'));
    }
  }
  expect(ids.size).toBe(40);
  expect(ids).not.toContain('deadbeefdeadbeef');
});

test('a key service logs the id of the node that asks for a person', async () => {
  const { node, url, log } = await createKeyServiceSite();
  const path = '/bot/nothing-has-this-slug/AAAA';
  const response = await node.call('GET', path);
  expect(response.status).toBe(404);
  const id = response.headers.get('x-request-id');
  expect(linesOf(node, id)).toHaveLength(1);
  expect(linesOf({ log }, id)).toHaveLength(1);
  // Nobody else names a request.
  const stranger = await fetch(url + path, { headers: { 'x-request-id': 'deadbeefdeadbeef' } });
  expect(stranger.headers.get('x-request-id')).not.toBe('deadbeefdeadbeef');
});

test('probes and scrapes have no lines at info, unless they fail', async () => {
  const probed = await createTestApp();
  const before = probed.log.length;
  for (const path of ['/healthz', '/readyz', '/metrics']) expect((await probed.call('GET', path)).status).toBe(200);
  expect(probed.log.slice(before)).toEqual([]);
  await probed.database.close();
  expect((await probed.call('GET', '/readyz')).status).toBe(503);
  expect(probed.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'answered')).toMatchObject([
    { route: '/readyz', status: 503, code: 'request.unavailable' },
  ]);
});

test('a full disk is one line for each answer, without a stack', async () => {
  const full = await createTestApp({ env: { DISK_KEPT_FREE_BYTES: '1000TiB' } });
  const owner = await full.signIn('mika');
  const own = await makeFolder(full, owner);
  const before = full.log.length;
  const tus = createTus(full, owner);
  for (let time = 0; time < 3; time += 1) {
    expect((await tus.post({ folder: own, name: freshName(), length: 5 })).status).toBe(507);
  }
  const lines = full.log.slice(before).map((line) => JSON.parse(line));
  expect(lines.map(({ code }) => code)).toEqual(['storage.full', 'storage.full', 'storage.full']);
  expect(full.log.join()).not.toContain('"stack"');
});

/** What the server answers on a connection until it closes it, or until `isEnough` says so of the text so far. */
async function answerTo(lengthBytes: number, parts: readonly string[], isEnough = (_text: string) => false) {
  const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1');
  const head = [
    `POST ${SHARE_TARGET_PATH} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: multipart/form-data; boundary=x',
    `content-length: ${lengthBytes}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  for (const part of parts) socket.write(part);
  return new Promise<string>((resolve, reject) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (more) => {
      text += more;
      if (isEnough(text)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

const REDIRECT = /^HTTP\/1\.1 303 .*\r\nlocation: \/upload\?shared=unread\r\n/is;
test('files that another app shares past the service worker are refused before a byte of them has come', async () => {
  const answer = await answerTo(5_000_000_000, []);
  expect(answer).toMatch(REDIRECT);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
});

test('a browser that sends a few megabytes past the service worker gets its answer after them, on an open connection', async () => {
  const photo = 'x'.repeat(4_000_000);
  const next = 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
  const answer = await answerTo(photo.length, [photo, next], (text) => text.includes('HTTP/1.1 200'));
  expect(answer).toMatch(REDIRECT);
  expect(answer).toContain('HTTP/1.1 200');
});
