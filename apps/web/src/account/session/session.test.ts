import { afterEach, expect, test, vi } from 'vitest';
import { accessToken, currentSession, loadSession, signOut } from './session.ts';

const session = {
  access_token: 'bearer',
  expires_at: new Date(Date.now() + 600_000).toISOString(),
  user: {
    id: '0b6e5f0e-3a0e-4f0e-9d6b-3f1f1c1f0c11',
    email: null,
    created_at: '2026-03-01T12:00:00.000Z',
    user_metadata: { full_name: 'Mika', avatar_url: null },
  },
};

afterEach(() => {
  vi.unstubAllGlobals();
});

test('an answer from before signing out does not sign in again', async () => {
  const answer = Promise.withResolvers<Response>();
  vi.stubGlobal('fetch', async (_path: string, { method = 'GET' }: RequestInit) =>
    method === 'POST' ? new Response(null, { status: 204 }) : answer.promise,
  );
  const checking = loadSession();
  await signOut();
  answer.resolve(Response.json({ session }));
  expect(await checking).toEqual({ state: 'out' });
  expect(currentSession()).toEqual({ state: 'out' });
  vi.stubGlobal('fetch', async () => Response.json({ session: null }));
  await expect(accessToken()).rejects.toMatchObject({ code: 'upload.unauthenticated' });
});

test('a person who is signed in is known, with a bearer', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ session }));
  expect(await loadSession()).toEqual({ state: 'in', user: session.user });
  expect(await accessToken()).toBe('bearer');
});
