import { expect, test } from 'vitest';
import { askBeforeLeaving, haveLeft, mayLeave } from './leaving.ts';

test('with nothing to lose nobody is asked', async () => {
  expect(await mayLeave()).toBe(true);
});

test('one answer to stay is enough, and nothing more is asked then', async () => {
  const asked: string[] = [];
  const question = (name: string, answer: boolean) => async () => {
    asked.push(name);
    return answer;
  };
  const ends = [question('a', true), question('b', false), question('c', true)].map((one) => askBeforeLeaving(one));
  expect(await mayLeave()).toBe(false);
  expect(asked).toEqual(['a', 'b']);
  for (const end of ends) end();
  expect(await mayLeave()).toBe(true);
  expect(asked).toEqual(['a', 'b']);
});

test('what was asked about is let go when the person has left, not when they say so', async () => {
  const gone: string[] = [];
  const end = askBeforeLeaving(
    async () => true,
    () => gone.push('uploads'),
  );
  await mayLeave();
  expect(gone).toEqual([]);
  haveLeft();
  expect(gone).toEqual(['uploads']);
  end();
  haveLeft();
  expect(gone).toEqual(['uploads']);
});
