import { expect, test } from 'vitest';
import { matches } from './get.ts';

const PATHS = ['Tür (1).pdf', 'a+b.txt', 'photos/ü.jpg', 'photos/2026/x’s.jpg', 'notes.md'];
const chosenBy = (...only: string[]) =>
  PATHS.filter((path) => matches(only)({ path, name: path.split('/').at(-1) ?? '' }));

test.each<[string[], string[]]>([
  [[], PATHS],
  [['*.pdf'], ['Tür (1).pdf']],
  [['Tür (1).pdf'], ['Tür (1).pdf']],
  [['?+b.txt'], ['a+b.txt']],
  [['photos'], ['photos/ü.jpg', 'photos/2026/x’s.jpg']],
  [['photos/*'], ['photos/ü.jpg']],
  [['photos/**'], ['photos/ü.jpg', 'photos/2026/x’s.jpg']],
  [
    ['**/x’s.jpg', 'notes.md'],
    ['photos/2026/x’s.jpg', 'notes.md'],
  ],
  [['note'], []],
])('--only %j', (only, expected) => expect(chosenBy(...only)).toEqual(expected));
