import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { COMMANDS } from './commands.ts';
import { completionFor, helpOf, manPage, overview } from './manual.ts';

test('help, man page and completions name every command and every flag', () => {
  const texts = {
    man: manPage('1.0.0').replaceAll('\\-', '-'),
    bash: completionFor('bash'),
    zsh: completionFor('zsh'),
  };
  for (const command of COMMANDS) {
    expect(overview()).toContain(command.says);
    for (const { name } of command.flags) {
      expect(helpOf(command)).toContain(`--${name}`);
      for (const text of Object.values(texts)) expect(text).toContain(`--${name}`);
      expect(completionFor('fish')).toContain(`-l ${name}`);
    }
  }
  expect(completionFor('tcsh')).toBe(null);
  expect(completionFor('constructor')).toBe(null);
});

test('bash completes commands, and the flags of the one that was typed', () => {
  const completed = (words: string) =>
    execFileSync('bash', [
      '-c',
      `${completionFor('bash')}\nCOMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _satchel; echo "\${COMPREPLY[@]}"`,
    ])
      .toString()
      .trim();
  expect(completed('satchel lo')).toBe('login logout');
  expect(completed('satchel get --o')).toBe('--output --only');
});

test('the man page has no line that roff would take for a request of ours', () => {
  const requests = manPage('1.0.0')
    .split('\n')
    .filter((line) => /^[.']/.test(line));
  for (const line of requests) expect(line).toMatch(/^\.(TH|SH|SS|TP|PP|br|B|I)\b/);
});
