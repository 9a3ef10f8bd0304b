import { describe, expect, it } from 'vitest';
import { checkLockfile } from './check-lockfile.mjs';

const GOOD = {
  '': { name: 'satchel' },
  'packages/contract': { version: '0.1.0' },
  'node_modules/@satchel/contract': { resolved: 'packages/contract', link: true },
  'node_modules/tool': { version: '1.0.0', integrity: 'sha512-a', optionalDependencies: { 'tool-linux': '1.0.0' } },
  'node_modules/tool-linux': { version: '1.0.0', integrity: 'sha512-b', optional: true },
};

const check = (changes) => checkLockfile({ packages: { ...GOOD, ...changes } });

describe('the lockfile check', () => {
  it('passes a lockfile without hosts, with every platform', () => {
    expect(check({})).toEqual([]);
  });

  it('finds a platform package one folder up', () => {
    const nested = { version: '1.0.0', integrity: 'sha512-c', optionalDependencies: { 'tool-linux': '^1.0.0' } };
    expect(check({ 'node_modules/x/node_modules/y': nested })).toEqual([]);
  });

  it.each([
    ['an address', { version: '1.0.0', integrity: 'sha512-c', resolved: 'https://registry.example/x.tgz' }, /address/],
    [
      'a package from git',
      { version: '1.0.0', integrity: 'sha512-c', resolved: 'git+ssh://git@example.org/x' },
      /address/,
    ],
    ['a missing hash', { version: '1.0.0' }, /no integrity hash/],
    ['an install script', { version: '1.0.0', integrity: 'sha512-c', hasInstallScript: true }, /install script/],
    [
      'a platform that is missing',
      { version: '2.0.0', integrity: 'sha512-c', optionalDependencies: { 'x-mac': '2.0.0' } },
      /x-mac 2\.0\.0/,
    ],
    [
      'a platform of another version',
      { version: '2.0.0', integrity: 'sha512-c', optionalDependencies: { 'tool-linux': '2.0.0' } },
      /tool-linux 2\.0\.0/,
    ],
  ])('catches %s', (_name, entry, complaint) => {
    const lines = check({ 'node_modules/x': entry });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(complaint);
  });
});
