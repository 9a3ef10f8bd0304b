import { AppError, fromWire } from '@satchel/contract/errors';
import { afterEach, expect, test } from 'vitest';
import { errorText, setErrorTexts } from './error-text.ts';

/** As a page gets it: over the wire, and from a worker. */
const answered = (error: AppError, request_id = '0123456789abcdef') =>
  fromWire(structuredClone(fromWire(error.toWire(request_id))!.toWire()))!;

afterEach(() => setErrorTexts(null));

test('a failure of the server names the request, as its log does', () => {
  expect(errorText(answered(new AppError('unexpected')))).toBe(
    'An unexpected error occurred. Reference: 0123456789abcdef',
  );
  setErrorTexts({ unexpected: () => 'Ein Punkt am Ende.' } as never);
  expect(errorText(answered(new AppError('unexpected')))).toBe('Ein Punkt am Ende. Reference: 0123456789abcdef');
});

test('a refusal that a person can act on is without it, unless it is asked for', () => {
  const refusal = answered(new AppError('folder.expired'));
  expect(errorText(refusal)).toBe('Folder expired');
  expect(errorText(refusal, { isReported: true })).toBe('Folder expired. Reference: 0123456789abcdef');
});

test('what did not come from the server, or names no request, has none', () => {
  expect(errorText(new AppError('unexpected'))).toBe('An unexpected error occurred');
  expect(errorText(answered(new AppError('unexpected'), '<b>not a reference</b>'))).toBe(
    'An unexpected error occurred',
  );
});
