import type { Delivery } from '@satchel/client/open/delivery-stream';
import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { BEGIN_WITHIN_MS, type DeliveryWatch, nextWatch, startWatch } from './delivery-watch.ts';

const FILE = { name: 'film.mkv', sizeBytes: 3 * 1024 ** 2 };
const report = (state: Delivery['state'], deliveredBytes: number, error: AppError | null = null): Delivery => ({
  state,
  deliveredBytes,
  error: error?.toWire() ?? null,
});
const after = (...reports: (Delivery | null)[]): DeliveryWatch =>
  reports.reduce((watch, next) => nextWatch(watch, next, 1000, FILE), startWatch());
const textOf = ({ outcome }: DeliveryWatch) => (outcome instanceof AppError ? outcome.message : outcome);

test('a download is done once every byte was delivered', () => {
  expect(after(null, report('active', 1024 ** 2))).toEqual({
    begun: true,
    deliveredBytes: 1024 ** 2,
    outcome: 'open',
  });
  expect(after(report('active', 1024 ** 2), report('done', FILE.sizeBytes)).outcome).toBe('done');
});

test('a worker that was ended in the middle means a cut file', () => {
  expect(textOf(after(report('active', 1024 ** 2), null))).toBe(
    'film.mkv was not saved whole (1.00 MB of 3.00 MB). Download it again',
  );
});

test('so does a download that was given up, or ended with too few bytes', () => {
  expect(textOf(after(report('cancelled', 2 * 1024 ** 2)))).toContain('2.00 MB of 3.00 MB');
  expect(textOf(after(report('done', FILE.sizeBytes - 1)))).toContain('not saved whole');
});

test('a failure keeps its own words', () => {
  const failed = report('failed', 5, new AppError('open.bad_hmac', { chunk: 3 }));
  expect(textOf(after(report('active', 5), failed))).toBe('HMAC verification failed for chunk 3');
});

test('the browser has a minute to begin', () => {
  expect(nextWatch(startWatch(), null, BEGIN_WITHIN_MS, FILE).outcome).toBe('open');
  expect(textOf(nextWatch(startWatch(), null, BEGIN_WITHIN_MS + 1, FILE))).toBe('Download failed');
});

test('an outcome stays', () => {
  const done = after(report('done', FILE.sizeBytes));
  expect(nextWatch(done, null, 1e9, FILE)).toBe(done);
});

test('a zip, whose size is unknown, is done when the worker says so and cut in any other case', () => {
  const zip = { name: 'all.zip', sizeBytes: null };
  const active = nextWatch(startWatch(), report('active', 5), 10, zip);
  expect(nextWatch(active, report('done', 77), 20, zip).outcome).toBe('done');
  expect(textOf(nextWatch(active, null, 20, zip))).toBe('The zip was not saved whole. Download it again');
  expect(textOf(nextWatch(active, report('cancelled', 6), 20, zip))).toContain('not saved whole');
});
