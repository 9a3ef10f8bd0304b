import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, SessionList } from '@satchel/contract/api';
import type { DeviceOutput, TokenOutput, WaitingDevice } from '@satchel/contract/device';
import { USER_CODE_LETTERS } from '@satchel/contract/device-code';
import { KIB, MIB } from '@satchel/contract/limits';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { banPerson } from '../../src/domain/moderation/bans.ts';
import { RATE_LIMITS } from '../../src/http/rate-limits.ts';
import { codeOf, createTus, freshName, makeFolder, openPatch, someBytes, sweepAll } from '../support/storage-kit.ts';
import { storedState } from '../support/stored-state.ts';
import { type Account, createTestApp, idOf, type TestApp } from '../support/test-app.ts';
import { openSocket } from '../support/uploads/socket-kit.ts';

/** Signing in a device (RFC 8628), over HTTP. What its session may do is a column of the matrix (roles/matrix). */

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const app = await createTestApp();

/** A program without a browser: no cookie, no Origin. */
const post = (
  path: string,
  body: unknown,
  { to = app, headers = {} }: { to?: TestApp; headers?: Record<string, string> } = {},
) =>
  fetch(to.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function ask(names = { client: 'satchel 1.0.0', host: 'laptop' }, options?: Parameters<typeof post>[2]) {
  const response = await post('/auth/v1/device', names, options);
  expect(response.status).toBe(200);
  return (await response.json()) as DeviceOutput;
}

async function poll(device_code: string): Promise<TokenOutput & { error?: string }> {
  const response = await post('/auth/v1/token', { grant_type: GRANT, device_code });
  const body = (await response.json()) as TokenOutput & { error?: string };
  expect([response.status, body.error !== undefined]).toEqual([response.ok ? 200 : 400, !response.ok]);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return body;
}

const find = (as: Account, user_code: string, to = app) =>
  to.call('POST', '/auth/v1/device/find', { as, body: { user_code } });
const decide = (as: Account, id: string, is_allowed: boolean) =>
  app.call('POST', '/auth/v1/device/decide', { as, body: { id, is_allowed } });

async function answer(as: Account, { user_code }: DeviceOutput, is_allowed = true) {
  const { id } = (await (await find(as, user_code)).json()) as WaitingDevice;
  expect((await decide(as, id, is_allowed)).status).toBe(204);
}

async function signInDevice(as: Account, host = 'laptop'): Promise<string> {
  const codes = await ask({ client: 'satchel 1.0.0', host });
  await answer(as, codes);
  return (await poll(codes.device_code)).access_token;
}

const call = (token: string, method: string, path: string) =>
  fetch(app.baseUrl + path, { method, headers: { authorization: `Bearer ${token}` } });
const isAlive = async (token: string) => (await call(token, 'GET', '/auth/v1/user')).status === 200;
const setColumn = (change: ReturnType<typeof sql>, { user_code }: DeviceOutput) =>
  app.database.db.execute(
    sql`update device_codes set ${change} where user_code_hash = encode(sha256(${user_code}::bytea), 'hex')`,
  );

describe('the codes', () => {
  test('are for one device, ten minutes and a page of this site, which has the short one after the #', async () => {
    const codes = await ask();
    expect(codes).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(new RegExp(`^[${USER_CODE_LETTERS}]{4}-[${USER_CODE_LETTERS}]{4}$`)),
      verification_uri: `${app.config.publicUrl}/device`,
      verification_uri_complete: `${app.config.publicUrl}/device#${codes.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    const [row] = await app.query<{ seconds: string }>(
      sql`select extract(epoch from expires_at - created_at) as seconds from device_codes limit 1`,
    );
    expect(Number(row?.seconds)).toBe(600);
    expect((await ask()).user_code).not.toBe(codes.user_code);
  });

  test.each([
    ['no host', { client: 'satchel' }],
    ['an empty name', { client: '', host: 'laptop' }],
    ['a name of two lines', { client: 'satchel', host: 'laptop\nAllowed' }],
    ['a name that turns text round', { client: 'satchel', host: 'lap\u202etop' }],
    ['a name that fills the page', { client: 'satchel', host: 'x'.repeat(65) }],
  ])('are refused to a device with %s', async (_what, names) => {
    expect((await post('/auth/v1/device', names)).status).toBe(400);
  });

  test('are refused to a page of another site, which would ask from its visitor’s network', async () => {
    const headers = { origin: 'https://evil.example' };
    for (const [path, body] of [
      ['/auth/v1/device', { client: 'satchel', host: 'laptop' }],
      ['/auth/v1/token', { grant_type: GRANT, device_code: 'd'.repeat(43) }],
    ] as const) {
      expect(await codeOf(await post(path, body, { headers }))).toBe('request.bad_origin');
    }
  });
});

describe('a person who types the code', () => {
  test('sees what asks, from which network and when', async () => {
    const mika = await app.signIn('mika');
    const codes = await ask({ client: 'satchel 1.0.0', host: 'Mika’s laptop' });
    const response = await find(mika, codes.user_code);
    expect(response.status).toBe(200);
    const device = (await response.json()) as WaitingDevice;
    expect(device).toEqual({
      id: expect.any(String),
      user_code: codes.user_code,
      client: 'satchel 1.0.0',
      host: 'Mika’s laptop',
      network: '127.0.0.1',
      is_same_network: true,
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect(Date.parse(device.expires_at) - Date.parse(device.created_at)).toBe(600_000);
  });

  test('sees the network that a trusted proxy names, and whether it is theirs', async () => {
    const proxied = await createTestApp({ env: { TRUST_PROXY: '127.0.0.1' } });
    const mika = await proxied.signIn('mika');
    const headers = { 'x-forwarded-for': '2001:db8:1:2:3::4' };
    const { user_code } = await ask(undefined, { to: proxied, headers });
    const device = await (await find(mika, user_code, proxied)).json();
    expect(device).toMatchObject({ network: '2001:db8:1:2::/64', is_same_network: false });
  });

  test('may type it in small letters, without the hyphen, with blanks', async () => {
    const mika = await app.signIn('mika');
    const { user_code } = await ask();
    const typed = ` ${user_code.toLowerCase().replace('-', ' ')}. `;
    expect(((await (await find(mika, typed)).json()) as WaitingDevice).user_code).toBe(user_code);
  });

  test('is told that a code is wrong, too short, answered or too old', async () => {
    const mika = await app.signIn('mika');
    const refusal = async (code: string) => codeOf(await find(mika, code));
    const codes = await ask();
    const other = codes.user_code.replace(/.$/, (last) => (last === 'B' ? 'C' : 'B'));
    expect(await refusal(other)).toBe('device.wrong_code');
    expect(await refusal('BCD')).toBe('device.wrong_code');
    await answer(mika, codes);
    expect(await refusal(codes.user_code)).toBe('device.over');
    const old = await ask();
    await setColumn(sql`expires_at = now()`, old);
    expect(await refusal(old.user_code)).toBe('device.over');
  });

  test('has five tries a minute, in all their sessions, and then waits', async () => {
    const limited = await createTestApp({ deps: { rateLimits: { user_codes: RATE_LIMITS.user_codes } } });
    const sessions = [await limited.signIn('mika'), await limited.signIn('mika')];
    const answers: Response[] = [];
    for (let at = 0; at < 12; at += 1) answers.push(await find(sessions[at % 2]!, 'BBBB-BBBB', limited));
    // The clock's minute may end in between: never more than five in one.
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await codeOf(refused[0]!)).toBe('request.too_many');
    // A neighbour of the same network has tries of their own.
    expect((await find(await limited.signIn('lena'), 'BBBB-BBBB', limited)).status).toBe(404);
  });

  test('answers once, and only the first answer counts', async () => {
    const [mika, lena] = [await app.signIn('mika'), await app.signIn('lena')];
    const codes = await ask();
    const { id } = (await (await find(mika, codes.user_code)).json()) as WaitingDevice;
    const answers = await Promise.all(
      [mika, lena, mika, lena].map(async (as, at) => (await decide(as, id, at < 2)).status),
    );
    expect(answers.toSorted()).toEqual([204, 410, 410, 410]);
    expect(await codeOf(await decide(mika, id, true))).toBe('device.over');
  });

  test('comes too late for a code that has expired while they looked', async () => {
    const mika = await app.signIn('mika');
    const codes = await ask();
    const { id } = (await (await find(mika, codes.user_code)).json()) as WaitingDevice;
    await setColumn(sql`expires_at = now()`, codes);
    expect(await codeOf(await decide(mika, id, true))).toBe('device.over');
  });
});

describe('a device that asks for its token', () => {
  test('hears that nobody has answered, and once they did gets one token, once', async () => {
    const mika = await app.signIn('mika');
    const codes = await ask();
    expect((await poll(codes.device_code)).error).toBe('authorization_pending');
    await answer(mika, codes);
    const polls = await Promise.all(Array.from({ length: 4 }, () => poll(codes.device_code)));
    const token = polls.find(({ error }) => error === undefined)!;
    expect(token).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 90 * 86_400,
    });
    expect(polls.filter(({ error }) => error === 'expired_token')).toHaveLength(3);
    expect((await poll(codes.device_code)).error).toBe('expired_token');
    expect(await isAlive(token.access_token)).toBe(true);
  });

  test('has to wait five seconds longer each time that it asks too early', async () => {
    const codes = await ask();
    const waited = (seconds: number) =>
      setColumn(sql`polled_at = clock_timestamp() - make_interval(secs => ${seconds})`, codes);
    const errors: (string | undefined)[] = [];
    const next = async () => void errors.push((await poll(codes.device_code)).error);
    await next();
    await next();
    await waited(6);
    await next();
    await waited(15);
    await next();
    expect(errors).toEqual(['authorization_pending', 'slow_down', 'slow_down', 'authorization_pending']);
  });

  test('hears that the person refused it, each time', async () => {
    const codes = await ask();
    await answer(await app.signIn('mika'), codes, false);
    expect((await poll(codes.device_code)).error).toBe('access_denied');
    expect((await poll(codes.device_code)).error).toBe('access_denied');
  });

  test.each([
    ['it never had', async () => undefined],
    ['that has expired', (codes: DeviceOutput) => setColumn(sql`expires_at = now()`, codes)],
    [
      'that was swept',
      async (codes: DeviceOutput) => {
        await setColumn(sql`expires_at = now()`, codes);
        expect(await sweepAll(app)).toEqual([]);
        expect(await app.query(sql`select 1 from device_codes where expires_at <= now()`)).toEqual([]);
      },
    ],
  ])('hears that a code %s is no longer valid', async (what, act) => {
    const codes = await ask();
    await act(codes);
    expect((await poll(what === 'it never had' ? 'd'.repeat(43) : codes.device_code)).error).toBe('expired_token');
  });

  test.each([
    ['signed out', (as: Account) => app.call('POST', '/auth/v1/logout', { as })],
    ['signed out everywhere', (as: Account) => app.call('POST', '/auth/v1/logout?scope=global', { as })],
    ['been banned', () => banPerson(app.database.db, [], '1', { discord_id: idOf('leaving'), reason: 'spam' })],
    ['deleted the account', (as: Account) => app.call('DELETE', '/rest/v1/profiles/me', { as })],
  ])('gets none once the person who let it in has %s', async (_what, act) => {
    await app.database.db.execute(sql`delete from bans`);
    const leaving = await app.signIn('leaving');
    const codes = await ask();
    await answer(leaving, codes);
    await act(leaving);
    expect((await poll(codes.device_code)).error).toBe('expired_token');
    expect(
      await app.query(sql`select 1 from sessions where kind = 'device' and profile_id = ${leaving.profile_id}`),
    ).toEqual([]);
  });

  test('asks by JSON and by this grant alone', async () => {
    const { device_code } = await ask();
    const refused = await post('/auth/v1/token', { grant_type: 'authorization_code', device_code });
    expect([refused.status, await codeOf(refused)]).toEqual([400, 'request.invalid']);
    const form = await fetch(`${app.baseUrl}/auth/v1/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: GRANT, device_code }),
    });
    expect(form.status).toBe(415);
  });

  test('may ask as often as its network may', async () => {
    const limited = await createTestApp({ deps: { rateLimits: { device_codes: [{ max: 25, seconds: 60 }] } } });
    const statuses: number[] = [];
    const names = { client: 'satchel', host: 'laptop' };
    for (let at = 0; at < 8; at += 1) statuses.push((await post('/auth/v1/device', names, { to: limited })).status);
    expect(statuses).toContain(429);
  });
});

