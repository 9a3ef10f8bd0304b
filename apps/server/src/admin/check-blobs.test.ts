import { expect, test } from 'vitest';
import { type BlobClaim, compareBlobs } from './check-blobs.ts';

const file = (blob_key: string, bytes: number): BlobClaim => ({
  blob_key,
  of: 'file',
  id: `file of ${blob_key}`,
  bytes,
  sum: 0,
});
const upload = (blob_key: string, bytes: number): BlobClaim => ({
  blob_key,
  of: 'upload',
  id: `upload of ${blob_key}`,
  bytes,
  sum: 0,
});
const removal = (blob_key: string): BlobClaim => ({ blob_key, of: 'removal', id: blob_key, bytes: 0, sum: 0 });

const found = (claims: BlobClaim[], stored: Record<string, number>) =>
  compareBlobs(claims, new Map(Object.entries(stored))).map(({ kind, detail }) => `${kind} ${detail.blob}`);

test('matching rows and blobs give no finding', () => {
  const claims = [file('a', 5), file('b', 0), upload('c', 3), upload('d', 0), removal('e'), removal('f')];
  // A running request has stored more than was acknowledged; a queued blob may exist or not.
  expect(found(claims, { a: 5, b: 0, c: 7, d: 2, e: 9 })).toEqual([]);
});

test('an upload without acknowledged bytes needs no blob', () => {
  expect(found([upload('a', 0)], {})).toEqual([]);
});
