import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readCommit } from './source.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'satchel-source-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
    cwd: root,
    encoding: 'utf8',
  }).trim();

it('names the commit, and says when the tree is another one: changed, added or deleted files', () => {
  git('init', '--quiet');
  writeFileSync(join(root, 'a'), '1');
  writeFileSync(join(root, '.gitignore'), 'built\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'First');
  const commit = git('rev-parse', 'HEAD');
  expect(readCommit(root)).toEqual({ commit, isChanged: false });
  writeFileSync(join(root, 'built'), 'not of the sources');
  expect(readCommit(root)).toEqual({ commit, isChanged: false });
  writeFileSync(join(root, 'a'), '2');
  expect(readCommit(root)).toEqual({ commit, isChanged: true });
  git('checkout', '--quiet', 'a');
  writeFileSync(join(root, 'b'), '');
  expect(readCommit(root)).toEqual({ commit, isChanged: true });
  rmSync(join(root, 'b'));
  rmSync(join(root, 'a'));
  expect(readCommit(root)).toEqual({ commit, isChanged: true });
});

it('takes it from the environment where there is no history', () => {
  const before = process.env.SOURCE_COMMIT;
  process.env.SOURCE_COMMIT = 'f'.repeat(40);
  expect(readCommit(root)).toEqual({ commit: 'f'.repeat(40), isChanged: false });
  delete process.env.SOURCE_COMMIT;
  expect(readCommit(root)).toEqual({ commit: 'unknown', isChanged: false });
  if (before !== undefined) process.env.SOURCE_COMMIT = before;
});
