import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { nextZip, startZip, type ZipEvent } from './zip-state.ts';

const zip = startZip({
  name: 'all.zip',
  leftOut: 0,
  decrypts: true,
  files: [
    { name: 'a.png', storedBytes: 300 },
    { name: 'b.png', storedBytes: 100 },
  ],
});
const at = (index: number, fileBytes: number, deliveredBytes: number, atMs: number, isWaiting = false): ZipEvent => ({
  type: 'progress',
  index,
  fileBytes,
  deliveredBytes,
  isWaiting,
  atMs,
});

test('progress counts stored bytes, and no file for more than it has', () => {
  expect(nextZip(zip, at(0, 150, 180, 0)).percent).toBe(37);
  expect(nextZip(zip, at(0, 999, 1000, 0)).percent).toBe(75);
  expect(nextZip(zip, at(1, 50, 380, 0))).toMatchObject({ percent: 87, index: 1, deliveredBytes: 380 });
});

test('speed is measured over the last seconds', () => {
  const later = nextZip(nextZip(zip, at(0, 0, 0, 0)), at(0, 200, 2000, 2000));
  expect(later.bytesPerSecond).toBe(1000);
});

test('a failure names the file that was being packed, and stays', () => {
  const error = new AppError('open.bad_hmac', { chunk: 3 });
  const failed = nextZip(nextZip(zip, at(1, 10, 320, 0)), { type: 'failed', error });
  expect(failed).toMatchObject({ status: 'failed', index: 1, error });
  expect(nextZip(failed, at(0, 0, 0, 9))).toBe(failed);
});

test('files without a byte are packed at once', () => {
  expect(nextZip(startZip({ ...zip, files: [] }), at(0, 0, 22, 0)).percent).toBe(0);
});

test('a zip that waits for the server says so until bytes come again', () => {
  const waiting = nextZip(nextZip(zip, at(0, 10, 20, 0)), at(0, 10, 20, 400, true));
  expect(waiting.isWaiting).toBe(true);
  expect(nextZip(waiting, at(0, 20, 30, 800)).isWaiting).toBe(false);
});
