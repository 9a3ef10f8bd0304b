import { expect, test } from 'vitest';
import type { Choice } from './chosen-files.ts';
import { createUploadDesk } from './upload-desk.ts';
import type { UploadQueue } from './use-upload-queue.ts';

const choice = (name: string): Choice => ({
  files: [{ file: new File(['x'], name), name, path: name }],
  leftOut: [],
  unreadable: [],
  isCut: false,
});

function queueOf(names: string[], items: number): UploadQueue {
  const add = ({ files }: Choice) => names.push(...files.map(({ name }) => name));
  const work = { uploads: [], notBegun: items > 1 ? ['a'] : [], elsewhere: 0 };
  const start = () => names.push('started');
  return { add, start, items: Array(items).fill({}), unfinished: { work } } as unknown as UploadQueue;
}

test('what is dropped before the queue is loaded waits for it, in order, and comes once', () => {
  const desk = createUploadDesk();
  const names: string[] = [];
  desk.add(choice('a'));
  desk.add(choice('b'));
  expect(desk.isAwaited.get()).toBe(true);
  desk.show(queueOf(names, 0));
  desk.show(queueOf(names, 2));
  expect(names).toEqual(['a', 'b']);
  expect(desk.isAwaited.get()).toBe(false);
  desk.add(choice('c'));
  expect(names).toEqual(['a', 'b', 'c']);
});

test('what was chosen before the folder was made is started, once, by the queue that comes', () => {
  const desk = createUploadDesk();
  const names: string[] = [];
  desk.send(choice('a'));
  expect([names, desk.isAwaited.get()]).toEqual([[], true]);
  desk.show(queueOf(names, 0));
  desk.show(queueOf(names, 1));
  desk.add(choice('b'));
  expect(names).toEqual(['a', 'started', 'b']);
});

test('says whether there is anything in the queue, or left by an earlier page', () => {
  const desk = createUploadDesk();
  const heard: boolean[] = [];
  desk.hasItems.subscribe(() => heard.push(desk.hasItems.get()));
  for (const items of [0, 1, 2]) desk.show(queueOf([], items));
  expect(desk.hasUnfinished.get()).toBe(true);
  desk.show(null);
  expect(heard).toEqual([true, false]);
  expect(desk.hasUnfinished.get()).toBe(false);
});
