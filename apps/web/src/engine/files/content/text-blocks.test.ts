import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CodeLine } from './highlight-code.ts';
import { BLOCK_MAX_CHARS, partText, plainLines, TURNED_MAX_CHARS, textBlocks } from './text-blocks.ts';

const lengthOf = (block: ReturnType<typeof textBlocks>[number]) =>
  block.flatMap(({ parts }) => parts).reduce((sum, part) => sum + partText(part).length, 0);

/** The text that blocks say, in lines. */
const said = (blocks: ReturnType<typeof textBlocks>) =>
  blocks
    .flat()
    .map(({ number, parts }) => `${number === null || number === 1 ? '' : '\n'}${parts.map(partText).join('')}`)
    .join('');

test('a line of megabytes is laid out in pieces, and nothing of it is lost', () => {
  const line = '{"key": "value", "n": 123},'.repeat(20_000);
  const blocks = textBlocks(plainLines(line));
  expect(Math.max(...blocks.map(lengthOf))).toBeLessThanOrEqual(BLOCK_MAX_CHARS);
  expect(said(blocks)).toBe(line);
  expect(blocks.flat().filter(({ number }) => number !== null)).toHaveLength(1);
});

test('letters of two directions are laid out in smaller pieces, and words stay whole', () => {
  const line = 'word \u0645\u0631\u062d\u0628\u0627 '.repeat(1000);
  const blocks = textBlocks(plainLines(line));
  expect(Math.max(...blocks.map(lengthOf))).toBeLessThanOrEqual(TURNED_MAX_CHARS);
  expect(said(blocks)).toBe(line);
  for (const { parts } of blocks.flat()) expect(partText(parts.at(-1) ?? '')).toMatch(/ $/);
});

test('any text is said whole by blocks that are small enough to be laid out at once', () => {
  const tone = fc.constantFrom('string' as const, 'keyword' as const);
  const text = fc.string({ unit: 'grapheme', maxLength: 3000 });
  const line = fc.array(fc.oneof(text, fc.tuple(tone, text)), { maxLength: 6 }) as fc.Arbitrary<CodeLine>;
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 300, size: 'max' }), (lines) => {
      const blocks = textBlocks(lines);
      expect(Math.max(0, ...blocks.map(lengthOf))).toBeLessThanOrEqual(BLOCK_MAX_CHARS);
      expect(Math.max(0, ...blocks.map((block) => block.length))).toBeLessThanOrEqual(100);
      expect(said(blocks)).toBe(lines.map((parts) => parts.map(partText).join('')).join('\n'));
    }),
    { numRuns: 20 },
  );
});

test('a letter and its marks stay together where a line is cut', () => {
  const letters = ['👩‍🚀', 'é'.normalize('NFD')];
  for (const letter of letters) {
    const pieces = textBlocks(plainLines(`x${letter.repeat(BLOCK_MAX_CHARS)}`)).flat();
    for (const { parts } of pieces) expect(parts.map(partText).join('').isWellFormed()).toBe(true);
    for (const { parts } of pieces) expect(parts.map(partText).join('')).not.toMatch(/^\p{M}/u);
  }
});

test('a new block begins after a hundred lines', () => {
  const blocks = textBlocks(plainLines('a\n'.repeat(250)));
  expect(blocks.map((block) => block.length)).toEqual([100, 100, 51]);
  expect(blocks[1]?.[0]).toEqual({ number: 101, parts: ['a'] });
});

test('what a machine has packed into a line has no colours where they would be too many; a written program has them', () => {
  const dense: CodeLine = Array.from({ length: 20_000 }, (_, at) => ['name', at % 2 ? 'a' : '='] as const);
  const blocks = textBlocks([dense]);
  expect(
    blocks
      .flat()
      .flatMap(({ parts }) => parts.map(partText))
      .join(''),
  ).toBe('=a'.repeat(10_000));
  for (const block of blocks) expect(block.flatMap(({ parts }) => parts).length).toBeLessThan(700);
  const written: CodeLine[] = Array.from({ length: 500 }, () => [['keyword', 'return'], ' ', ['name', 'it'], ';']);
  expect(
    textBlocks(written)
      .flat()
      .map(({ parts }) => parts),
  ).toEqual(written);
});
