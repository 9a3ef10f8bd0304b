import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import { createTestApp, type TestApp } from '../testing/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

/** The routes that the server has, as the description of the API writes them. */
async function registered(): Promise<string[]> {
  const routes = new Set<string>();
  const another = createApp(app.deps);
  another.addHook('onRoute', ({ method, url }) => {
    const path = url.replace(/:(\w+)/g, '{$1}').replace('*', '{*}');
    for (const name of [method].flat()) routes.add(`${name} ${path}`);
  });
  await another.ready();
  await another.close();
  // Who may GET may HEAD.
  return [...routes].filter((route) => !route.startsWith('HEAD ') || !routes.has(route.replace('HEAD', 'GET')));
}

test('the description of the API knows every route but its own', async () => {
  const { paths } = (await (await app.call('GET', '/openapi.json')).json()) as { paths: Record<string, object> };
  const described = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.keys(byMethod).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described).toEqual(expect.arrayContaining(await registered()));
});
