import type { Session, SessionList } from '@satchel/contract/api';
import type { Profile, User } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createDiscord } from '../../src/platform/discord/discord-oauth.ts';
import {
  authorizeAt,
  type Browser,
  CALLBACK,
  consentAt,
  createBrowser,
  createTestAppWithSandbox,
  locationAt,
} from '../support/discord/sandbox.ts';
import { createTus, freshName, makeFolder } from '../support/storage-kit.ts';
import type { Account } from '../support/test-app.ts';

const { app, sandbox } = await createTestAppWithSandbox();

const authorize = (browser: Browser, query?: string) => authorizeAt(app, browser, query);
const locationOf = (response: Response) => locationAt(app, response);
const consent = (browser: Browser, persona: string) => consentAt(app, browser, persona);

async function signIn(persona: string): Promise<Browser> {
  const browser = createBrowser();
  const back = await consent(browser, persona);
  const response = await browser.get(back.href);
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe('/auth/callback');
  return browser;
}

const failureOf = (response: Response) => new URLSearchParams(locationOf(response).hash.slice(1));

describe('signing in', () => {
  test('a persona comes back from Discord with a session, and the application stays with the account', async () => {
    const browser = await signIn('ava');
    // Revoking the token would remove the application from the account at Discord (APPLICATION_DEAUTHORIZED).
    expect(sandbox.revocations).toEqual([]);
    expect([...browser.jar.keys()]).toEqual(['sid']);
    const session = (await (await browser.get(`${app.baseUrl}/auth/v1/session`)).json()) as Session;
    const { full_name, avatar_url } = session.session!.user.user_metadata;
    expect(full_name).toBeTruthy();
    expect((await browser.get(app.baseUrl + avatar_url)).status).toBe(200);
    expect(Date.parse(session.session?.expires_at ?? '')).toBeGreaterThan(Date.now() + 500_000);
    expect(app.deps.tokens.verifyBearer(session.session?.access_token ?? '')?.profile_id).toBe(
      session.session?.user.id,
    );

    const sessions = (await (await browser.get(`${app.baseUrl}/auth/v1/sessions`)).json()) as SessionList;
    expect(sessions).toMatchObject([{ label: 'Firefox on Linux', is_this_one: true }]);
    const user = (await (await browser.get(`${app.baseUrl}/auth/v1/user`)).json()) as User;
    expect(user).toEqual(session.session?.user);
    const profile = (await (await browser.get(`${app.baseUrl}/rest/v1/profiles/me`)).json()) as Profile;
    expect(profile).not.toHaveProperty('email');
    for (const path of [profile.avatar_url, profile.banner_url]) {
      expect((await browser.get(app.baseUrl + path)).status).toBe(200);
    }
  });

  test('an account without an e-mail address or a display name can sign in', async () => {
    const browser = await signIn('otto');
    const user = (await (await browser.get(`${app.baseUrl}/auth/v1/user`)).json()) as User;
    expect(user.email).toBeNull();
    expect(user.user_metadata.full_name).toBeTruthy();
  });

  test('the second sign-in of an account is the same profile, and ends the browser’s earlier session', async () => {
    const browser = await signIn('lena');
    const idOf = async () => ((await (await browser.get(`${app.baseUrl}/auth/v1/user`)).json()) as User).id;
    const first = await idOf();
    const earlier = browser.jar.get('sid') ?? '';
    await browser.get((await consent(browser, 'lena')).href);
    expect(await idOf()).toBe(first);
    const response = await fetch(`${app.baseUrl}/auth/v1/user`, { headers: { cookie: `sid=${earlier}` } });
    expect(response.status).toBe(401);
  });

  test('the cookies go to this site’s server alone', async () => {
    const browser = createBrowser();
    const begun = (await authorize(browser)).headers.getSetCookie().join();
    expect(begun).toMatch(/^sign-in=/);
    expect(begun).toMatch(/Max-Age=600; Path=\/; HttpOnly; SameSite=Lax/);
    const ended = (await browser.get((await consent(browser, 'mika')).href)).headers.getSetCookie();
    const session = ended.find((line) => line.startsWith('sid=')) ?? '';
    expect(session).toMatch(/Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax/);
    expect(session).not.toContain('Secure');
  });

  test('neither log nor database holds the session’s token', async () => {
    const browser = await signIn('mika');
    const token = browser.jar.get('sid') ?? '';
    const sessions = await app.query(sql`select * from sessions`);
    expect(token).toHaveLength(43);
    expect(JSON.stringify(sessions)).not.toContain(token);
    expect(app.log.join()).not.toContain(token);
  });
});

