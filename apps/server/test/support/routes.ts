import { createApp } from '../../src/app.ts';
import type { AppDeps } from '../../src/http/deps.ts';

/** The route registry, for tests that walk through all routes. */

export interface Route {
  readonly method: string;
  /** Its template, such as /rest/v1/folders/:slug. */
  readonly url: string;
}

/** Every route of an app; HEAD only if it is more than a GET without its body. */
export async function listRoutes(deps: AppDeps): Promise<readonly Route[]> {
  // Routes of the root itself exist before any hook can record them.
  const names = new Set(['GET /metrics', 'GET /openapi.json']);
  const another = createApp(deps);
  another.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) names.add(`${name} ${url}`);
  });
  await another.ready();
  await another.close();
  return [...names]
    .filter((name) => !name.startsWith('HEAD ') || !names.has(name.replace('HEAD', 'GET')))
    .map((name) => ({ method: name.slice(0, name.indexOf(' ')), url: name.slice(name.indexOf(' ') + 1) }));
}

/** A path of a route; `*` fills the open end of a template. */
export const pathOf = ({ url }: Route, values: Readonly<Record<string, string>>): string =>
  url.replace(/:(\w+)|\*$/g, (place, name = '*') => values[name] ?? place);
