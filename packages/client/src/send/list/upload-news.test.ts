import { AppError } from '@satchel/contract/errors';
import { expect, test, vi } from 'vitest';
import { createFailureNews, heardAfter, progressNews, type UploadNews } from './upload-news.ts';

const none = { completed: 0, error: 0 };
const busy = (quarter: number, counts = none) => ({ busy: true, quarter, ...counts });
const idle = (quarter: number, counts = none) => ({ busy: false, quarter, ...counts });

test('each quarter of the whole queue is told once, the last one as its end', () => {
  expect(progressNews(busy(0), busy(0))).toBeNull();
  expect(progressNews(busy(0), busy(1))).toEqual({ type: 'progress', percent: 25 });
  expect(progressNews(busy(1), busy(3))).toEqual({ type: 'progress', percent: 75 });
  expect(progressNews(busy(3), busy(4))).toBeNull();
  const end = idle(4, { completed: 1, error: 0 });
  expect(progressNews(busy(4), end)).toEqual({ type: 'ended', completed: 1, error: 0 });
});

test('a quarter that falls, since files were added, is not told', () => {
  expect(progressNews(busy(3), busy(1))).toBeNull();
  expect(progressNews(idle(0), idle(1))).toBeNull();
});

test('the end of a queue counts its failures; a queue whose files all failed adds nothing to their own news', () => {
  const partly = idle(3, { completed: 4, error: 2 });
  expect(progressNews(busy(3), partly)).toEqual({ type: 'ended', completed: 4, error: 2 });
  expect(progressNews(busy(3), idle(3, { completed: 0, error: 2 }))).toBeNull();
  expect(progressNews(busy(3), idle(3))).toBeNull();
});

test('what was there before the queue set out is not told again', () => {
  const before = { completed: 2, error: 1 };
  const started = heardAfter(idle(4, before), busy(2, before));
  const later = heardAfter(started, busy(3, { completed: 3, error: 1 }));
  const end = idle(4, { completed: 4, error: 1 });
  expect(progressNews(later, end)).toEqual({ type: 'ended', completed: 2, error: 0 });
  expect(progressNews(started, idle(2, before))).toBeNull();
});

test('failures that come together are told once', () => {
  vi.useFakeTimers();
  try {
    const told: UploadNews[] = [];
    const failures = createFailureNews((news) => told.push(news));
    const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name, error: new AppError('upload.gone') }));
    failures.add(a!);
    failures.add(b!);
    vi.runAllTimers();
    failures.add(c!);
    vi.runAllTimers();
    expect(told).toEqual([
      { type: 'failed', files: [a, b] },
      { type: 'failed', files: [c] },
    ]);
  } finally {
    vi.useRealTimers();
  }
});