describe('a sign-in that fails', () => {
  test('says so when the person declines', async () => {
    const browser = createBrowser();
    const failure = failureOf(await browser.get((await consent(browser, 'deny')).href));
    expect(failure.get('error')).toBe('access_denied');
    expect(failure.get('error_description')).toBe('access_denied');
    expect(browser.jar.size).toBe(0);
  });

  test('a callback is good once', async () => {
    const browser = createBrowser();
    const back = await consent(browser, 'mika');
    const checks = new Map(browser.jar);
    await browser.get(back.href);
    expect(failureOf(await browser.get(back.href)).get('error')).toBe('invalid_state');
    // Even with the cookie kept: Discord's code is used up.
    const thief = createBrowser();
    for (const [name, value] of checks) thief.jar.set(name, value);
    expect(failureOf(await thief.get(back.href)).get('error')).toBe('invalid_grant');
    expect(thief.jar.has('sid')).toBe(false);
  });

  test('another browser’s callback is refused', async () => {
    const back = await consent(createBrowser(), 'mika');
    const victim = createBrowser();
    expect(failureOf(await victim.get(back.href)).get('error')).toBe('invalid_state');
    await authorize(victim);
    expect(failureOf(await victim.get(back.href)).get('error')).toBe('invalid_state');
    expect(victim.jar.has('sid')).toBe(false);
  });

  test('a made-up or altered cookie is refused', async () => {
    const browser = createBrowser();
    const back = await consent(browser, 'mika');
    browser.jar.set('sign-in', `${browser.jar.get('sign-in')}x`);
    expect(failureOf(await browser.get(back.href)).get('error')).toBe('invalid_state');
  });

  test('a Discord that does not answer leads to an error page', async () => {
    const unreachable = createDiscord({
      clientId: '1',
      clientSecret: 's',
      readsGuilds: false,
      apiUrl: 'http://127.0.0.1:1/api/v10',
      redirectUri: `${app.baseUrl}${CALLBACK}`,
    });
    const checks = unreachable.newChecks();
    const url = new URL(`${app.baseUrl}${CALLBACK}?code=x&state=${checks.state}`);
    await expect(unreachable.redeem(url, checks)).rejects.toMatchObject({ error: 'server_error' });
  });
});

describe('where a sign-in may lead', () => {
  test.each(['/', '/f/abc?x=1', '/upload', '/profile#x'])('%s is a path of this site', async (path) => {
    expect((await authorize(createBrowser(), `provider=discord&redirect_to=${encodeURIComponent(path)}`)).status).toBe(
      200,
    );
  });

  test('only Discord is a provider', async () => {
    expect(await (await authorize(createBrowser(), 'provider=github')).json()).toMatchObject({
      error: { code: 'auth.bad_provider' },
    });
  });
});

