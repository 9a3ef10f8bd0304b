import { expect, test } from 'vitest';
import { programText } from './program.ts';

test('a program names its version and its commit, and says when its sources were others', () => {
  const program = { version: '1.2.3', commit: '2f7ab4829abc', is_changed: false };
  expect(programText(program)).toBe('1.2.3 (commit 2f7ab4829abc)');
  expect(programText({ ...program, is_changed: true })).toBe('1.2.3 (commit 2f7ab4829abc, changed)');
  expect(programText({ ...program, commit: null })).toBe('1.2.3 (commit not known)');
});
