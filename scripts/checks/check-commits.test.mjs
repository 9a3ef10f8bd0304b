import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkCommits } from './check-commits.mjs';

const LONG = `Say ${'more '.repeat(13)}`.padEnd(73, 'x');
const SHORT = LONG.slice(0, 72);

let folder;
let root;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'satchel-commits-'));
  root = join(folder, 'checkout');
  git(folder, 'init', '--quiet', '--initial-branch=main', root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(at, ...args) {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
  const { status, stdout, stderr } = spawnSync('git', ['-C', at, ...who, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

function commit(subject, at = root) {
  git(at, 'commit', '--quiet', '--allow-empty', '-m', subject);
  return git(at, 'rev-parse', 'HEAD');
}

/** What is found, and what is noted beside it. */
function check(at, since) {
  const notes = [];
  const lines = checkCommits(at, { since, note: (text) => notes.push(text) });
  return { lines: lines.map((line) => line.replace(/^\S+ /, '')), notes };
}
const found = `has a subject of 73 characters, at most 72: ${LONG}`;

describe('the check of commit subjects', () => {
  it('finds those that are too long on top of the recorded commit, and none before it', () => {
    const since = commit(LONG);
    commit(SHORT);
    expect(check(root, since)).toEqual({ lines: [], notes: [] });
    commit(LONG);
    commit('Ä'.repeat(72));
    expect(check(root, since)).toEqual({ lines: [found], notes: [] });
  });

  it('counts the subject alone, and no merge', () => {
    const since = commit('Begin');
    git(root, 'commit', '--quiet', '--allow-empty', '-m', SHORT, '-m', LONG);
    git(root, 'checkout', '--quiet', '-b', 'side', since);
    commit('Aside');
    git(root, 'merge', '--quiet', '--no-ff', '-m', LONG, 'main');
    expect(check(root, since)).toEqual({ lines: [], notes: [] });
  });

  it('begins after the last release where there is one', () => {
    const since = commit('Begin');
    commit(LONG);
    git(root, 'tag', 'v1.0.0');
    expect(check(root, since)).toEqual({ lines: [], notes: [] });
    commit(LONG);
    expect(check(root, since)).toEqual({ lines: [found], notes: [] });
  });

  it('looks at all that a shallow clone has', () => {
    const since = commit(LONG);
    commit('Between');
    commit(LONG);
    const clone = join(folder, 'clone');
    git(folder, 'clone', '--quiet', '--depth=1', pathToFileURL(root).href, clone);
    expect(check(clone, since)).toEqual({ lines: [found], notes: [] });
  });

  it('says so where there is no history, or none that it knows', () => {
    commit(LONG);
    expect(check(root, '0'.repeat(40))).toEqual({ lines: [], notes: [expect.stringContaining('neither a release')] });
    const noHistory = { lines: [], notes: [expect.stringContaining('no history')] };
    const archive = join(folder, 'archive');
    mkdirSync(archive);
    expect(check(archive)).toEqual(noHistory);
    const inside = join(root, 'archive');
    mkdirSync(inside);
    expect(check(inside)).toEqual(noHistory);
  });
});
