import { readdir } from 'node:fs/promises';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createKeyServiceApp } from '../../src/app.ts';
import { beginSession } from '../../src/domain/accounts/sessions.ts';
import { KEY_CALLS } from '../../src/platform/keys/key-service.ts';
import { filesWith } from '../support/database/kept-bytes.ts';
import { letIn, setAccess } from '../support/discord/guests.ts';
import { hoursFromNow, newKey, newPassphrase, newPrivate } from '../support/folders.ts';
import { createKeyCalls, createKeyServiceSite, NODE_SECRET } from '../support/keys/key-service-site.ts';
import type { Account } from '../support/test-app.ts';

/** Keys on another machine than the node: all requests go to the node (decision 012). */

const NOT_FOUND = { success: false, error: 'Key not found' };

const site = await createKeyServiceSite();
const { node, owner: mika } = site;

describe('a separate key service', () => {
  const { create, ask, prove, act, sharesOf, run } = createKeyCalls(site);

  test('the share of a private link is there, and nowhere on the node', async () => {
    const link = newPrivate();
    const { path } = await create(link);
    expect(await ask(path)).toEqual({ status: 200, body: { success: true, ...link, passphrase: false } });
    expect(await filesWith(site.dataDir, link.key_share)).toHaveLength(1);
    expect(await filesWith(node.config.dataDir, link.key_share)).toEqual([]);
    expect(await readdir(node.config.dataDir)).not.toContain('keys');
    expect((await node.call('GET', path)).headers.get('cache-control')).toBe('no-store');
  });

  test('the key of a Discord link is sealed there, opens through the node, and follows its folder’s end', async () => {
    const encryption_key = newKey();
    const earlier_keys = Array.from({ length: 15 }, newKey);
    const { folder, path } = await create({ encryption_key, earlier_keys });
    const found = { status: 200, body: { success: true, encryption_key, earlier_keys } };
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
    expect(await prove(path, newPassphrase().proof)).toMatchObject({ status: 403, body: { tries_left: 4 } });
    expect(await prove(path, passphrase.proof)).toMatchObject({ status: 200, body: { ...link, passphrase: true } });
    for (let tries = 3; tries >= 0; tries -= 1) {
      expect((await prove(path, newPassphrase().proof)).body).toMatchObject({ tries_left: tries });
    }
    const late = await prove(path, passphrase.proof);
    expect(late).toMatchObject({ status: 429, body: { tries_left: 0 } });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('a malformed proof, and a page of another site, is refused there as it is here', async () => {
    const passphrase = newPassphrase();
    const { path } = await create({ ...newPrivate(), ...passphrase.input });
    const post = async (body: string, headers: Record<string, string> = {}) =>
      (
        await fetch(node.baseUrl + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
        })
      ).status;
    const proof = JSON.stringify({ proof: passphrase.proof });
    expect(await post('{')).toBe(400);
    expect(await post('{"proof":"x"}')).toBe(400);
    expect(await post(JSON.stringify({ proof: 'x'.repeat(2000) }))).toBe(413);
    expect(await post(proof, { 'content-type': 'text/plain' })).toBe(415);
    expect(await post(proof, { origin: 'https://other.example.org' })).toBe(403);
    expect(await post(proof, { origin: node.config.publicUrl })).toBe(200);
  });

  test('a restricted folder gives its key to its owner, in a browser or a command line, and its guests only', async () => {
    const { folder, path } = await create(newPrivate());
    await setAccess(node, mika, folder, 'restricted');
    expect(await ask(path)).toEqual({ status: 404, body: NOT_FOUND });
    expect((await ask(path, (await node.signIn('jonas')).cookie)).status).toBe(404);
    expect((await ask(path, mika.cookie)).status).toBe(200);
    expect((await ask(path, await letIn(node, folder))).status).toBe(200);
    const asDeviceOf = async ({ profile_id }: Account) => {
      const { token } = await beginSession(node.database.db, profile_id, 'laptop', 'device');
      return (await fetch(node.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })).status;
    };
    expect([await asDeviceOf(mika), await asDeviceOf(await node.signIn('jonas'))]).toEqual([200, 404]);
  });

  test('a new link, revoking and deleting delete shares there at once', async () => {
    const [first, second] = [newPrivate(), newPrivate()];
    const { folder } = await create(first);
    expect((await act('generate_temp_encryption_key', folder, second)).status).toBe(201);
    expect(await filesWith(site.dataDir, first.key_share)).toEqual([]);
    expect(await filesWith(site.dataDir, second.key_share)).toHaveLength(1);
    const deleted = await create(newPrivate());
    expect((await act('revoke_temp_encryption_key', folder)).status).toBe(204);
    expect((await act('delete_folder_complete', deleted.folder)).status).toBe(204);
    for (const gone of [folder, deleted.folder]) expect(await sharesOf(gone)).toEqual([]);
    expect(await ask(deleted.path)).toEqual({ status: 404, body: NOT_FOUND });
  });

  test('shares of expired folders are deleted there, whether or not a node runs to sweep', async () => {
    const { folder, path } = await create(newPrivate());
    await run(sql`update folders set expires_at = now() where id = ${folder.id}::uuid`);
    await run(sql`update temp_encryption_keys set expires_at = now() where folder_id = ${folder.id}::uuid`);
    expect(await ask(path)).toEqual({ status: 404, body: NOT_FOUND });
    await site.sweep();
    expect(await sharesOf(folder)).toEqual([]);
  });

  test('direct callers have a rate limit; requests that a node has counted are not counted again', async () => {
    const limited = createKeyServiceApp({ ...site.deps, rateLimits: { keys: [{ max: 2, seconds: 3600 }] } });
    const url = `/bot/${'x'.repeat(16)}/${'x'.repeat(43)}`;
    const askTimes = async (times: number, headers: Record<string, string>) => {
      const statuses: number[] = [];
      for (let n = 0; n < times; n += 1)
        statuses.push((await limited.inject({ method: 'GET', url, headers })).statusCode);
      return statuses;
    };
    expect(await askTimes(4, { authorization: `Bearer ${NODE_SECRET}` })).toEqual([404, 404, 404, 404]);
    expect(await askTimes(3, { authorization: 'Bearer of a stranger' })).toEqual([404, 404, 429]);
    await limited.close();
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
      url = site.url,
    ) => {
      const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
      const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
      const text = await response.text();
      return { status: response.status, body: text.startsWith('{') ? (JSON.parse(text) as { sealed?: string }) : null };
    };

    test.each(CALLS)('%s %s needs the secret', async (method, path, body) => {
      for (const authorization of [
        '',
        'Bearer ',
        `Bearer ${NODE_SECRET}x`,
        `Bearer ${NODE_SECRET.slice(1)}`,
        `Basic ${NODE_SECRET}`,
      ]) {
        expect((await callInternal(method, path, body, authorization)).status, authorization).toBe(401);
      }
      expect(await sharesOf({ id: folder_id } as Folder)).toEqual([]);
      expect([200, 204]).toContain((await callInternal(method, path, body, `Bearer ${NODE_SECRET}`)).status);
      await site.deps.keyShares.deleteAll(folder_id);
    });

    test.each(CALLS)('%s %s does not exist on a node', async (method, path, body) => {
      expect((await callInternal(method, path, body, `Bearer ${NODE_SECRET}`, node.baseUrl)).status).toBe(404);
    });

    test('give out no share, and open no key', async () => {
      await site.deps.keyShares.write({ folder_id, share_id: '22222222-2222-4222-8222-222222222222' }, 'a share');
      for (const [method, path] of [
        ['GET', share],
        ['GET', `${KEY_CALLS.shares}/${folder_id}`],
        ['POST', '/keys/v1/open'],
      ]) {
        expect((await callInternal(method!, path!, null, `Bearer ${NODE_SECRET}`)).status).toBe(404);
      }
      await site.deps.keyShares.deleteAll(folder_id);
    });

    test('take no ids that would make another path', async () => {
      for (const id of ['..%2F..%2Fsecrets', `${folder_id}%00`, 'x']) {
        const { status } = await callInternal(
          'PUT',
          `${KEY_CALLS.shares}/${id}/${folder_id}`,
          { share: 'x' },
          `Bearer ${NODE_SECRET}`,
        );
        expect(status).toBe(400);
      }
    });

    test('give a sealed key another end while it lasts, and never revive an expired one', async () => {
      const key = newKey();
      const { body } = await callInternal('POST', KEY_CALLS.seal, { ...target, key }, `Bearer ${NODE_SECRET}`);
      const new_expires_at = hoursFromNow(2);
      const reseal = async (input: object) =>
        (await callInternal('POST', KEY_CALLS.reseal, { ...target, new_expires_at, ...input }, `Bearer ${NODE_SECRET}`))
          .body?.sealed;
      const resealed = await reseal({ sealed: body?.sealed });
      const longer = { ...target, expires_at: new Date(new_expires_at) };
      expect(site.deps.keySealer.open(resealed!, longer)).toBe(key);
      expect(await reseal({ sealed: body?.sealed, slug: 'y'.repeat(16) })).toBeNull();

      const expires_at = new Date(Date.now() - 1000);
      const expired = await site.deps.keySealer.seal(key, { ...target, expires_at });
      expect(await reseal({ sealed: expired, expires_at: expires_at.toISOString() })).toBeNull();
    });

    test('are all that it serves beside keys and operators’ routes', async () => {
      for (const path of [
        '/',
        '/auth/v1/session',
        '/rest/v1/profiles/me',
        '/storage/v1/upload/resumable',
        '/f/x',
        '/docs',
      ]) {
        expect((await fetch(site.url + path)).status, path).toBe(404);
      }
      for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(site.url + path)).status).toBe(200);
    });
  });
});
