import { expect, test } from 'vitest';
import { askBeforeLeaving, haveLeft, mayLeave } from './leaving.ts';

test('with nothing to lose no question is asked', async () => {
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

test('onLeft is called after the sign-out, not after the answer', async () => {
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
