import { createECDH } from 'node:crypto';
import type { ActList, BanList, OperatorAct } from '@satchel/contract/abuse';
import type { ProfileOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createFolder } from '../../src/domain/folders/create-folder.ts';
import { PROGRAM, programText } from '../../src/program.ts';
import { discordPageOf, startSandbox } from '../support/discord/sandbox.ts';
import { freePort } from '../support/free-port.ts';
import { actsOf, createOperatedApp, type OperatedApp, operate, report, reportsOf } from '../support/operators.ts';
import { listRoutes } from '../support/routes.ts';
import { codeOf, createTus, freshName, makeFolder, OBJECT, someBytes } from '../support/storage-kit.ts';
import { type Account, idOf } from '../support/test-app.ts';

const ID = '00000000-0000-4000-8000-000000000000';
const SHA256 = 'ab'.repeat(32);
/** The Discord id of a sandbox persona. */
const JONAS = '9018264905173434370';
const LENA = '9096351728405938180';

const port = await freePort();
const sandbox = await startSandbox(`http://127.0.0.1:${port}/auth/v1/callback`);
const app = await createOperatedApp({
  env: {
    PORT: String(port),
    DISCORD_API_URL: sandbox.apiUrl,
    TIERS: JSON.stringify({ plus: { storage: '10GiB', file: '1GiB', hours: 72 } }),
  },
});
let mika = await app.signIn('mika');

/** Consents at Discord as a persona; returns the request with which Discord sends the browser back. */
async function consent(app: OperatedApp, persona: string): Promise<() => Promise<Response>> {
  const begun = await app.call('GET', '/auth/v1/authorize?provider=discord');
  const page = await discordPageOf(begun);
  page.searchParams.set('persona', persona);
  const back = (await fetch(page, { redirect: 'manual' })).headers.get('location') ?? '';
  const cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!;
  return () => fetch(back, { headers: { cookie }, redirect: 'manual' });
}

