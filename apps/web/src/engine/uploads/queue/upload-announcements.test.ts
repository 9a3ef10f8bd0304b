import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { failureWords, heardAfter, progressWords } from './upload-announcements.ts';

const none = { completed: 0, error: 0 };
const busy = (quarter: number, counts = none) => ({ busy: true, quarter, ...counts });
const idle = (quarter: number, counts = none) => ({ busy: false, quarter, ...counts });

test('each quarter of the whole queue is said once, the last one as its end', () => {
  expect(progressWords(busy(0), busy(0))).toBeNull();
  expect(progressWords(busy(0), busy(1))).toBe('Upload 25% done');
  expect(progressWords(busy(1), busy(3))).toBe('Upload 75% done');
  expect(progressWords(busy(3), busy(4))).toBeNull();
  expect(progressWords(busy(4), idle(4, { completed: 1, error: 0 }))).toBe('1 file uploaded');
});

test('a quarter that falls, since files were added, says nothing', () => {
  expect(progressWords(busy(3), busy(1))).toBeNull();
  expect(progressWords(idle(0), idle(1))).toBeNull();
});

test('the end of a queue names its failures; a queue whose files all failed adds nothing to their own announcements', () => {
  expect(progressWords(busy(3), idle(3, { completed: 4, error: 2 }))).toBe('4 files uploaded, 2 failed');
  expect(progressWords(busy(3), idle(3, { completed: 0, error: 2 }))).toBeNull();
  expect(progressWords(busy(3), idle(3))).toBeNull();
});

test('what was there before the queue set out is not said again', () => {
  const before = { completed: 2, error: 1 };
  const started = heardAfter(idle(4, before), busy(2, before));
  const later = heardAfter(started, busy(3, { completed: 3, error: 1 }));
  expect(progressWords(later, idle(4, { completed: 4, error: 1 }))).toBe('2 files uploaded');
  expect(progressWords(started, idle(2, before))).toBeNull();
});

test('failures that come together are said once', () => {
  const error = new AppError('upload.gone');
  expect(failureWords([{ name: 'a.png', error }])).toBe(
    'a.png: Error: This upload was cancelled or has expired. Start it again',
  );
  expect(
    failureWords([
      { name: 'a.png', error },
      { name: 'b.png', error },
    ]),
  ).toBe('2 uploads failed. a.png: Error: This upload was cancelled or has expired. Start it again');
});
