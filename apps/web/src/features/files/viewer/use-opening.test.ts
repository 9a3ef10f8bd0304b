import { expect, test } from 'vitest';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { neighbours } from './use-opening.ts';

const files = (...ids: string[]) => ids.map((id) => ({ id }) as FileItem);

test('the files beside one are the next and the one before, around both ends, each once', () => {
  expect(neighbours(files('a', 'b', 'c', 'd'), 'b')).toEqual(['c', 'a']);
  expect(neighbours(files('a', 'b', 'c', 'd'), 'd')).toEqual(['a', 'c']);
  expect(neighbours(files('a', 'b'), 'a')).toEqual(['b']);
  expect([neighbours(files('a'), 'a'), neighbours(files('a'), 'gone')]).toEqual([[], []]);
});