describe('the session of a device', () => {
  test('is listed by its host for its person, for 90 days, and ended there', async () => {
    const mika = await app.signIn('mika');
    const token = await signInDevice(mika, 'workshop');
    const list = async () => (await (await app.call('GET', '/auth/v1/sessions', { as: mika })).json()) as SessionList;
    const device = (await list()).find(({ label }) => label === 'workshop')!;
    expect(device).toMatchObject({ kind: 'device', is_this_one: false });
    expect(Date.parse(device.expires_at) - Date.parse(device.created_at)).toBe(90 * 86_400_000);
    expect((await list()).find(({ is_this_one }) => is_this_one)?.kind).toBe('browser');
    expect((await app.call('DELETE', `/auth/v1/sessions/${device.id}`, { as: mika })).status).toBe(204);
    expect(await isAlive(token)).toBe(false);
    expect((await list()).find(({ label }) => label === 'workshop')).toBeUndefined();
  });

  test('ends with all others when its person signs out everywhere', async () => {
    const mika = await app.signIn('mika');
    const token = await signInDevice(mika);
    await app.call('POST', '/auth/v1/logout?scope=global', { as: mika });
    expect(await isAlive(token)).toBe(false);
  });

  test('ends itself, and no other', async () => {
    const mika = await app.signIn('mika');
    const [token, other] = [await signInDevice(mika), await signInDevice(mika)];
    for (const scope of ['others', 'global']) {
      const response = await call(token, 'POST', `/auth/v1/logout?scope=${scope}`);
      expect([response.status, await codeOf(response)]).toEqual([403, 'auth.not_for_devices']);
    }
    expect((await call(token, 'POST', '/auth/v1/logout')).status).toBe(204);
    expect([await isAlive(token), await isAlive(other)]).toEqual([false, true]);
    expect((await app.call('GET', '/auth/v1/user', { as: mika })).status).toBe(200);
  });

  test('gets bearers for storage calls, which end with it', async () => {
    const mika = await app.signIn('mika');
    const token = await signInDevice(mika);
    const { session } = (await (await call(token, 'GET', '/auth/v1/session')).json()) as Session;
    expect(session?.user.id).toBe(mika.profile_id);
    const create = () =>
      fetch(`${app.baseUrl}/storage/v1/upload/resumable`, {
        method: 'POST',
        headers: { authorization: `Bearer ${session!.access_token}`, 'tus-resumable': '1.0.0' },
      });
    expect(await codeOf(await create())).toBe('upload.bad_length');
    await call(token, 'POST', '/auth/v1/logout');
    expect((await create()).status).toBe(401);
  });

  test('counts for nothing beside a cookie', async () => {
    const [mika, lena] = [await app.signIn('mika'), await app.signIn('lena')];
    const token = await signInDevice(mika);
    const headers = { authorization: `Bearer ${token}`, cookie: lena.cookie };
    const user = (await (await fetch(`${app.baseUrl}/auth/v1/user`, { headers })).json()) as { id: string };
    expect(user.id).toBe(lena.profile_id);
  });
});

