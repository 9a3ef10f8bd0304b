import { expect, test } from 'vitest';
import { type BlobClaim, compareBlobs } from './check-blobs.ts';

const file = (blob_key: string, bytes: number): BlobClaim => ({
  blob_key,
  of: 'file',
  id: `file of ${blob_key}`,
  bytes,
});
const upload = (blob_key: string, bytes: number): BlobClaim => ({
  blob_key,
  of: 'upload',
  id: `upload of ${blob_key}`,
  bytes,
});
const removal = (blob_key: string): BlobClaim => ({ blob_key, of: 'removal', id: blob_key, bytes: 0 });

const found = (claims: BlobClaim[], stored: Record<string, number>) =>
  compareBlobs(claims, new Map(Object.entries(stored))).map(({ kind, detail }) => `${kind} ${detail.blob}`);

test('rows and bytes that fit say nothing', () => {
  const claims = [file('a', 5), file('b', 0), upload('c', 3), upload('d', 0), removal('e'), removal('f')];
  // More than was acknowledged is a request under way; a removed blob may be there still, or no longer.
  expect(found(claims, { a: 5, b: 0, c: 7, d: 2, e: 9 })).toEqual([]);
});

test('an upload whose blob was never made has lost nothing, for nothing was acknowledged', () => {
  expect(found([upload('a', 0)], {})).toEqual([]);
});

test('bytes that are missing, too few or too many are found', () => {
  const claims = [file('a', 5), file('b', 5), file('c', 5), upload('d', 5), upload('e', 5)];
  expect(found(claims, { b: 4, c: 6, e: 4 })).toEqual([
    'file_blob_missing a',
    'file_blob_size b',
    'file_blob_size c',
    'upload_blob_missing d',
    'upload_blob_short e',
  ]);
});

test('bytes without a row are found, and bytes that a row needs and the queue would remove', () => {
  expect(found([file('a', 1), removal('a'), upload('b', 1), removal('b')], { a: 1, b: 1, c: 1 })).toEqual([
    'blob_queued a',
    'blob_queued b',
    'blob_unclaimed c',
  ]);
});
