import { expect, test } from 'vitest';
import { UsageError } from '../outcome.ts';
import { parseCommandLine, parseHours } from './command-line.ts';
import { COMMANDS } from './commands.ts';

test('reads switches, values, repeated values and operands in any order', () => {
  const typed = parseCommandLine(['get', '-o', 'there', '--only', 'a', '@link', '--only=b', '-f']);
  expect(typed.operands).toEqual(['@link']);
  expect([typed.value('output'), typed.values('only'), typed.has('force'), typed.has('json')]).toEqual([
    'there',
    ['a', 'b'],
    true,
    false,
  ]);
});

test.each([[['frob']], [['put', '--frob', 'a']], [['put', '--to']], [['get', 'a', 'b']], [['whoami', 'mika']]])(
  '%j is refused in one line',
  (args) => {
    const parse = () => parseCommandLine(args);
    expect(parse).toThrow(UsageError);
    expect(parse).not.toThrow('\n');
  },
);

test.each([
  ['90m', 1.5],
  ['6h', 6],
  ['2d', 48],
])('--expires %s', (text, hours) => expect(parseHours(text)).toBe(hours));

test.each(['', '0h', '-1h', '6', '6 h', 'h', '1e3h'])('--expires %j is no time', (text) =>
  expect(() => parseHours(text)).toThrow(UsageError),
);

test('no command takes a secret as an argument, or two flags of one letter', () => {
  for (const { name, flags } of COMMANDS) {
    const shorts = flags.flatMap(({ short = [] }) => short);
    expect([name, new Set(shorts).size]).toEqual([name, shorts.length]);
    const secret = flags.filter(
      ({ name: flag, value }) => /pass|token|key|secret/.test(flag) && value && value !== 'FILE',
    );
    expect(secret).toEqual([]);
  }
});
