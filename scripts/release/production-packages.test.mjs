import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LOADED_APART } from '../launch/build-outputs.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { productionPackages } from './production-packages.mjs';

const find = (packages, wanted) => productionPackages({ packages }, { 'apps/server': wanted });

it('follows dependencies, required peers and workspaces as Node finds them, and leaves development and unused ones out', () => {
  const packages = {
    'apps/server': {
      dependencies: { a: '1', '@satchel/contract': '1', bundled: '1' },
      devDependencies: { dev: '1' },
    },
    'packages/contract': { dependencies: { ofContract: '1' } },
    'node_modules/@satchel/contract': { link: true, resolved: 'packages/contract' },
    'node_modules/a': {
      dependencies: { b: '1' },
      peerDependencies: { peer: '1', optional: '1' },
      peerDependenciesMeta: { optional: { optional: true } },
    },
    'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
    'node_modules/b': {},
    'node_modules/bundled': { dependencies: { ofBundled: '1' } },
    'node_modules/c': { dependencies: { a: '1' }, optionalDependencies: { native: '1', absent: '1' } },
    'node_modules/dev': {},
    'node_modules/native': { os: ['linux'] },
    'node_modules/ofBundled': {},
    'node_modules/ofContract': {},
    'node_modules/optional': {},
    'node_modules/peer': {},
  };
  const ofA = ['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c', 'node_modules/peer'];
  expect(find(packages, ['a'])).toEqual(ofA);
  const bundled = ['node_modules/bundled', 'node_modules/ofBundled', 'node_modules/ofContract'];
  expect(find(packages)).toEqual([...ofA, ...bundled].sort());
});

it('refuses a package that is missing, and one that runs on one platform only', () => {
  expect(() => find({ 'apps/server': { dependencies: { a: '1' } } })).toThrow('lacks a');
  const native = { 'apps/server': { dependencies: { a: '1' } }, 'node_modules/a': { cpu: ['x64'] } };
  expect(() => find(native)).toThrow('one platform only');
});

it('lists for the built server the packages that its one file loads, and none that are bundled in it', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const found = productionPackages(lock, { 'apps/server': LOADED_APART });
  const apart = ['@aws-sdk/client-s3', '@discordjs/rest', 'pino'].map((name) => `node_modules/${name}`);
  expect(found).toEqual(expect.arrayContaining([...apart, 'node_modules/thread-stream']));
  for (const bundled of ['fastify', 'pg', 'drizzle-orm']) expect(found).not.toContain(`node_modules/${bundled}`);
});
