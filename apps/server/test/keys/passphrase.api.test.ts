import { randomUUID } from 'node:crypto';
import type { CreateFolderOutput, FolderCompleteData } from '@satchel/contract/api';
import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { createApp } from '../../src/app.ts';
import { transactionsOf } from '../support/faults.ts';
import { DISCORD_KEY, newPassphrase, PRIVATE_KEY } from '../support/folders.ts';
import { expire } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp({ env: { TRUST_PROXY: '127.0.0.1' } });
const mika = await app.signIn('mika');

describe('a passphrase', () => {
  const { query } = app;
  const create = async (link: object) => {
    const { status, body } = await app.rpc<CreateFolderOutput>('create_folder_with_temp_key', link, mika);
    expect(status).toBe(201);
    return { folder: body.folder, path: `/bot/${body.folder.slug}/${body.temp_key_info?.api_token}` };
  };
  const protect = async () => {
    const passphrase = newPassphrase();
    return { ...(await create({ ...PRIVATE_KEY, ...passphrase.input })), proof: passphrase.proof };
  };
  const answerOf = async (response: Response) => ({
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    cacheControl: response.headers.get('cache-control'),
    body: (await response.json()) as unknown,
  });
  const prove = async (path: string, proof: unknown, address = '198.51.100.1') => {
    const headers = {
      origin: app.config.publicUrl,
      'content-type': 'application/json',
      'x-forwarded-for': address,
      // Believed only from a node of ours.
      'x-satchel-client': randomUUID(),
    };
    return answerOf(await fetch(app.baseUrl + path, { method: 'POST', headers, body: JSON.stringify({ proof }) }));
  };
  let guesses = 0;
  /** From a new address each time, unless one is given. */
  const guess = (path: string, address = `192.0.2.${++guesses % 250}`) => prove(path, newPassphrase().proof, address);
  const triesCounted = async (id: string) =>
    (await query(sql`select * from passphrase_tries where folder_id = ${id}::uuid`)).length;
  const useUp = async (path: string) => {
    for (let left = 9; left >= 0; left -= 1) {
      expect(await guess(path)).toMatchObject({
        status: 403,
        body: { success: false, error: 'Wrong passphrase', tries_left: Math.min(left, 4) },
      });
    }
  };
  const RELEASED = { status: 200, body: { success: true, ...PRIVATE_KEY, passphrase: true } };
  const NOT_FOUND = { status: 404, body: { success: false, error: 'Key not found' } };
  const USED_UP = {
    status: 429,
    body: { success: false, error: expect.stringContaining('No tries left'), tries_left: 0 },
  };

  test('nothing is released before it is proven, and the folder’s data say that there is one', async () => {
    const { folder, path } = await protect();
    const response = await app.call('GET', path);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ success: true, passphrase: true });
    const { body } = await app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: folder.slug });
    expect(body).toMatchObject({ folder_link_mode: 'private', temp_key_passphrase: true });
  });

  test('people who know it get what opens the link, signed in or not, and no cache stores the answer', async () => {
    const { path, proof } = await protect();
    const answer = await prove(path, proof);
    expect(answer).toMatchObject({ ...RELEASED, cacheControl: 'no-store' });
    const asSomebody = await app.call('POST', path, { as: await app.signIn('jonas'), body: { proof } });
    expect(asSomebody.status).toBe(200);
  });

  test('a wrong one is told how many tries are left; a right one costs none', async () => {
    const { folder, path, proof } = await protect();
    const me = '198.51.100.1';
    expect(await guess(path, me)).toMatchObject({ status: 403, body: { tries_left: 4 }, cacheControl: 'no-store' });
    for (let times = 0; times < 12; times += 1) expect(await prove(path, proof, me)).toMatchObject(RELEASED);
    expect(await guess(path, me)).toMatchObject({ status: 403, body: { tries_left: 3 } });
    expect(await triesCounted(folder.id)).toBe(2);
  });

  test('after ten wrong ones even people who know it wait; other folders don’t', async () => {
    const { folder, path, proof } = await protect();
    const other = await protect();
    await useUp(path);
    for (const tried of [proof, newPassphrase().proof]) {
      const answer = await prove(path, tried);
      expect(answer).toMatchObject(USED_UP);
      expect(Number(answer.retryAfter)).toBeGreaterThan(3500);
      expect(Number(answer.retryAfter)).toBeLessThanOrEqual(3600);
      expect(answer.body).toMatchObject({ retry_after_seconds: Number(answer.retryAfter) });
    }
    expect(await triesCounted(folder.id)).toBe(10);
    expect(await prove(other.path, other.proof)).toMatchObject(RELEASED);
    // Without a proof it still only says that one is needed.
    expect((await app.call('GET', path)).status).toBe(200);
  });

  test('one client uses up only its own five tries, from any address of its network, and locks no one out', async () => {
    const { folder, path, proof } = await protect();
    const other = await protect();
    for (let left = 4; left >= 0; left -= 1) {
      expect(await guess(path, `2001:db8::${left}`)).toMatchObject({ status: 403, body: { tries_left: left } });
    }
    for (const tried of [proof, newPassphrase().proof]) {
      const answer = await prove(path, tried, '2001:db8::ffff');
      expect(answer).toMatchObject(USED_UP);
      expect(Number(answer.retryAfter)).toBeGreaterThan(3500);
    }
    expect(await triesCounted(folder.id)).toBe(5);
    expect(await prove(path, proof, '2001:db8:0:1::1')).toMatchObject(RELEASED);
    expect(await guess(other.path, '2001:db8::1')).toMatchObject({ status: 403, body: { tries_left: 4 } });
    const kept = JSON.stringify(await query(sql`select * from passphrase_tries`));
    expect(kept).not.toContain('2001:db8');
    // The rows don't reveal that the same client tried in two folders.
    const clients = await query<{ folders: string }>(
      sql`select count(distinct folder_id) as folders from passphrase_tries group by client`,
    );
    expect(clients.every(({ folders }) => Number(folders) === 1)).toBe(true);
  });

  test('a restart gives no new tries', async () => {
    const { path, proof } = await protect();
    await useUp(path);
    const restarted = createApp(app.deps);
    const answer = await restarted.inject({ method: 'POST', url: path, payload: { proof } });
    expect(answer.statusCode).toBe(429);
    await restarted.close();
  });

  test('as the window moves on, each expired try comes back', async () => {
    const { folder, path, proof } = await protect();
    await useUp(path);
    const oldest = sql`id = (select id from passphrase_tries where folder_id = ${folder.id}::uuid order by tried_at limit 1)`;
    await query(sql`update passphrase_tries set tried_at = tried_at - interval '59 minutes' where ${oldest}`);
    const waiting = await prove(path, proof);
    expect(waiting).toMatchObject(USED_UP);
    expect(Number(waiting.retryAfter)).toBeLessThanOrEqual(60);
    await query(sql`update passphrase_tries set tried_at = tried_at - interval '2 minutes' where ${oldest}`);
    expect(await prove(path, proof)).toMatchObject(RELEASED);
    expect(await guess(path)).toMatchObject({ status: 403, body: { tries_left: 0 } });
    expect(await prove(path, proof)).toMatchObject(USED_UP);
  });

  test('guessing at once gives no more tries than one after the other', async () => {
    const { folder, path } = await protect();
    const answers = await Promise.all(Array.from({ length: 24 }, () => guess(path)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(403), ...Array(14).fill(429)]);
    expect(await triesCounted(folder.id)).toBe(10);
  });

  test.each(['', 'short', 'x'.repeat(44), '+'.repeat(43), null, 7, undefined])(
    'the malformed proof %j costs no try',
    async (proof) => {
      const { folder, path } = await protect();
      expect(await prove(path, proof)).toMatchObject({ status: 400, body: { success: false } });
      expect(await triesCounted(folder.id)).toBe(0);
    },
  );

  test('under a wrong address there is nothing to guess', async () => {
    const { folder, path, proof } = await protect();
    const other = await protect();
    const token = other.path.split('/').at(-1);
    for (const bad of [
      `${path}x`,
      `/bot/${folder.slug}/${token}`,
      `/bot/nothing-of-this-name/${token}`,
      '/bot/%00/x',
    ]) {
      expect(await prove(bad, proof)).toMatchObject(NOT_FOUND);
    }
    expect(await triesCounted(folder.id)).toBe(0);
  });

  test('expired and revoked folders have no key to prove anything for', async () => {
    const [expired, revoked] = [await protect(), await protect()];
    await expire(app, expired.folder);
    await app.rpc('revoke_temp_encryption_key', { folder_id: revoked.folder.id }, mika);
    for (const { path, proof } of [expired, revoked]) expect(await prove(path, proof)).toMatchObject(NOT_FOUND);
  });

  test('a private link without a passphrase takes any proof, and other folders take none', async () => {
    const { proof } = newPassphrase();
    const [open, discord, plain] = [await create(PRIVATE_KEY), await create(DISCORD_KEY), await create({})];
    // Checking a needless proof neither waits for a folder's lock nor holds one.
    const transaction = vi.spyOn(transactionsOf(app.database.db), 'transaction');
    expect(await prove(open.path, proof)).toMatchObject({
      status: 200,
      body: { success: true, ...PRIVATE_KEY, passphrase: false },
    });
    for (const { path } of [discord, plain]) expect(await prove(path, proof)).toMatchObject(NOT_FOUND);
    expect(transaction).not.toHaveBeenCalled();
    transaction.mockRestore();
  });

  test('another site’s page can’t use up the tries', async () => {
    const { folder, path, proof } = await protect();
    const post = (headers: Record<string, string>, body = JSON.stringify({ proof: newPassphrase().proof })) =>
      fetch(app.baseUrl + path, { method: 'POST', headers, body });
    const json = { 'content-type': 'application/json' };
    for (const origin of ['https://elsewhere.example', 'null']) {
      const refused = await answerOf(await post({ ...json, origin }));
      expect(refused).toMatchObject({ status: 403, body: { success: false } });
      expect(refused.body).not.toHaveProperty('tries_left');
    }
    // What a page may send to other sites without a preflight.
    expect((await post({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post({ 'content-type': 'application/x-www-form-urlencoded' }, `proof=${proof}`)).status).toBe(415);
    expect(await triesCounted(folder.id)).toBe(0);
    // Programs other than browsers send no Origin.
    expect((await post(json, JSON.stringify({ proof }))).status).toBe(200);
  });

  test('a large body is refused before it is read', async () => {
    const { path } = await protect();
    expect((await prove(path, 'x'.repeat(5000))).status).toBe(413);
  });

  test('the server keeps only the proof’s hash, and logs neither', async () => {
    const { path, proof } = await protect();
    const wrong = newPassphrase().proof;
    await prove(path, proof);
    await prove(path, wrong);
    const dump = JSON.stringify([
      await query(sql`select * from temp_encryption_keys`),
      await query(sql`select * from passphrase_tries`),
    ]);
    for (const secret of [proof, wrong]) {
      expect(dump).not.toContain(secret);
      expect(app.log.join()).not.toContain(secret);
    }
    expect(app.log.join()).not.toContain(path);
  });
});
