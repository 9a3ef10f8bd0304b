import { expect, it } from 'vitest';
import { productionPackages } from './production-packages.mjs';

const find = (packages) => productionPackages({ packages }, ['apps/server']);

it('follows dependencies and required peers as Node finds them, and leaves development, bundled and unused ones out', () => {
  const packages = {
    'apps/server': {
      dependencies: { a: '1', '@satchel/contract': '1', 'drizzle-orm': '1' },
      devDependencies: { dev: '1' },
    },
    'node_modules/a': {
      dependencies: { b: '1' },
      peerDependencies: { peer: '1', optional: '1' },
      peerDependenciesMeta: { optional: { optional: true } },
    },
    'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
    'node_modules/b': {},
    'node_modules/c': { dependencies: { a: '1' }, optionalDependencies: { native: '1', absent: '1' } },
    'node_modules/dev': {},
    'node_modules/drizzle-orm': {},
    'node_modules/native': { os: ['linux'] },
    'node_modules/optional': {},
    'node_modules/peer': {},
  };
  expect(find(packages)).toEqual([
    'node_modules/a',
    'node_modules/a/node_modules/b',
    'node_modules/c',
    'node_modules/peer',
  ]);
});

it('refuses a package that is missing, and one that runs on one platform only', () => {
  expect(() => find({ 'apps/server': { dependencies: { a: '1' } } })).toThrow('lacks a');
  const native = { 'apps/server': { dependencies: { a: '1' } }, 'node_modules/a': { cpu: ['x64'] } };
  expect(() => find(native)).toThrow('one platform only');
});
