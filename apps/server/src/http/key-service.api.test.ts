import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateFolderOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyServiceApp } from '../app.ts';
import { type Config, parseConfig } from '../config.ts';
import { sweepKeys } from '../domain/key-sweep.ts';
import { rowsOf } from '../platform/db.ts';
import { createKeySealer } from '../platform/key-sealer.ts';
import { createKeyServiceClient, KEY_CALLS } from '../platform/key-service.ts';
import { createKeyShares, type KeptShares } from '../platform/key-shares.ts';
import { createTokens } from '../platform/tokens.ts';
import { hoursFromNow, newPassphrase } from '../testing/folders.ts';
import { letIn, setAccess } from '../testing/guests.ts';
import { filesWith } from '../testing/kept-bytes.ts';
import {
  type Account,
  createTestApp,
  DATABASES,
  freePort,
  openTestDatabase,
  type TestApp,
} from '../testing/test-app.ts';
import type { KeyedDeps, KeyServiceDeps } from './deps.ts';
import { createLogger } from './log.ts';

/** An application node and its key service: two apps on two ports and two directories, with one database. */

const SECRET = 'what the two know each other by, in this test';
const NOT_FOUND = { success: false, error: 'Key not found' };
const newPrivate = () => ({
  sealed_key: randomBytes(92).toString('base64url'),
  key_share: randomBytes(32).toString('base64url'),
});
const newKey = () => randomBytes(64).toString('hex');

