import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { compareSaved } from './compare-saved.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
async function* units(texts: readonly string[], failure?: Error) {
  for (const text of texts) yield [bytes(text), bytes('.')];
  if (failure) throw failure;
}
const compare = (saved: string, texts: readonly string[], failure?: Error, signal = new AbortController().signal) => {
  const seen: number[] = [];
  return compareSaved(
    new Blob([saved]),
    { units: units(texts, failure) },
    { signal, onProgress: (at) => seen.push(at) },
  ).then((isSame) => [isSame, seen] as const);
};

test('a file with the same bytes is the same', async () => {
  expect(await compare('one.two.', ['one', 'two'])).toEqual([true, [3, 4, 7, 8]]);
});

test.each([
  ['is cut', 'one.tw'],
  ['has a byte more', 'one.two.!'],
  ['has other bytes', 'one,two.'],
  ['is empty', ''],
])('a file that %s is not', async (_how, saved) => {
  expect((await compare(saved, ['one', 'two']))[0]).toBe(false);
});

test('a file can’t be compared with one that does not open', async () => {
  await expect(compare('one.', ['one'], new AppError('open.corrupted'))).rejects.toMatchObject({
    code: 'open.corrupted',
  });
});

test('a comparison that is given up ends', async () => {
  await expect(compare('one.', ['one'], undefined, AbortSignal.abort(new Error('given up')))).rejects.toThrow(
    'given up',
  );
});
