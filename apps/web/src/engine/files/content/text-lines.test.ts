import { expect, test } from 'vitest';
import { LINES_MAX, textLines } from './text-lines.ts';

test('what acts on a terminal is made visible', () => {
  expect(textLines('a\u001b[31mb\u0007\u0000\u007f\tc\u009b')).toEqual({ text: 'a␛[31mb␇␀␡\tc[U+009B]', isCut: false });
});

test('what turns the direction of a line is made visible in a program, and left in other texts', () => {
  const text = 'if (a\u202e) \u2066x';
  expect(textLines(text, { isProgram: true }).text).toBe('if (a[U+202E]) [U+2066]x');
  expect(textLines(text).text).toBe(text);
});

test('all ends of lines are the same', () => {
  expect(textLines('\ufeffa\r\nb\rc\n').text).toBe('a\nb\nc\n');
});

test('a million lines are cut', () => {
  const { text, isCut } = textLines('\n'.repeat(1_000_000));
  expect([text.length, isCut]).toEqual([LINES_MAX - 1, true]);
  expect(textLines('a\nb\n', { maxLines: 2 })).toEqual({ text: 'a\nb', isCut: false });
});

test.each(['\u0301', '\u200b', '\ufe0f', '\u{e0067}'])(
  'letters without a width fill lines, %j among them',
  (letter) => {
    const lines = textLines(`a${letter.repeat(200_000)}`).text.split('\n');
    expect(Math.max(...lines.map((line) => Array.from(line).length))).toBeLessThanOrEqual(65);
    expect(lines.join('')).toBe(`a${letter.repeat(200_000)}`);
  },
);

test('a word of letters with marks, or of joined ones, is one line', () => {
  const word = `${'e\u0301\u0323'.repeat(100)} 👩‍👩‍👧‍👦🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}`;
  expect(textLines(word).text).toBe(word);
});
