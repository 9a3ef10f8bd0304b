import { describe, expect, test } from 'vitest';
import { serversOf } from '../api/world.ts';
import { findPersona, personas } from '../personas/personas.ts';
import { fetchUser, obtainTokens, startSandbox } from '../test-sandbox.ts';

async function signIn(persona: string, scope = 'identify email') {
  const sandbox = await startSandbox();
  const { access_token } = await obtainTokens(sandbox, { persona, scope });
  return { sandbox, access_token };
}

async function readUser(persona: string, scope?: string) {
  const { sandbox, access_token } = await signIn(persona, scope);
  const response = await fetchUser(sandbox, access_token);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return (await response.json()) as Record<string, unknown>;
}

describe('/users/@me', () => {
  test.each(personas.map(({ name }) => name))('answers all of %s', async (name) => {
    const user = await readUser(name);
    expect(user).toEqual(findPersona(name)?.user);
    expect(user.id).toMatch(/^\d{19}$/);
  });

  test('keeps to itself what the email scope covers', async () => {
    const user = await readUser('mika', 'identify');
    expect(user).toMatchObject({ global_name: 'Mika' });
    expect(user).not.toHaveProperty('email');
    expect(user).not.toHaveProperty('verified');
  });

  test('has an account of every kind that the product treats differently', async () => {
    expect(await readUser('ava')).toMatchObject({ avatar: expect.stringMatching(/^a_/), public_flags: 4_325_956 });
    expect(await readUser('otto')).toMatchObject({ email: null, global_name: null, avatar: null });
    expect(await readUser('lena')).toMatchObject({ discriminator: '1234' });
  });

  test('tells the servers of a person only by the guilds scope', async () => {
    const ask = async (scope: string) => {
      const { sandbox, access_token } = await signIn('mika', scope);
      return sandbox.get('/api/v10/users/@me/guilds', { Authorization: `Bearer ${access_token}` });
    };
    expect((await ask('identify')).status).toBe(401);
    const guilds = (await (await ask('identify guilds')).json()) as { id: string }[];
    expect(guilds.map(({ id }) => id)).toEqual(serversOf('mika').map(({ id }) => id));
    expect(guilds).toHaveLength(2);
  });

  test.each([
    ['no authorization', undefined],
    ['an unknown token', 'Bearer unknown'],
    ['HTTP Basic', `Basic ${Buffer.from('a:b').toString('base64')}`],
    ['an empty token', 'Bearer '],
  ])('is refused with %s, in the words of Discord', async (_, authorization) => {
    const sandbox = await startSandbox();
    const response = await sandbox.get('/api/v10/users/@me', authorization === undefined ? {} : { authorization });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: '401: Unauthorized', code: 0 });
  });

  test('is refused to a token without the identify scope', async () => {
    const { sandbox, access_token } = await signIn('mika', 'email');
    expect((await fetchUser(sandbox, access_token)).status).toBe(401);
  });
});

test('an unknown address is answered as Discord answers it', async () => {
  const sandbox = await startSandbox();
  const response = await sandbox.get('/api/v10/guilds');
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ message: '404: Not Found', code: 0 });
});

test('the home page says what this is', async () => {
  const sandbox = await startSandbox();
  const page = await (await sandbox.get('/')).text();
  expect(page).toContain('nobody real');
  expect(page).toContain(sandbox.origin);
  expect(page).toContain('href="/chat"');
  expect((await sandbox.get('/icon.svg')).headers.get('content-type')).toContain('image/svg+xml');
});
