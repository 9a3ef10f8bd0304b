import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { describe, expect, test } from 'vitest';
import { BearerUnavailable } from './bearer.ts';
import { StartAfresh } from './bytes/tag-ledger.ts';
import { type Failure, failureOf, judge } from './failure.ts';

const calm = { attempt: 0, online: true, renewed: false };

function response(status: number, code: ErrorCode = 'upload.chunk_failed', method = 'PATCH'): Failure {
  return { kind: 'response', method, status, error: new AppError(code, { status, statusText: '' }) };
}
const network: Failure = { kind: 'network', error: new AppError('upload.chunk_failed', { status: 0, statusText: '' }) };

describe('after a failure', () => {
  test.each([500, 502, 503, 507, 302, 409, 423])(
    '%d is tried again after the delays of §9, then given up',
    (status) => {
      const delays = RETRY_DELAYS_MS.map((_, attempt) => judge(response(status), { ...calm, attempt }));
      expect(delays).toEqual(RETRY_DELAYS_MS.map((delayMs) => ({ act: 'retry', delayMs, cause: 'server' })));
      expect(judge(response(status), { ...calm, attempt: RETRY_DELAYS_MS.length })).toEqual({ act: 'fail' });
    },
  );

  test('a connection that broke is tried again, and given up after the last delay', () => {
    expect(judge(network, calm)).toEqual({ act: 'retry', delayMs: 0, cause: 'connection' });
    expect(judge(network, { ...calm, attempt: 5 })).toEqual({ act: 'fail' });
  });

  test('being offline uses up no tries, not even the last', () => {
    expect(judge(network, { ...calm, online: false, attempt: 5 })).toEqual({ act: 'wait-online' });
    expect(judge(response(503), { ...calm, online: false })).toEqual({ act: 'wait-online' });
  });

  test.each([400, 403, 412, 413, 415, 429, 460])('%d is final', (status) => {
    expect(judge(response(status), calm)).toEqual({ act: 'fail' });
    expect(judge(response(status), { ...calm, online: false })).toEqual({ act: 'fail' });
  });

  test('a bearer that ran out is renewed once', () => {
    expect(judge(response(401), calm)).toEqual({ act: 'renew' });
    expect(judge(response(401), { ...calm, renewed: true })).toEqual({ act: 'fail' });
  });

  test.each([404, 410])('an upload that the server no longer has (%d) begins afresh', (status) => {
    expect(judge(response(status, 'upload.not_found', 'HEAD'), calm)).toEqual({ act: 'afresh' });
    expect(judge(response(status, 'upload.gone'), calm)).toEqual({ act: 'afresh' });
  });

  test('an upload to a deleted or expired folder does not begin afresh', () => {
    expect(judge(response(410, 'folder.expired', 'HEAD'), calm)).toEqual({ act: 'fail' });
    expect(judge(response(404, 'folder.not_found'), calm)).toEqual({ act: 'fail' });
    expect(judge(response(404, 'upload.create_failed', 'POST'), calm)).toEqual({ act: 'fail' });
  });

  test('a conflict that no second try changes is final', () => {
    expect(judge(response(409, 'folder.revoked', 'POST'), calm)).toEqual({ act: 'fail' });
    expect(judge(response(409, 'storage.exists', 'POST'), calm)).toEqual({ act: 'fail' });
    expect(judge(response(409, 'upload.wrong_offset'), calm)).toEqual({ act: 'retry', delayMs: 0, cause: 'server' });
  });

  test('content that differs begins afresh, what went wrong here is final', () => {
    const error = new AppError('upload.changed_file');
    expect(judge({ kind: 'afresh', error }, calm)).toEqual({ act: 'afresh' });
    expect(judge({ kind: 'local', error }, calm)).toEqual({ act: 'fail' });
  });
});

const requestOf = (method: string) => ({ getMethod: () => method });
const responseOf = (status: number, statusText: string, body = '') => ({
  getStatus: () => status,
  getBody: () => body,
  getUnderlyingObject: () => ({ statusText }),
});
/** The shape of tus-js-client's DetailedError. */
const tusError = (method: string, over: object = {}) =>
  Object.assign(new Error('tus'), {
    originalRequest: requestOf(method),
    originalResponse: null,
    causingError: null,
    ...over,
  });

describe('an error of tus-js-client in the words of the catalogue', () => {
  test.each([
    ['POST', 500, 'Internal Server Error', 'Failed to create upload: 500 Internal Server Error'],
    ['PATCH', 503, 'Service Unavailable', 'Chunk upload failed: 503 Service Unavailable'],
    ['HEAD', 502, 'Bad Gateway', 'Chunk upload failed: 502 Bad Gateway'],
    ['POST', 201, 'Created', 'Server did not return upload URL'],
    ['PATCH', 401, 'Unauthorized', 'User must be authenticated for file uploads'],
  ])('%s answered with %d', (method, status, statusText, message) => {
    const failure = failureOf(tusError(method, { originalResponse: responseOf(status, statusText) }));
    expect(failure).toMatchObject({ kind: 'response', method, status });
    expect(failure.error.message).toBe(message);
  });

  test('what the server itself says wins', () => {
    const body = JSON.stringify(new AppError('upload.over_quota', { freeBytes: 1024 ** 2 }).toWire());
    const failure = failureOf(tusError('POST', { originalResponse: responseOf(413, 'Content Too Large', body) }));
    expect(failure.error.message).toBe(
      'Not enough storage: 1.00 MB of your storage is left. Delete files or a folder to make room',
    );
  });

  test('no answer at all is a failure of the network', () => {
    const failure = failureOf(tusError('PATCH', { causingError: { type: 'error' } }));
    expect(failure).toMatchObject({ kind: 'network', error: { message: 'Chunk upload failed: 0 Network error' } });
  });

  test('a bearer that could not be renewed is one, too', () => {
    const causingError = new BearerUnavailable(new TypeError('Failed to fetch'));
    expect(failureOf(tusError('PATCH', { causingError })).kind).toBe('network');
  });

  test('what was thrown on this side keeps its code', () => {
    const causingError = new AppError('upload.changed_file');
    expect(failureOf(tusError('PATCH', { causingError }))).toEqual({ kind: 'local', error: causingError });
    expect(failureOf(new Error('out of memory'))).toMatchObject({ kind: 'local', error: { code: 'unexpected' } });
  });

  test('content that differs is told from a file that can not be read', () => {
    const failure = failureOf(tusError('PATCH', { causingError: new StartAfresh('content differs') }));
    expect(failure).toMatchObject({ kind: 'afresh', error: { code: 'upload.changed_file' } });
  });
});
