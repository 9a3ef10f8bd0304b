import { expect, test } from 'vitest';
import { leaveRest, type Routed } from './static-routes.ts';

test('the worker is asked for opened files and for what is shared, the network for the rest, and for pages both where that costs nothing', async () => {
  const added: unknown[] = [];
  const addRoutes: Routed['addRoutes'] = async (rules) => {
    added.push(
      ...rules.map(({ condition: { urlPattern, runningStatus }, source }) =>
        [urlPattern, source, runningStatus].filter(Boolean),
      ),
    );
  };
  await leaveRest({ addRoutes });
  const race = 'race-network-and-fetch-handler';
  expect(added).toEqual([
    ['/media/*', 'fetch-event'],
    ['/dl/*', 'fetch-event'],
    ['/share-target', 'fetch-event'],
    [{ pathname: '/', search: 'app' }, race],
    ['/', race, 'running'],
    ['/upload', race, 'running'],
    ['/profile', race, 'running'],
    ['/f/*', race, 'running'],
    ['/*', 'network'],
  ]);
});

test('a browser that has no such rules, or refuses these, installs the worker all the same', async () => {
  await leaveRest({});
  await leaveRest({ addRoutes: () => Promise.reject(new TypeError('unknown source')) });
});
