import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { describeError, toHttpError } from './errors.ts';

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