describe.each(DATABASES)('a key service of its own, on %s', (kind) => {
  let node: TestApp;
  let mika: Account;
  let keysDir: string;
  let config: Config;
  let keyShares: KeptShares;
  let deps: KeyServiceDeps;
  let service: FastifyInstance;
  let serviceUrl: string;

  async function startService(): Promise<void> {
    service = createKeyServiceApp(deps);
    await service.listen({ port: config.port, host: '127.0.0.1' });
  }

  /** A node whose keys are with whoever listens at `url`. */
  async function startNode(url: string, options: { secret?: string; timeoutMs?: number; PORT?: string } = {}) {
    const { secret = SECRET, timeoutMs, PORT = String(await freePort()) } = options;
    const keyService = createKeyServiceClient({ url, secret, ...(timeoutMs && { timeoutMs }) });
    const elsewhere = { keyService, keyShares: keyService.keyShares, keySealer: keyService.keySealer };
    return createTestApp({
      env: {
        PORT,
        KEY_SERVICE_URL: url,
        KEY_SERVICE_SECRET: secret,
        KEY_SEALING_SECRET: '',
        DATABASE_URL: 'postgresql://the.one.that.is.handed.over/',
      },
      // The types of the product keep a node from asking for more than these have; a test's app has the lot elsewhere.
      deps: {
        database: { ...deps.database, close: async () => undefined },
        ...elsewhere,
      } as unknown as Partial<KeyedDeps>,
    });
  }

  beforeAll(async () => {
    keysDir = await mkdtemp(join(tmpdir(), 'satchel-key-service-'));
    const [port, PORT] = [await freePort(), String(await freePort())];
    serviceUrl = `http://127.0.0.1:${port}`;
    config = parseConfig({
      SATCHEL_ROLE: 'keys',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${PORT}`,
      DATA_DIR: keysDir,
      DATABASE_URL: 'postgresql://the.one.that.is.handed.over/',
      KEY_SERVICE_SECRET: SECRET,
    });
    keyShares = createKeyShares({ dir: config.keysDir });
    const database = await openTestDatabase(kind);
    const tokens = createTokens(Buffer.from('the session secret of the key service'));
    const keySealer = createKeySealer(Buffer.from('a sealing secret that no node has'));
    const logger = createLogger('silent');
    deps = { config, database, tokens, keyService: null, keyShares, keySealer, logger, rateLimits: {} };
    node = await startNode(serviceUrl, { PORT });
    await startService();
    mika = await node.signIn('mika');
  });
  afterAll(async () => {
    await service.close();
    await node.close();
    await deps.database.close();
    await rm(keysDir, { recursive: true, force: true });
  });

  const create = async (link: object) => {
    const { status, body } = await node.rpc<CreateFolderOutput>('create_folder_with_temp_key', link, mika);
    expect(status).toBe(201);
    return { folder: body.folder, path: `/bot/${body.folder.slug}/${body.temp_key_info!.api_token}` };
  };
  /** What the node answers, and the key service itself. */
  const ask = async (path: string, cookie = '') => {
    const askAt = async (url: string) => {
      const response = await fetch(url + path, { headers: { cookie } });
      return { status: response.status, body: (await response.json()) as unknown };
    };
    const [byNode, byService] = [await askAt(node.baseUrl), await askAt(serviceUrl)];
    expect(byNode).toEqual(byService);
    return byNode;
  };
  const prove = async (path: string, proof: string) => {
    const response = await node.call('POST', path, { body: { proof } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
  };
  const act = (name: string, folder: Folder, input: object = {}) =>
    node.rpc<{ error: { code: string } }>(name, { folder_id: folder.id, ...input }, mika);
  const sharesOf = async ({ id }: Folder) => (await keyShares.list()).filter(({ folder_id }) => folder_id === id);
  const run = async (statement: ReturnType<typeof sql>) => rowsOf(await deps.database.db.execute(statement));
  const sweepThere = async () => {
    const failures: unknown[] = [];
    const { db } = deps.database;
    await sweepKeys({ db, keyShares, tiers: config.tiers }, (error) => failures.push(error));
    expect(failures).toEqual([]);
  };
  /** Shares that a sweep takes for abandoned only once no request can be about to claim them. */
  const sweepLater = async () => {
    const list = async () => (await keyShares.list()).map((share) => ({ ...share, ageMs: share.ageMs + 6 * 60_000 }));
    const { db } = deps.database;
    await sweepKeys({ db, keyShares: { ...keyShares, list }, tiers: config.tiers }, (error) =>
      expect.fail(String(error)),
    );
  };

  test('the share of a private link is there, and nowhere on the node', async () => {
    const link = newPrivate();
    const { path } = await create(link);
    expect(await ask(path)).toEqual({ status: 200, body: { success: true, ...link, passphrase: false } });
    expect(await filesWith(keysDir, link.key_share)).toHaveLength(1);
    expect(await filesWith(node.config.dataDir, link.key_share)).toEqual([]);
    expect(await readdir(node.config.dataDir)).not.toContain('keys');
    expect((await node.call('GET', path)).headers.get('cache-control')).toBe('no-store');
  });

  test('the key of a Discord link is sealed there, opens through the node, and follows its folder’s end', async () => {
    const encryption_key = newKey();
    const { folder, path } = await create({ encryption_key });
    const found = { status: 200, body: { success: true, encryption_key } };
    expect(await ask(path)).toEqual(found);
    const sealed = async () =>
      (await run(sql`select * from temp_encryption_keys where folder_id = ${folder.id}::uuid`))[0];
    const before = await sealed();
    expect((await act('update_folder_settings', folder, { new_expires_at: hoursFromNow(2) })).status).toBe(200);
    expect(await sealed()).not.toEqual(before);
    expect(await ask(path)).toEqual(found);
    expect((await act('generate_temp_encryption_key', folder, { encrypted_key: newKey() })).status).toBe(201);
    expect(await ask(path)).toEqual({ status: 404, body: NOT_FOUND });
  });

  test('a passphrase is proven through the node, and its tries are counted', async () => {
    const [link, passphrase] = [newPrivate(), newPassphrase()];
    const { path } = await create({ ...link, ...passphrase.input });
    expect(await ask(path)).toEqual({ status: 200, body: { success: true, passphrase: true } });
    expect(await prove(path, newPassphrase().proof)).toMatchObject({ status: 403, body: { tries_left: 9 } });
    expect(await prove(path, passphrase.proof)).toMatchObject({ status: 200, body: { ...link, passphrase: true } });
    for (let tries = 8; tries >= 0; tries -= 1) {
      expect((await prove(path, newPassphrase().proof)).body).toMatchObject({ tries_left: tries });
    }
    const late = await prove(path, passphrase.proof);
    expect(late).toMatchObject({ status: 429, body: { tries_left: 0 } });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('what is no proof, and a page of another site, is refused there as it is here', async () => {
    const { path } = await create({ ...newPrivate(), ...newPassphrase().input });
    const post = async (body: string, headers: Record<string, string> = {}) =>
      (
        await fetch(node.baseUrl + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
        })
      ).status;
    const proof = JSON.stringify({ proof: newPassphrase().proof });
    expect(await post('{')).toBe(400);
    expect(await post('{"proof":"x"}')).toBe(400);
    expect(await post(JSON.stringify({ proof: 'x'.repeat(2000) }))).toBe(413);
    expect(await post(proof, { 'content-type': 'text/plain' })).toBe(415);
    expect(await post(proof, { origin: 'https://other.example.org' })).toBe(403);
  });

  test('a restricted folder gives its key to its owner and to whoever was let in, and to nobody else', async () => {
    const { folder, path } = await create(newPrivate());
    await setAccess(node, mika, folder, 'restricted');
    expect(await ask(path)).toEqual({ status: 404, body: NOT_FOUND });
    expect((await ask(path, (await node.signIn('jonas')).cookie)).status).toBe(404);
    expect((await ask(path, mika.cookie)).status).toBe(200);
    expect((await ask(path, await letIn(node, folder))).status).toBe(200);
  });

  test('a new link, revoking and deleting erase shares there at once', async () => {
    const [first, second] = [newPrivate(), newPrivate()];
    const { folder } = await create(first);
    expect((await act('generate_temp_encryption_key', folder, second)).status).toBe(201);
    expect(await filesWith(keysDir, first.key_share)).toEqual([]);
    expect(await filesWith(keysDir, second.key_share)).toHaveLength(1);
    const deleted = await create(newPrivate());
    expect((await act('revoke_temp_encryption_key', folder)).status).toBe(204);
    expect((await act('delete_folder_complete', deleted.folder)).status).toBe(204);
    for (const gone of [folder, deleted.folder]) expect(await sharesOf(gone)).toEqual([]);
    expect(await ask(deleted.path)).toEqual({ status: 404, body: NOT_FOUND });
  });

  test('shares of expired folders are erased there, whether or not a node is left to sweep', async () => {
    const { folder, path } = await create(newPrivate());
    await run(sql`update folders set expires_at = now() where id = ${folder.id}::uuid`);
    await run(sql`update temp_encryption_keys set expires_at = now() where folder_id = ${folder.id}::uuid`);
    expect(await ask(path)).toEqual({ status: 404, body: NOT_FOUND });
    await sweepThere();
    expect(await sharesOf(folder)).toEqual([]);
  });

  describe('its internal routes', () => {
    const folder_id = '11111111-1111-4111-8111-111111111111';
    const target = { folder_id, slug: 'x'.repeat(16), expires_at: hoursFromNow(1) };
    const share = `${KEY_CALLS.shares}/${folder_id}/22222222-2222-4222-8222-222222222222`;
    const CALLS: [method: string, path: string, body: object][] = [
      ['POST', KEY_CALLS.seal, { ...target, key: newKey() }],
      ['POST', KEY_CALLS.reseal, { ...target, sealed: 'v1.x', new_expires_at: hoursFromNow(2) }],
      ['PUT', share, { share: newPrivate().key_share }],
      ['DELETE', share, {}],
      ['DELETE', `${KEY_CALLS.shares}/${folder_id}`, {}],
    ];
    const callInternal = async (
      method: string,
      path: string,
      body: object | null,
      authorization: string,
      url = serviceUrl,
    ) => {
      const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
      const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
      const text = await response.text();
      return { status: response.status, body: text.startsWith('{') ? (JSON.parse(text) as { sealed?: string }) : null };
    };

    test.each(CALLS)('%s %s is for who has the secret', async (method, path, body) => {
      for (const authorization of [
        '',
        'Bearer ',
        `Bearer ${SECRET}x`,
        `Bearer ${SECRET.slice(1)}`,
        `Basic ${SECRET}`,
      ]) {
        expect((await callInternal(method, path, body, authorization)).status, authorization).toBe(401);
      }
      expect(await sharesOf({ id: folder_id } as Folder)).toEqual([]);
      expect([200, 204]).toContain((await callInternal(method, path, body, `Bearer ${SECRET}`)).status);
      await keyShares.eraseAll(folder_id);
    });

    test.each(CALLS)('%s %s is nowhere on a node', async (method, path, body) => {
      expect((await callInternal(method, path, body, `Bearer ${SECRET}`, node.baseUrl)).status).toBe(404);
    });

    test('give out no share, and open no key', async () => {
      await keyShares.write({ folder_id, share_id: '22222222-2222-4222-8222-222222222222' }, 'a share');
      for (const [method, path] of [
        ['GET', share],
        ['GET', `${KEY_CALLS.shares}/${folder_id}`],
        ['POST', '/keys/v1/open'],
      ]) {
        expect((await callInternal(method!, path!, null, `Bearer ${SECRET}`)).status).toBe(404);
      }
      await keyShares.eraseAll(folder_id);
    });

    test('take no ids that would make another path', async () => {
      for (const id of ['..%2F..%2Fsecrets', `${folder_id}%00`, 'x']) {
        const { status } = await callInternal(
          'PUT',
          `${KEY_CALLS.shares}/${id}/${folder_id}`,
          { share: 'x' },
          `Bearer ${SECRET}`,
        );
        expect(status).toBe(400);
      }
    });

    test('give a sealed key another end while it lasts, and revive none that has expired', async () => {
      const key = newKey();
      const { body } = await callInternal('POST', KEY_CALLS.seal, { ...target, key }, `Bearer ${SECRET}`);
      const new_expires_at = hoursFromNow(2);
      const reseal = async (input: object) =>
        (await callInternal('POST', KEY_CALLS.reseal, { ...target, new_expires_at, ...input }, `Bearer ${SECRET}`)).body
          ?.sealed;
      const resealed = await reseal({ sealed: body?.sealed });
      const longer = { ...target, expires_at: new Date(new_expires_at) };
      expect(deps.keySealer.open(resealed!, longer)).toBe(key);
      expect(await reseal({ sealed: body?.sealed, slug: 'y'.repeat(16) })).toBeNull();

      const expires_at = new Date(Date.now() - 1000);
      const expired = await deps.keySealer.seal(key, { ...target, expires_at });
      expect(await reseal({ sealed: expired, expires_at: expires_at.toISOString() })).toBeNull();
    });

    test('are all that it serves beside keys and what operators ask', async () => {
      for (const path of [
        '/',
        '/auth/v1/session',
        '/rest/v1/profiles/me',
        '/storage/v1/upload/resumable',
        '/f/x',
        '/docs',
      ]) {
        expect((await fetch(serviceUrl + path)).status, path).toBe(404);
      }
      for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(serviceUrl + path)).status).toBe(200);
    });
  });

  test('an address that can’t be a key’s is no call to it', async () => {
    const asked: string[] = [];
    const listener = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as { port: number };
    const other = await startNode(`http://127.0.0.1:${port}`);
    const token = 'x'.repeat(43);
    for (const path of [
      '%2e%2e/metrics',
      `%2e%2e%2fkeys/${token}`,
      `${'x'.repeat(16)}/%2e%2e`,
      `${'x'.repeat(16)}/a%2fb`,
    ]) {
      // fetch would tidy the path up before it sends it.
      const outgoing = get(other.baseUrl, { path: `/bot/${path}` });
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      expect(response.statusCode, path).toBe(404);
      response.destroy();
    }
    expect(asked).toEqual([]);
    await other.close();
    listener.close();
  });

  describe('while it does not answer', () => {
    const REFUSED = { status: 503, body: { error: { code: 'request.unavailable' } } };
    const counted = async () =>
      (
        await run(sql`select (select count(*) from folders) as folders, (select count(*) from slugs) as slugs,
        (select count(*) from temp_encryption_keys) as keys`)
      )[0];

    async function expectNoFolder(app: TestApp): Promise<void> {
      const before = await counted();
      for (const link of [newPrivate(), { encryption_key: newKey() }]) {
        expect(await app.rpc('create_folder_with_temp_key', link, mika)).toMatchObject(REFUSED);
      }
      expect(await counted()).toEqual(before);
    }

    test('no encrypted folder is made, and nothing is left of the try; a plain one is', async () => {
      const shares = await keyShares.list();
      await service.close();
      await expectNoFolder(node);
      const refused = await node.call('POST', '/rest/v1/rpc/create_folder_with_temp_key', {
        as: mika,
        body: newPrivate(),
      });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await node.rpc('create_folder_with_temp_key', {}, mika)).status).toBe(201);
      await startService();
      expect(await keyShares.list()).toHaveLength(shares.length);
    });

    test('keys are out of reach for a while, and links stay as they are', async () => {
      const [priv, discord] = [await create(newPrivate()), await create({ encryption_key: newKey() })];
      await service.close();
      const response = await node.call('GET', priv.path);
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await prove(priv.path, newPassphrase().proof)).toMatchObject(REFUSED);
      const shorter = { new_expires_at: hoursFromNow(1) };
      expect(await act('update_folder_settings', discord.folder, shorter)).toMatchObject(REFUSED);
      expect((await act('update_folder_settings', discord.folder, { new_name: 'Renamed' })).status).toBe(200);
      expect((await act('update_folder_settings', priv.folder, shorter)).status).toBe(200);
      expect(await act('generate_temp_encryption_key', priv.folder, newPrivate())).toMatchObject(REFUSED);
      await startService();
      expect((await ask(priv.path)).status).toBe(200);
      expect((await ask(discord.path)).status).toBe(200);
    });

    test('folders are deleted and links revoked all the same, and their shares erased once it is back', async () => {
      const [deleted, revoked, kept] = [
        await create(newPrivate()),
        await create(newPrivate()),
        await create(newPrivate()),
      ];
      await service.close();
      expect((await act('delete_folder_complete', deleted.folder)).status).toBe(204);
      expect((await act('revoke_temp_encryption_key', revoked.folder)).status).toBe(204);
      await startService();
      for (const { path } of [deleted, revoked]) expect(await ask(path)).toEqual({ status: 404, body: NOT_FOUND });
      await sweepLater();
      for (const { folder } of [deleted, revoked]) expect(await sharesOf(folder)).toEqual([]);
      expect(await sharesOf(kept.folder)).toHaveLength(1);
    });

    test('an account stays until its shares can be erased, too', async () => {
      const lena = await node.signIn('lena');
      await node.rpc('create_folder_with_temp_key', newPrivate(), lena);
      await service.close();
      expect((await node.call('DELETE', '/rest/v1/profiles/me', { as: lena })).status).toBe(503);
      await startService();
      expect((await node.call('DELETE', '/rest/v1/profiles/me', { as: lena })).status).toBe(204);
    });

    test.each([
      ['takes the call and says nothing', () => undefined],
      [
        'says something else',
        (response: { end(text: string): void }) => response.end('Welcome to our hotel’s network'),
      ],
    ])('as one that %s, nobody waits for it for long', async (_what, answer) => {
      const silent: Server = createServer((_request, response) => answer(response));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as { port: number };
      const other = await startNode(`http://127.0.0.1:${port}`, { timeoutMs: 100 });
      await expectNoFolder(other);
      expect((await other.call('GET', `/bot/${'x'.repeat(16)}/${'x'.repeat(43)}`)).status).toBe(503);
      silent.closeAllConnections();
      silent.close();
      await other.close();
    });
  });

  test('a node with another secret makes nothing, and the log says why', async () => {
    const other = await startNode(serviceUrl, { secret: 'another secret, of another installation' });
    const { status } = await other.rpc('create_folder_with_temp_key', newPrivate(), mika);
    expect(status).toBe(503);
    expect(other.log.join()).toContain('status_401');
    expect(other.log.join()).not.toContain('another secret');
    await other.close();
  });
});
