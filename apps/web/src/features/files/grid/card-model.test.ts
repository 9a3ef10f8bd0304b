import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import type { OpenedFile } from '../../../engine/files/open/open-client.ts';
import { durationText, extensionText, isViewable, offersRetry, phaseText, thumbnailOf } from './card-model.ts';

const opened: OpenedFile = {
  name: 'a.png',
  type: 'image/png',
  blob: new Blob(['x']),
  objectUrl: 'blob:here/1',
  sizeBytes: 1,
};
const sealed = { encrypted: true, badge: 'api', phase: 'none', error: null, opened: null } as const;

test('a click on a plain file views it, after a download that failed, too', () => {
  const plain = { ...sealed, encrypted: false, badge: null };
  expect(isViewable(plain)).toBe(true);
  expect(isViewable({ ...plain, error: new AppError('download.failed') })).toBe(true);
});

test('a click on an encrypted file views it, opened or not', () => {
  expect(isViewable(sealed)).toBe(true);
  expect(isViewable({ ...sealed, badge: 'cached', opened })).toBe(true);
});

test('a click on a file that is being opened leads to the viewer, which shows how far that is', () => {
  for (const phase of ['waiting', 'downloading', 'decrypting', 'processing'] as const)
    expect(isViewable({ ...sealed, phase })).toBe(true);
});

test('without a key, and after a failure a click does nothing', () => {
  expect(isViewable({ ...sealed, badge: 'none' })).toBe(false);
  expect(isViewable({ ...sealed, error: new AppError('open.failed') })).toBe(false);
});

test('Retry replaces Download only where trying again can help', () => {
  const error = new AppError('open.bad_hmac', { chunk: 7 });
  expect(offersRetry({ ...sealed, error })).toBe(true);
  expect(offersRetry({ ...sealed, badge: 'none', error })).toBe(false);
  expect(offersRetry({ ...sealed, encrypted: false, badge: null, error })).toBe(false);
  expect(offersRetry({ ...sealed, phase: 'waiting' })).toBe(true);
  expect(offersRetry(sealed)).toBe(false);
});

test('the picture of a file shows its extension', () => {
  expect(extensionText('holiday.jpeg')).toBe('JPEG');
  expect(extensionText('README')).toBeNull();
});

const entry = {
  id: '0b0e2b5e-0000-4000-8000-000000000000',
  name: 'a.png_1_abcdef.enc',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  metadata: { size: 1000, mimetype: 'image/png', eTag: '"1"' },
};
const url = '/storage/v1/object/public/unlocked-folders/f/a.png';

test('an encrypted picture shows once it is open, by its safe type', () => {
  const file = { encrypted: true, category: 'image', url, entry, still: null, sizeBytes: 1000 } as const;
  expect(thumbnailOf({ ...file, opened: null }, 5000)).toBeNull();
  expect(thumbnailOf({ ...file, opened }, 5000)).toEqual({ tag: 'img', src: 'blob:here/1' });
  const bytesOnly = { ...opened, type: 'application/octet-stream' };
  expect(thumbnailOf({ ...file, opened: bytesOnly }, 5000)).toBeNull();
});

test('a plain picture shows unless it is very large', () => {
  const plain = { encrypted: false, category: 'image', url, entry, opened: null, still: null } as const;
  const file = { ...plain, sizeBytes: 1000 };
  expect(thumbnailOf(file, 5000)).toEqual({ tag: 'img', src: url });
  expect(thumbnailOf({ ...file, sizeBytes: 0 }, 5000)).toBeNull();
  expect(thumbnailOf(file, 500)).toBeNull();
  const drawings = [
    { ...entry, name: 'a.svg' },
    { ...entry, metadata: { ...entry.metadata, mimetype: 'image/svg+xml' } },
  ];
  for (const drawing of drawings)
    expect(thumbnailOf({ ...file, entry: drawing }, 5000)).toEqual({
      tag: 'drawing',
      source: { src: url, blob: null },
    });
});

test('a large picture and a video are scaled down once; an SVG is drawn itself, after it was weighed', () => {
  const file = { encrypted: true, category: 'image', url, entry, still: null, sizeBytes: 1000 } as const;
  const blob = new Blob([new Uint8Array(300 * 1024)]);
  expect(thumbnailOf({ ...file, opened: { ...opened, blob } }, 5000)).toEqual({
    tag: 'still',
    source: { kind: 'picture', src: 'blob:here/1', blob },
  });
  const svg = { ...opened, blob, type: 'image/svg+xml' };
  expect(thumbnailOf({ ...file, opened: svg }, 5000)).toEqual({ tag: 'drawing', source: { src: 'blob:here/1', blob } });
  const film = { ...opened, blob: null, type: 'video/mp4', objectUrl: '/media/1' };
  expect(thumbnailOf({ ...file, category: 'video', opened: film }, 5000)).toEqual({
    tag: 'still',
    source: { kind: 'film', src: '/media/1' },
  });
});

test('a duration shows minutes, and hours if it has any', () => {
  expect([0.2, 3.4, 59.6, 754, 3765].map(durationText)).toEqual(['0:00', '0:03', '1:00', '12:34', '1:02:45']);
});

test('phases show their progress', () => {
  expect(phaseText('downloading', 31)).toBe('Downloading 31%');
  expect(phaseText('decrypting', 64)).toBe('Decrypting 64%');
});
