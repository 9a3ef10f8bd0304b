import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOfflineAnswer, keepOfflinePage } from './offline-answer.ts';

const ORIGIN = 'https://satchel.example';
let kept: Map<string, Response>;
let isThere: boolean;

beforeEach(() => {
  [kept, isThere] = [new Map(), true];
  const cache = {
    put: async (name: string, page: Response) => kept.set(name, page),
    match: async (name: string) => kept.get(name)?.clone(),
  };
  vi.stubGlobal('caches', { open: async () => cache, has: async () => kept.size > 0 });
});
afterEach(() => vi.unstubAllGlobals());

const ask = (path: string, init: object = {}) =>
  ({ url: new URL(path, ORIGIN).href, mode: 'navigate', method: 'GET', ...init }) as Request;

async function started() {
  const offline = createOfflineAnswer({
    origin: ORIGIN,
    fetch: async () => {
      if (!isThere) throw new TypeError('Failed to fetch');
      return new Response('from the site');
    },
  });
  await offline.looked;
  return offline;
}
const textOf = async (answer: Promise<Response> | null) => (await answer)?.text();

test('an installed site shows its own page where the network is away, on every page of it', async () => {
  await keepOfflinePage(new Response('You are offline'));
  const { handle } = await started();
  expect(await textOf(handle(ask('/f/abcdefgh12345678')))).toBe('from the site');
  isThere = false;
  expect(await textOf(handle(ask('/?app')))).toBe('You are offline');
  expect(await textOf(handle(ask('/f/abcdefgh12345678')))).toBe('You are offline');
});

test('where the site is not installed, pages are left to the browser', async () => {
  const { handle } = await started();
  expect(handle(ask('/f/abcdefgh12345678'))).toBeNull();
  expect(handle(ask('/'))).toBeNull();
});

test('an app that has kept no page yet fails as the network does', async () => {
  const { handle } = await started();
  isThere = false;
  await expect(handle(ask('/?app'))).rejects.toThrow('Failed to fetch');
});

test('nothing but pages of this site is answered', async () => {
  await keepOfflinePage(new Response('You are offline'));
  const { handle } = await started();
  for (const request of [
    ask('/rest/v1/rpc/x', { mode: 'cors' }),
    ask('/share-target', { method: 'POST' }),
    ask('https://elsewhere.example/?app'),
  ])
    expect(handle(request)).toBeNull();
});
