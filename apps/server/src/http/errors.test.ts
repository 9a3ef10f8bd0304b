import { AppError, CATALOGUE } from '@satchel/contract/errors';
import pg from 'pg';
import { expect, test } from 'vitest';
import { BlobMissingError } from '../platform/blobs/blobs.ts';
import { describeError, isUnexpected, toHttpError } from './errors.ts';

test('only what the server itself can’t do at the moment is 503: no client makes a balancer give up a node', () => {
  const unavailable = Object.entries(CATALOGUE).filter(([, { status }]) => status === 503);
  expect(unavailable.map(([code]) => code)).toEqual(['storage.unavailable', 'request.busy', 'request.unavailable']);
});

test('an error of the catalogue stays as it is', () => {
  const error = new AppError('folder.expired');
  expect(toHttpError(error)).toBe(error);
});

test.each([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 'request.too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 'request.unsupported_type'],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 400, 'request.invalid'],
])('%s is %i %s', (code, statusCode, expected) => {
  expect(toHttpError(Object.assign(new Error('x'), { code, statusCode })).code).toBe(expected);
});

test.each([
  ['ENOSPC', 507, 'storage.full', undefined, false],
  ['EDQUOT', 507, 'storage.full', undefined, false],
  ['EROFS', 503, 'storage.unavailable', 30, true],
  ['EIO', 503, 'storage.unavailable', 30, true],
])('a disk that answers %s is %i %s', (code, status, expected, seconds, isLoggedWithPlace) => {
  const error = toHttpError(Object.assign(new Error('x'), { code }));
  expect([error.status, error.code, error.params.retry_after_seconds]).toEqual([status, expected, seconds]);
  expect(isUnexpected(error)).toBe(isLoggedWithPlace);
});

test('a database without space is a full store', () => {
  const cause = Object.assign(new pg.DatabaseError('x', 1, 'error'), { code: '53100' });
  expect(toHttpError(new Error('Failed query', { cause })).code).toBe('storage.full');
});

test('a file whose bytes the store has lost says so', () => {
  const error = toHttpError(new BlobMissingError('No such blob'));
  expect([error.status, error.code]).toEqual([500, 'storage.damaged']);
  expect(isUnexpected(error)).toBe(true);
});

test('any other error becomes unexpected, and its text stays on the server', () => {
  const error = toHttpError(new Error('password is hunter2'));
  expect(error.status).toBe(500);
  expect(JSON.stringify(error.toWire())).not.toContain('hunter2');
});

test('the log records an error’s kind and place, never its message, at any depth', () => {
  const cause = Object.assign(new Error('duplicate key: hunter2'), { code: '23505', constraint: 'slugs_pkey' });
  const described = describeError(new TypeError('Failed query, params: hunter2', { cause }));
  expect(described).toMatchObject({ kind: 'TypeError', cause: { code: '23505', constraint: 'slugs_pkey' } });
  expect(JSON.stringify(described)).not.toContain('hunter2');
  expect(JSON.stringify(described)).toContain('errors.test.ts');
});

test('a message of several lines does not pass for stack frames', () => {
  expect(JSON.stringify(describeError(new Error('one\nhunter2\nthree')))).not.toContain('hunter2');
});