describe('the operators’ page', () => {
  const { query } = app;
  const ban = (discord_id: string, input: object = {}, as = app.olga) =>
    operate<{ error: { code: string } }>(app, as, 'POST', '/bans', { discord_id, reason: 'Malware', ...input });
  const unban = (discord_id: string) => operate(app, app.olga, 'DELETE', `/bans/${discord_id}`);
  const statusOf = async (folder: Folder) => (await app.call('GET', `/rest/v1/folders/${folder.slug}`)).status;

  describe('a person who is no operator', () => {
    const BODIES: Record<string, (folder: Folder) => unknown> = {
      '/takedowns': (folder) => ({ folder_slug: folder.slug, reason: 'x' }),
      '/bans': () => ({ discord_id: '42', reason: 'x' }),
      '/denied_blobs': () => ({ sha256: SHA256, size_bytes: 1, reason: 'x' }),
      '/tiers': () => ({ discord_id: idOf('mika'), subscription_tier: 'free' }),
    };

    test('gets 404 at each of the operators’ addresses, and changes nothing there', async () => {
      const folder = await makeFolder(app, mika);
      await report(app, { folder_slug: folder.slug });
      const all = (await listRoutes(app.deps)).filter(({ url }) => url.startsWith('/operator/v1'));
      expect(all.length).toBeGreaterThanOrEqual(13);
      const counted = async () =>
        JSON.stringify(await query(sql`select count(*) from operator_acts union all select count(*) from bans`));
      const before = await counted();
      for (const { method, url } of all) {
        const path = url.replace(':sha256', SHA256).replace(':discord_id', idOf('mika')).replace(/:\w+/, ID);
        for (const as of [undefined, mika]) {
          for (const body of [BODIES[url.slice('/operator/v1'.length)]?.(folder), { nonsense: true }]) {
            const response = await app.call(method, path, { as, ...(method === 'GET' ? {} : { body }) });
            expect([response.status, await codeOf(response)], `${method} ${url}`).toEqual([404, 'request.not_found']);
          }
        }
        // A bearer opens nothing here, not even an operator's.
        const authorization = `Bearer ${app.olga.bearer}`;
        expect((await fetch(app.baseUrl + path, { method, headers: { authorization } })).status).toBe(404);
      }
      expect(await counted()).toBe(before);
      expect(await statusOf(folder)).toBe(200);
      const profile = async (as: Account) =>
        (await (await app.call('GET', '/rest/v1/profiles/me', { as })).json()) as ProfileOutput;
      expect((await profile(mika)).is_operator).toBe(false);
      expect((await profile(app.olga)).is_operator).toBe(true);
      // Which program runs is for operators, too.
      expect((await profile(mika)).program).toBeNull();
      expect((await profile(app.olga)).program).toBe(programText(PROGRAM));
    });
  });

  describe('a ban', () => {
    test('ends every session at once, cookies and bearers, and prevents sign-in', async () => {
      const back = await consent(app, 'jonas');
      const signedIn = await (await consent(app, 'jonas'))();
      expect(signedIn.headers.get('location')).toBe('/auth/callback');
      const cookie = signedIn.headers
        .getSetCookie()
        .find((line) => line.startsWith('sid='))!
        .split(';')[0]!;
      const asJonas = (path: string) => fetch(app.baseUrl + path, { headers: { cookie } });
      const session = (await (await asJonas('/auth/v1/session')).json()) as {
        session: { access_token: string; user: { id: string } };
      };
      const jonas = {
        cookie,
        bearer: session.session.access_token,
        profile_id: session.session.user.id,
        session_id: '',
      };
      const folder = await makeFolder(app, jonas);
      const tus = createTus(app, jonas);
      const open = await tus.create({ folder, name: freshName(), length: 10 });

      const acts = await actsOf(app);
      expect((await ban(JONAS, { reason: 'Malware again' })).status).toBe(204);
      expect((await asJonas('/auth/v1/user')).status).toBe(401);
      expect((await tus.patch(open, 0, someBytes(10))).status).toBe(401);
      expect((await tus.post({ folder, name: freshName(), length: 10 })).status).toBe(401);
      const removal = await fetch(`${app.baseUrl}${OBJECT}/unlocked-folders/${folder.bucket_storage_path}/x`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${jonas.bearer}` },
      });
      expect(removal.status).toBe(401);
      // Unless asked for, folders stay.
      expect(await statusOf(folder)).toBe(200);

      const refused = await back();
      const { pathname, hash } = new URL(refused.headers.get('location') ?? '', app.baseUrl);
      expect(pathname).toBe('/auth/callback');
      expect(Object.fromEntries(new URLSearchParams(hash.slice(1)))).toEqual({
        error: 'access_denied',
        error_description: 'This account is banned: Malware again',
      });
      expect(refused.headers.getSetCookie().join()).not.toMatch(/sid=\w/);
      expect(await actsOf(app)).toEqual([`ban ${JONAS} Malware again`, ...acts]);

      expect((await unban(JONAS)).status).toBe(204);
      expect((await unban(JONAS)).status).toBe(404);
      expect(await actsOf(app)).toEqual([`unban ${JONAS} -`, `ban ${JONAS} Malware again`, ...acts]);
      expect((await (await consent(app, 'jonas'))()).headers.get('location')).toBe('/auth/callback');
    });

    test('of a person without an account stores nothing about them and holds', async () => {
      expect((await ban(LENA)).status).toBe(204);
      const kept = () => query(sql`select * from profiles where discord_id = ${LENA}`);
      expect((await (await consent(app, 'lena'))()).headers.get('location')).toContain('access_denied');
      expect(await kept()).toEqual([]);
      await unban(LENA);
      const signedIn = await (await consent(app, 'lena'))();
      const cookie = signedIn.headers
        .getSetCookie()
        .find((line) => line.startsWith('sid='))!
        .split(';')[0]!;
      const headers = { cookie, origin: app.config.publicUrl };
      const erased = fetch(`${app.baseUrl}/rest/v1/profiles/me`, { method: 'DELETE', headers });
      expect((await erased).status).toBe(204);
      await ban(LENA);
      expect((await (await consent(app, 'lena'))()).headers.get('location')).toContain('access_denied');
      expect(await kept()).toEqual([]);
      await unban(LENA);
    });

    test('leaves no session of a sign-in at the same time', async () => {
      for (const [persona, discordId] of [
        ['jonas', JONAS],
        ['lena', LENA],
      ] as const) {
        const backs = await Promise.all([1, 2, 3, 4].map(() => consent(app, persona)));
        await Promise.all([backs[0]!(), backs[1]!(), ban(discordId), backs[2]!(), backs[3]!()]);
        const left = await query(sql`
          select sessions.id from sessions join profiles on profiles.id = profile_id where discord_id = ${discordId}`);
        expect(left).toEqual([]);
        await unban(discordId);
      }
    });

    test('takes all folders down when asked to, and a call that began before it creates none', async () => {
      const jonas = await app.signIn('jonas');
      const folders = [await makeFolder(app, jonas), await makeFolder(app, jonas, 'private')];
      const kept = await makeFolder(app, mika);
      await report(app, { folder_slug: folders[0]!.slug });
      expect((await reportsOf(app))[0]?.folder?.is_owner_banned).toBe(false);
      const acts = await actsOf(app);
      const id = idOf('jonas');
      expect((await ban(id, { reason: 'Spam', take_down_folders: true })).status).toBe(204);
      for (const folder of folders) expect(await statusOf(folder)).toBe(410);
      expect(await statusOf(kept)).toBe(200);
      const done = (await actsOf(app)).slice(0, -acts.length);
      expect(done.at(-1)).toBe(`ban ${id} Spam`);
      expect(done.slice(0, -1).sort()).toEqual(folders.map(({ slug }) => `take_down ${slug} Spam`).sort());

      const { tiers, caps } = app.config;
      const making = createFolder({ ...app.deps, db: app.database.db, tiers, caps }, jonas, {
        hide_names: true,
      } as Parameters<typeof createFolder>[2]);
      await expect(making).rejects.toMatchObject({ code: 'auth.banned' });
      const [banned] = (await operate<BanList>(app, app.olga, 'GET', '/bans')).body.bans;
      expect(banned).toMatchObject({ discord_id: id, reason: 'Spam' });
      await unban(id);
    });

    test('is refused for operators, and without a reason', async () => {
      const acts = await actsOf(app);
      for (const id of [idOf('olga'), idOf('oskar')]) expect((await ban(id)).body.error.code).toBe('request.invalid');
      expect((await ban('42', { reason: '  ' })).status).toBe(400);
      expect((await ban('x')).status).toBe(400);
      expect(await actsOf(app)).toEqual(acts);
      expect((await app.call('GET', '/auth/v1/user', { as: app.oskar })).status).toBe(200);
    });
  });

  test('a tier is given to existing accounts, and only one of the settings', async () => {
    const give = (discord_id: string, subscription_tier: string) =>
      operate(app, app.olga, 'POST', '/tiers', { discord_id, subscription_tier });
    const acts = await actsOf(app);
    const limits = async () =>
      ((await (await app.call('GET', '/rest/v1/profiles/me', { as: mika })).json()) as ProfileOutput).limits;
    expect((await give(idOf('mika'), 'gold')).status).toBe(400);
    expect((await give(idOf('mika'), 'constructor')).status).toBe(400);
    expect((await give('42', 'plus')).status).toBe(404);
    expect(await actsOf(app)).toEqual(acts);
    expect((await give(idOf('mika'), 'plus')).status).toBe(204);
    expect((await limits()).folder_lifetime_hours).toBe(72);
    // Signing in again updates the profile, and leaves the tier.
    mika = await app.signIn('mika');
    expect((await limits()).folder_lifetime_hours).toBe(72);
    expect(await actsOf(app)).toEqual([`tier ${idOf('mika')} plus`, ...acts]);
  });

  test('what can’t be written to the audit log is not done', async () => {
    const folder = await makeFolder(app, mika);
    await report(app, { folder_slug: folder.slug });
    const public_key = createECDH('prime256v1').generateKeys().toString('base64url');
    const denied = { sha256: SHA256, size_bytes: 1, reason: 'x' };
    const added = await operate<{ id: string }>(app, app.olga, 'POST', '/operator_keys', { public_key });
    const [reported] = await reportsOf(app);
    await ban('41');
    await operate(app, app.olga, 'POST', '/denied_blobs', denied);
    const state = () =>
      Promise.all(
        ['bans', 'denied_blobs', 'operator_keys', 'reports', 'profiles', 'sessions', 'operator_acts'].map((table) =>
          query(sql`select * from ${sql.identifier(table)} order by 1`),
        ),
      );
    const before = await state();
    await query(sql`alter table operator_acts add constraint none check (false) not valid`);
    const calls: [method: string, path: string, body?: object][] = [
      ['POST', '/bans', { discord_id: idOf('mika'), reason: 'x' }],
      ['DELETE', '/bans/41'],
      ['POST', '/denied_blobs', { ...denied, sha256: 'cd'.repeat(32) }],
      ['DELETE', `/denied_blobs/${SHA256}`],
      ['POST', '/tiers', { discord_id: idOf('mika'), subscription_tier: 'free' }],
      ['POST', `/reports/${reported?.id}/dismiss`],
      ['POST', '/operator_keys', { public_key }],
      ['DELETE', `/operator_keys/${added.body.id}`],
    ];
    for (const call of calls) expect((await operate(app, app.olga, ...call)).status, call.join()).toBe(500);
    expect(await state()).toEqual(before);
    await query(sql`alter table operator_acts drop constraint none`);
    for (const call of calls.toReversed()) {
      expect((await operate(app, app.olga, ...call)).status, call.join()).toBeLessThan(300);
    }
    expect((await actsOf(app)).slice(0, calls.length).map((act) => act.split(' ')[0])).toEqual(
      ['remove_key', 'add_key', 'dismiss', 'tier', 'allow', 'deny', 'unban', 'ban'].toReversed(),
    );
    await unban(idOf('mika'));
    mika = await app.signIn('mika');
  });

  test('the audit log comes in pages, the newest first, and names the operator', async () => {
    await query(sql`
      insert into operator_acts (operator_discord_id, act, target, at)
      select '7', 'ban', n::text, now() + make_interval(secs => n / 4) from generate_series(1, 130) as n`);
    const acts: OperatorAct[] = [];
    let before = '';
    for (let hasMore = true; hasMore; ) {
      const { body } = await operate<ActList>(app, app.oskar, 'GET', `/acts${before}`);
      expect(body.acts.length).toBeLessThanOrEqual(50);
      acts.push(...body.acts);
      before = `?before=${body.acts.at(-1)?.id}`;
      hasMore = body.has_more;
    }
    const made = acts.filter(({ operator_discord_id }) => operator_discord_id === '7').map(({ target }) => target);
    expect(made.toSorted()).toEqual(Array.from({ length: 130 }, (_, index) => String(index + 1)).toSorted());
    expect(new Set(acts.map(({ operator_discord_id }) => operator_discord_id))).toEqual(new Set(['7', idOf('olga')]));
    expect(acts.map(({ at }) => at)).toEqual(
      acts
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
  });

  test.each([
    [
      'bans',
      'discord_id',
      sql`insert into bans (discord_id, reason, created_at)
      select '9' || lpad(n::text, 17, '0'), 'x', now() + make_interval(secs => n / 4) from generate_series(1, 130) n`,
    ],
    [
      'denied_blobs',
      'sha256',
      sql`insert into denied_blobs (sha256, size_bytes, reason, created_at)
      select md5(n::text) || md5((-n)::text), 7, 'x', now() + make_interval(secs => n / 4) from generate_series(1, 130) n`,
    ],
  ] as const)('%s come in pages, also behind one that is gone', async (list, id, filling) => {
    await query(filling);
    type Row = { created_at: string } & Record<string, string>;
    const rows: Row[] = [];
    let behind = '';
    for (let hasMore = true; hasMore; ) {
      const { body } = await operate<{ has_more: boolean } & Record<string, Row[]>>(
        app,
        app.olga,
        'GET',
        `/${list}${behind}`,
      );
      const page = body[list] ?? [];
      expect(page.length).toBeLessThanOrEqual(50);
      rows.push(...page);
      const last = page.at(-1);
      behind = `?before=${last?.created_at}&before_id=${last?.[id]}`;
      await query(sql`delete from ${sql.identifier(list)} where ${sql.identifier(id)} = ${last?.[id]}`);
      hasMore = body.has_more;
    }
    const order = rows.map((row) => `${row.created_at} ${row[id]}`);
    expect(order.length).toBeGreaterThanOrEqual(130);
    expect(order).toEqual([...new Set(order)].toSorted().toReversed());
    expect((await operate(app, app.olga, 'GET', `/${list}?before=${rows[0]?.created_at}`)).status).toBe(400);
  });
});
