import { expect, test } from 'vitest';
import { listRoutes } from '../support/routes.ts';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp();

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
