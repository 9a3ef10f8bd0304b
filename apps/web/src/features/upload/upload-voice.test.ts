import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { failureWords, progressWords } from './upload-voice.ts';

const counts = { pending: 0, encrypting: 0, uploading: 0, completed: 0, error: 0, paused: 0 };
const busy = (quarter: number) => ({ busy: true, quarter });
const idle = (quarter: number) => ({ busy: false, quarter });

test('each quarter of the whole queue is said once, the last one as its end', () => {
  expect(progressWords(busy(0), busy(0), counts)).toBeNull();
  expect(progressWords(busy(0), busy(1), counts)).toBe('Upload 25% done');
  expect(progressWords(busy(1), busy(3), counts)).toBe('Upload 75% done');
  expect(progressWords(busy(3), busy(4), counts)).toBeNull();
  expect(progressWords(busy(4), idle(4), { ...counts, completed: 1 })).toBe('1 file uploaded');
});

test('a quarter that falls, since files were added, says nothing', () => {
  expect(progressWords(busy(3), busy(1), counts)).toBeNull();
  expect(progressWords(idle(0), idle(1), counts)).toBeNull();
});

test('the end says what failed; a queue of which nothing came through has said so already', () => {
  expect(progressWords(busy(3), idle(3), { ...counts, completed: 4, error: 2 })).toBe('4 files uploaded, 2 failed');
  expect(progressWords(busy(3), idle(3), { ...counts, error: 2 })).toBeNull();
  expect(progressWords(busy(3), idle(3), { ...counts, paused: 1 })).toBeNull();
});

test('failures that come together are said once', () => {
  const error = new AppError('upload.gone');
  expect(failureWords([{ name: 'a.png', error }])).toBe('a.png: Error: This upload is gone');
  expect(
    failureWords([
      { name: 'a.png', error },
      { name: 'b.png', error },
    ]),
  ).toBe('2 uploads failed. a.png: Error: This upload is gone');
});
