import { randomBytes } from 'node:crypto';
import type { Folder } from '@satchel/contract/entities';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { hashToken } from '../../src/platform/keys/tokens.ts';
import { folder_grants, folder_guests } from '../../src/platform/schema/links.ts';
import { createGrant, letIn, redeem, setAccess } from '../support/discord/guests.ts';
import { freePort } from '../support/free-port.ts';
import { codeOf, deleteFolder, expire, makeFolder, sweepAll } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** The way into a restricted folder. */

const REDEEM = '/discord/grants/redeem';

const app = await createTestApp();
const owner = await app.signIn('mika');

describe('grants of restricted folders', () => {
  let folder: Folder;

  beforeEach(async () => {
    folder = await makeFolder(app, owner);
    await setAccess(app, owner, folder, 'restricted');
  });

  const grantFor = (of: Folder) => createGrant(app.database.db, of.id);
  const grantsOf = (of: Folder) =>
    app.database.db.select().from(folder_grants).where(eq(folder_grants.folder_id, of.id));
  const guestsOf = (of: Folder) =>
    app.database.db.select().from(folder_guests).where(eq(folder_guests.folder_id, of.id));
  const statusFor = async (cookie: string, of = folder) =>
    (await fetch(`${app.baseUrl}/rest/v1/folders/${of.slug}`, { headers: { cookie } })).status;
  const age = (grant: string, by: string) =>
    app.database.db.execute(
      sql`update folder_grants set expires_at = expires_at - ${by}::interval where token_hash = ${hashToken(grant)}`,
    );
  const expectInvalid = async (response: Response) => {
    expect(response.status).toBe(404);
    expect(await codeOf(response)).toBe('grant.invalid');
    expect(response.headers.getSetCookie()).toEqual([]);
  };

  test('a grant opens its folder, and the answer names it', async () => {
    const response = await redeem(app, await grantFor(folder));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ folder_slug: folder.slug });
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^guest=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(await statusFor(cookie.split(';')[0]!)).toBe(200);
    expect(await statusFor('')).toBe(404);
  });

  test('behind https the cookie is bound to this host', async () => {
    const port = await freePort();
    const env = { PORT: String(port), PUBLIC_URL: 'https://satchel.example.org' };
    const secure = await createTestApp({ env });
    const account = await secure.signIn('mika');
    const made = await makeFolder(secure, account);
    await setAccess(secure, account, made, 'restricted');
    const response = await redeem(secure, await createGrant(secure.database.db, made.id));
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^__Host-guest=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  test('a browser holds one token for all folders that it was let into', async () => {
    const cookie = await letIn(app, folder);
    const another = await makeFolder(app, owner);
    await setAccess(app, owner, another, 'restricted');
    expect(await statusFor(cookie, another)).toBe(404);
    expect(await letIn(app, another, cookie)).toBe(cookie);
    expect(await statusFor(cookie, another)).toBe(200);
    expect(await statusFor(cookie)).toBe(200);
    expect(await letIn(app, folder, cookie)).toBe(cookie);
    expect(await guestsOf(folder)).toHaveLength(1);
  });

  test('a cookie with a foreign token is replaced', async () => {
    for (const value of ['short', 'x'.repeat(44), 'a=b', `${'a'.repeat(42)}%00`]) {
      expect(await letIn(app, folder, `guest=${value}`)).toMatch(/^guest=[\w-]{43}$/);
    }
  });

  test('neither a grant nor a holder’s token is in the database or the log', async () => {
    const grant = await grantFor(folder);
    const before = JSON.stringify(await grantsOf(folder));
    expect(before).toContain(hashToken(grant));
    expect(before).not.toContain(grant);
    const cookie = (await redeem(app, grant)).headers.getSetCookie()[0]!.split(';')[0]!;
    const token = cookie.replace('guest=', '');
    await statusFor(cookie);
    const after = JSON.stringify(await guestsOf(folder));
    expect(after).toContain(hashToken(token));
    expect(after).not.toContain(token);
    expect(app.log.join('')).toContain(REDEEM);
    for (const secret of [grant, token, hashToken(grant), hashToken(token)]) {
      expect(app.log.join('')).not.toContain(secret);
    }
  });

  test('a grant is good once', async () => {
    const grant = await grantFor(folder);
    expect((await redeem(app, grant)).status).toBe(200);
    await expectInvalid(await redeem(app, grant));
  });

  test('of twenty redemptions of one grant at once, one succeeds', async () => {
    const grant = await grantFor(folder);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(app, grant)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 404)]);
    expect(await guestsOf(folder)).toHaveLength(1);
  });

  test('a grant is good for five minutes by the database’s clock', async () => {
    const [early, late] = [await grantFor(folder), await grantFor(folder)];
    await age(early, '4 minutes 50 seconds');
    await age(late, '5 minutes');
    expect((await redeem(app, early)).status).toBe(200);
    await expectInvalid(await redeem(app, late));
  });

  test('an invented one opens nothing', async () => {
    await expectInvalid(await redeem(app, randomBytes(32).toString('base64url')));
    // Nor does the hash that the database stores.
    const grant = await grantFor(folder);
    await expectInvalid(await redeem(app, Buffer.from(hashToken(grant), 'hex').toString('base64url')));
  });

  test('a grant ends with its folder', async () => {
    const [deleted, expired] = [await makeFolder(app, owner), await makeFolder(app, owner)];
    const grants = [await grantFor(deleted), await grantFor(expired)];
    await deleteFolder(app, owner, deleted);
    await expire(app, expired);
    for (const grant of grants) await expectInvalid(await redeem(app, grant));
    await expect(grantFor(deleted)).rejects.toMatchObject({ code: 'folder.not_found' });
    await expect(grantFor(expired)).rejects.toMatchObject({ code: 'folder.expired' });
  });

  test('only a page of this site may redeem, and only by JSON', async () => {
    const grant = await grantFor(folder);
    const post = (headers: Record<string, string>, body = JSON.stringify({ grant })) =>
      fetch(app.baseUrl + REDEEM, { method: 'POST', headers, body });
    const json = { 'content-type': 'application/json' };
    for (const origin of ['https://elsewhere.example', 'null', `${app.config.publicUrl}.example`]) {
      expect((await post({ ...json, origin })).status).toBe(403);
    }
    expect((await post(json)).status).toBe(403);
    const { publicUrl: origin } = app.config;
    expect((await post({ origin, 'content-type': 'application/x-www-form-urlencoded' }, `grant=${grant}`)).status).toBe(
      415,
    );
    expect((await post({ ...json, origin }, '{}')).status).toBe(400);
    expect((await post({ ...json, origin }, JSON.stringify({ grant: 'x'.repeat(2000) }))).status).toBe(413);
    expect((await redeem(app, grant)).status).toBe(200);
  });

  test('restricting a folder shuts out all earlier guests, and those about to come', async () => {
    const cookie = await letIn(app, folder);
    const grant = await grantFor(folder);
    // Changing something else, or restricting again, changes nothing.
    await app.rpc('update_folder_settings', { folder_id: folder.id, new_name: 'Maps' }, owner);
    await setAccess(app, owner, folder, 'restricted');
    expect(await statusFor(cookie)).toBe(200);
    await setAccess(app, owner, folder, 'link');
    expect(await statusFor(cookie)).toBe(200);
    await setAccess(app, owner, folder, 'restricted');
    expect(await statusFor(cookie)).toBe(404);
    await expectInvalid(await redeem(app, grant));
  });

  test('a redemption while the folder is being restricted is shut out with the others', async () => {
    for (let round = 0; round < 8; round += 1) {
      const made = await makeFolder(app, owner);
      const [grants, restrict] = [
        await Promise.all(Array.from({ length: 4 }, () => grantFor(made))),
        { folder_id: made.id, new_access: 'restricted' },
      ];
      const [changed, ...redeemed] = await Promise.all([
        app.rpc('update_folder_settings', restrict, owner),
        ...grants.map((grant) => redeem(app, grant)),
      ]);
      expect(changed.status).toBe(200);
      for (const { status } of redeemed) expect([200, 404]).toContain(status);
      expect(await guestsOf(made)).toEqual([]);
      expect(await grantsOf(made)).toEqual([]);
    }
  });

  test('the sweep purges expired grants, and no others', async () => {
    const [open, old] = [await grantFor(folder), await grantFor(folder)];
    await age(old, '5 minutes');
    // More than one batch.
    await app.database.db.execute(sql`
      insert into folder_grants (token_hash, folder_id, expires_at)
      select md5(n::text), ${folder.id}::uuid, now() - interval '1 second' from generate_series(1, 1100) n`);
    expect(await sweepAll(app)).toEqual([]);
    expect((await grantsOf(folder)).map(({ token_hash }) => token_hash)).toEqual([hashToken(open)]);
  });

  test('a folder’s end deletes its guests and grants; a restricted one leaves no trace after the sweep', async () => {
    const another = await makeFolder(app, owner);
    await setAccess(app, owner, another, 'restricted');
    const cookie = await letIn(app, folder);
    await letIn(app, another, cookie);
    await grantFor(another);
    await deleteFolder(app, owner, another);
    expect([...(await guestsOf(another)), ...(await grantsOf(another))]).toEqual([]);
    await expire(app, folder);
    expect(await statusFor(cookie)).toBe(410);
    expect(await statusFor(owner.cookie)).toBe(410);
    expect(await sweepAll(app)).toEqual([]);
    expect(await guestsOf(folder)).toEqual([]);
    for (const who of ['', cookie, owner.cookie]) expect(await statusFor(who)).toBe(404);
  });
});