describe('a running upload of a device', () => {
  /** Sends bytes until the upload is over, and ends the device's session in the profile after the first of them. */
  async function sendUntil(over: Promise<unknown>, send: () => Promise<unknown>, end: () => Promise<unknown>) {
    let isOver = false;
    over.then(() => (isOver = true));
    await send();
    await end();
    while (!isOver) {
      await send();
      await sleep(10);
    }
  }

  async function startUpload() {
    const mika = await app.signIn('mika');
    const token = await signInDevice(mika, 'sender');
    const { session } = (await (await call(token, 'GET', '/auth/v1/session')).json()) as Session;
    const bearer = session!.access_token;
    const tus = createTus(app, { ...mika, bearer });
    const url = await tus.create({ folder: await makeFolder(app, mika), name: freshName(), length: 64 * MIB });
    const sessions = (await (await app.call('GET', '/auth/v1/sessions', { as: mika })).json()) as SessionList;
    const { id } = sessions.find(({ label }) => label === 'sender')!;
    return { tus, url, bearer, end: () => app.call('DELETE', `/auth/v1/sessions/${id}`, { as: mika }) };
  }

  test('by HTTP stops with the reason once its session is ended in the profile', async () => {
    const { tus, url, end } = await startUpload();
    const patch = openPatch(tus, url, 0, 64 * MIB);
    await sendUntil(patch.outcome, () => patch.send(someBytes(16 * KIB)), end);
    const outcome = await patch.outcome;
    patch.abort();
    expect(outcome).toMatchObject({ status: 401, body: expect.stringContaining('upload.unauthenticated') });
  });

  test('by the socket stops with the reason once its session is ended in the profile', async () => {
    const { url, bearer, end } = await startUpload();
    const client = await openSocket(app);
    client.begin(url, 0, bearer);
    await client.heard('ready');
    await sendUntil(client.closed, async () => client.socket.send(someBytes(16 * KIB)), end);
    expect((await client.heard('error')).error).toMatchObject({ code: 'upload.unauthenticated', status: 401 });
    expect((await client.closed).code).toBe(4401);
  });
});

test('no code and no token is in the database or in the log', async () => {
  const mika = await app.signIn('mika');
  const codes = await ask();
  expect((await poll(codes.device_code)).error).toBe('authorization_pending');
  const waiting = JSON.stringify(await app.query(sql`select * from device_codes`));
  await answer(mika, codes);
  const { access_token } = await poll(codes.device_code);
  const stored =
    waiting + JSON.stringify(await app.query(sql`select * from sessions`)) + JSON.stringify(await storedState(app));
  for (const secret of [codes.device_code, codes.user_code, access_token]) {
    expect(stored).not.toContain(secret);
    expect(app.log.join('\n')).not.toContain(secret);
  }
  expect(app.log.join('\n')).toContain('device signed in');
});
