import { once } from 'node:events';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import type { WireError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { createKeyServiceSite } from '../support/keys/key-service-site.ts';
import { createTus, freshName, makeFolder, OBJECT } from '../support/storage-kit.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { openSocket } from '../support/uploads/socket-kit.ts';

/** Every answer can be found in the log. */

const ID = /^[0-9a-f]{16}$/;
const app = await createTestApp();
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

test('a failure inside has the same id in its line and in that of the answer', async () => {
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
