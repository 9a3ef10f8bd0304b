import { afterAll, beforeAll, expect, test } from 'vitest';
import { listRoutes } from '../support/routes.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

test('the API’s description knows every route but its own', async () => {
  const { paths } = (await (await app.call('GET', '/openapi.json')).json()) as { paths: Record<string, object> };
  const described = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.keys(byMethod).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = (await listRoutes(app.deps)).map(
    ({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}').replace('*', '{*}')}`,
  );
  expect([...described, 'GET /openapi.json']).toEqual(expect.arrayContaining(routes));
  expect(routes.length).toBeGreaterThan(40);
});
