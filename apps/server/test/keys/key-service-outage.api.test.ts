import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { hoursFromNow, newKey, newPassphrase, newPrivate } from '../support/folders.ts';
import { createKeyCalls, createKeyServiceSite } from '../support/keys/key-service-site.ts';
import type { TestApp } from '../support/test-app.ts';

/** A node whose key service is unreachable, or is something else. */

const NOT_FOUND = { success: false, error: 'Key not found' };

const site = await createKeyServiceSite();
const { node, owner: mika } = site;

describe('a node without its key service', () => {
  const { create, ask, prove, act, sharesOf, run } = createKeyCalls(site);

  test('a malformed key address makes no call to it', async () => {
    const asked: string[] = [];
    const listener = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as { port: number };
    const other = await site.addNode(`http://127.0.0.1:${port}`);
    const token = 'x'.repeat(43);
    for (const path of [
      '%2e%2e/metrics',
      `%2e%2e%2fkeys/${token}`,
      `${'x'.repeat(16)}/%2e%2e`,
      `${'x'.repeat(16)}/a%2fb`,
    ]) {
      // fetch would normalize the path.
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

    test('the node is ready, since no other does better, and a deeper look names it until it is back', async () => {
      await site.stop();
      expect((await node.call('GET', '/readyz')).status).toBe(200);
      const response = await node.call('GET', '/readyz?deep');
      expect(response.status).toBe(503);
      const { checks } = (await response.json()) as { checks: Record<string, string> };
      expect(Object.keys(checks).filter((name) => checks[name] === 'failed')).toEqual(['key_service']);
      await site.start();
      const status = () => node.call('GET', '/readyz?deep').then((answer) => answer.status);
      await expect.poll(status).toBe(200);
    });

    test('no encrypted folder is created, and nothing of the attempt is left; a plain one is', async () => {
      const shares = await site.deps.keyShares.list();
      await site.stop();
      await expectNoFolder(node);
      const refused = await node.call('POST', '/rest/v1/rpc/create_folder_with_temp_key', {
        as: mika,
        body: newPrivate(),
      });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await node.rpc('create_folder_with_temp_key', {}, mika)).status).toBe(201);
      await site.start();
      expect(await site.deps.keyShares.list()).toHaveLength(shares.length);
    });

    test('keys are unreachable for a while, and links stay as they are', async () => {
      const [priv, discord] = [await create(newPrivate()), await create({ encryption_key: newKey() })];
      await site.stop();
      const response = await node.call('GET', priv.path);
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await prove(priv.path, newPassphrase().proof)).toMatchObject(REFUSED);
      const shorter = { new_expires_at: hoursFromNow(1) };
      expect(await act('update_folder_settings', discord.folder, shorter)).toMatchObject(REFUSED);
      expect((await act('update_folder_settings', discord.folder, { new_name: 'Renamed' })).status).toBe(200);
      expect((await act('update_folder_settings', priv.folder, shorter)).status).toBe(200);
      expect(await act('generate_temp_encryption_key', priv.folder, newPrivate())).toMatchObject(REFUSED);
      await site.start();
      expect((await ask(priv.path)).status).toBe(200);
      expect((await ask(discord.path)).status).toBe(200);
    });

    test('folders are deleted and links revoked all the same, and their shares deleted once it is back', async () => {
      const [deleted, revoked, kept] = [
        await create(newPrivate()),
        await create(newPrivate()),
        await create(newPrivate()),
      ];
      await site.stop();
      expect((await act('delete_folder_complete', deleted.folder)).status).toBe(204);
      expect((await act('revoke_temp_encryption_key', revoked.folder)).status).toBe(204);
      await site.start();
      for (const { path } of [deleted, revoked]) expect(await ask(path)).toEqual({ status: 404, body: NOT_FOUND });
      // Counts as abandoned only once no request can still claim them.
      await site.sweep(6 * 60_000);
      for (const { folder } of [deleted, revoked]) expect(await sharesOf(folder)).toEqual([]);
      expect(await sharesOf(kept.folder)).toHaveLength(1);
    });

    test('an account stays until its shares can be deleted, too', async () => {
      const lena = await node.signIn('lena');
      await node.rpc('create_folder_with_temp_key', newPrivate(), lena);
      await site.stop();
      expect((await node.call('DELETE', '/rest/v1/profiles/me', { as: lena })).status).toBe(503);
      await site.start();
      expect((await node.call('DELETE', '/rest/v1/profiles/me', { as: lena })).status).toBe(204);
    });

    test.each([
      ['takes the call and says nothing', () => undefined],
      [
        'answers with something else',
        (response: { end(text: string): void }) => response.end('Welcome to our hotel’s network'),
      ],
    ])('like one that %s, no request waits for long', async (_what, answer) => {
      const silent: Server = createServer((_request, response) => answer(response));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as { port: number };
      const other = await site.addNode(`http://127.0.0.1:${port}`, { timeoutMs: 100 });
      await expectNoFolder(other);
      expect((await other.call('GET', `/bot/${'x'.repeat(16)}/${'x'.repeat(43)}`)).status).toBe(503);
      silent.closeAllConnections();
      silent.close();
    });
  });

  test('while it is silent, other requests don’t wait', async () => {
    const waiting: unknown[] = [];
    const silent = createServer((_request, response) => waiting.push(response));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const other = await site.addNode(`http://127.0.0.1:${port}`, { timeoutMs: 50_000 });
    // More than the database has connections.
    const held = Array.from({ length: 12 }, () =>
      other.rpc('create_folder_with_temp_key', { encryption_key: newKey() }, mika),
    );
    await expect.poll(() => waiting.length).toBe(held.length);
    expect((await other.rpc('create_folder_with_temp_key', {}, mika)).status).toBe(201);
    silent.closeAllConnections();
    for (const { status } of await Promise.all(held)) expect(status).toBe(503);
    silent.close();
  });

  test('a node with another secret creates nothing, and the log says why', async () => {
    const other = await site.addNode(site.url, { secret: 'another secret, of another installation' });
    const { status } = await other.rpc('create_folder_with_temp_key', newPrivate(), mika);
    expect(status).toBe(503);
    expect(other.log.join()).toContain('status_401');
    expect(other.log.join()).not.toContain('another secret');
  });
});