describe('a session', () => {
  test('ends at sign-out, and the cookie with it', async () => {
    const mika = await app.signIn('mika');
    const response = await app.call('POST', '/auth/v1/logout', { as: mika });
    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie().join()).toMatch(/^sid=;.*Expires=Thu, 01 Jan 1970/);
    expect((await app.call('GET', '/auth/v1/user', { as: mika })).status).toBe(401);
    expect((await app.call('POST', '/auth/v1/logout')).status).toBe(204);
  });

  test('expires after 30 days by the database’s clock', async () => {
    const mika = await app.signIn('mika');
    const days = sql`extract(epoch from expires_at - created_at) / 86400`;
    const where = sql`id = ${mika.session_id}::uuid`;
    const [row] = await app.query<{ days: string }>(sql`select ${days} as days from sessions where ${where}`);
    expect(Number(row?.days)).toBe(30);
  });

  test('is listed with its device, and can be ended from another one', async () => {
    const [mika, elsewhere] = [await app.signIn('nadia'), await app.signIn('nadia')];
    await app.database.db.execute(
      sql`update sessions set expires_at = now() where id = ${(await app.signIn('nadia')).session_id}::uuid`,
    );
    const list = async (as: Account) =>
      (await (await app.call('GET', '/auth/v1/sessions', { as })).json()) as SessionList;
    const sessions = await list(mika);
    expect(sessions.map(({ id, is_this_one }) => [id, is_this_one]).sort()).toEqual(
      [
        [mika.session_id, true],
        [elsewhere.session_id, false],
      ].sort(),
    );
    const end = async (as: Account, id: string) => (await app.call('DELETE', `/auth/v1/sessions/${id}`, { as })).status;
    const stranger = await app.signIn('jonas');
    expect(await end(stranger, elsewhere.session_id)).toBe(404);
    expect(await end(mika, elsewhere.session_id)).toBe(204);
    expect(await end(mika, elsewhere.session_id)).toBe(404);
    expect((await app.call('GET', '/auth/v1/user', { as: elsewhere })).status).toBe(401);
    const folder = await makeFolder(app, mika);
    expect((await createTus(app, elsewhere).post({ folder, name: freshName(), length: 10 })).status).toBe(401);
    const response = await app.call('DELETE', `/auth/v1/sessions/${mika.session_id}`, { as: mika });
    expect(response.headers.getSetCookie().join()).toMatch(/^sid=;/);
    expect((await app.call('GET', '/auth/v1/sessions', { as: mika })).status).toBe(401);
    expect((await list(stranger)).every(({ id }) => id !== mika.session_id)).toBe(true);
  });

  test('ends here, everywhere else, or everywhere', async () => {
    const states = async (people: Account[]) =>
      Promise.all(people.map(async (as) => (await app.call('GET', '/auth/v1/user', { as })).status));
    const signOut = async (as: Account, scope: string) => {
      const response = await app.call('POST', `/auth/v1/logout?scope=${scope}`, { as });
      return [response.status, response.headers.getSetCookie().length];
    };
    const stranger = await app.signIn('jonas');
    const all = await Promise.all(Array.from({ length: 5 }, () => app.signIn('nadia')));
    expect(await signOut(all[0]!, 'local')).toEqual([204, 1]);
    expect(await states(all)).toEqual([401, 200, 200, 200, 200]);
    expect(await signOut(all[1]!, 'others')).toEqual([204, 0]);
    expect(await states(all)).toEqual([401, 200, 401, 401, 401]);
    const more = [...all, await app.signIn('nadia')];
    expect(await signOut(all[1]!, 'global')).toEqual([204, 1]);
    expect(await states(more)).toEqual([401, 401, 401, 401, 401, 401]);
    expect(await states([stranger])).toEqual([200]);
    expect((await signOut(stranger, 'everything'))[0]).toBe(400);
  });

  test('says when it was last used, to a quarter of an hour: not every request is saved', async () => {
    const mika = await app.signIn('nadia');
    const seen = async () => {
      const list = await (await app.call('GET', '/auth/v1/sessions', { as: mika })).json();
      return Date.parse((list as SessionList).find(({ is_this_one }) => is_this_one)?.last_seen_at ?? '');
    };
    const setSeen = (minutesAgo: number) =>
      app.database.db.execute(
        sql`update sessions set last_seen_at = now() - make_interval(mins => ${minutesAgo}::integer) where id = ${mika.session_id}::uuid`,
      );
    await setSeen(10);
    const before = await seen();
    expect(await seen()).toBe(before);
    await setSeen(20);
    expect(await seen()).toBeGreaterThan(before);
  });
});
