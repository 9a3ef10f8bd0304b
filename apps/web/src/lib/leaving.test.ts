import { expect, test } from 'vitest';
import { askBeforeLeaving, mayLeave } from './leaving.ts';

test('with nothing to lose nobody is asked', async () => {
  expect(await mayLeave()).toBe(true);
});

test('one answer to stay is enough, and nothing more is asked then', async () => {
  const asked: string[] = [];
  const question = (name: string, answer: boolean) => async () => {
    asked.push(name);
    return answer;
  };
  const ends = [question('a', true), question('b', false), question('c', true)].map(askBeforeLeaving);
  expect(await mayLeave()).toBe(false);
  expect(asked).toEqual(['a', 'b']);
  for (const end of ends) end();
  expect(await mayLeave()).toBe(true);
  expect(asked).toEqual(['a', 'b']);
});
