import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { RETRY_DELAYS_MS } from '@satchel/contract/limits';
import { describe, expect, test } from 'vitest';
import { answerOf } from '../testing/networks.ts';
import { BearerUnavailable } from './bearer.ts';
import { StartAfresh } from './bytes/windows.ts';
import { AttemptFailed, type Failure, failureOf, failureOfAnswer, judge, networkFailure } from './failure.ts';

const calm = { tries: 0, isRenewed: false };

function response(status: number, code: ErrorCode = 'upload.chunk_failed', method = 'PATCH'): Failure {
  return { kind: 'response', method, status, error: new AppError(code, { status, statusText: '' }) };
}
const network = networkFailure('PATCH');

describe('after a failure', () => {
  test.each([500, 507, 302, 409, 423])('%d is tried again a few times, then given up', (status) => {
    const verdicts = RETRY_DELAYS_MS.map((_, tries) => judge(response(status), { ...calm, tries }));
    expect(verdicts).toEqual(RETRY_DELAYS_MS.map((delayMs) => ({ act: 'retry', delayMs, cause: 'server' })));
    expect(judge(response(status), { ...calm, tries: RETRY_DELAYS_MS.length })).toEqual({ act: 'fail' });
  });

  test.each<[string, Failure]>([
    ['a connection that broke', network],
    ['a gateway without its server', response(502)],
    ['a server that is starting', response(503)],
    ['a gateway that waited in vain', response(504)],
    ['a network with too many clients', response(429)],
  ])('%s is tried again as long as it takes, with pauses that grow to a minute', (_, failure) => {
    const delays = [0, 1, 2, 3, 4, 5, 6, 7, 1000].map((tries) => {
      const verdict = judge(failure, { ...calm, tries });
      return verdict.act === 'retry' && verdict.cause === 'connection' ? verdict.delayMs / 1000 : verdict;
    });
    expect(delays).toEqual([0, 3, 5, 10, 20, 40, 60, 60, 60]);
  });

  test.each([400, 403, 412, 413, 415, 460])('%d is final', (status) => {
    expect(judge(response(status), calm)).toEqual({ act: 'fail' });
  });

  test('a bearer that ran out is renewed once', () => {
    expect(judge(response(401), calm)).toEqual({ act: 'renew' });
    expect(judge(response(401), { ...calm, isRenewed: true })).toEqual({ act: 'fail' });
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
    expect(judge(response(409, 'key.link_changed', 'POST'), calm)).toEqual({ act: 'fail' });
    expect(judge(response(409, 'upload.wrong_offset'), calm)).toEqual({ act: 'retry', delayMs: 0, cause: 'server' });
  });

  test('content that differs begins afresh, what went wrong here is final', () => {
    const error = new AppError('upload.changed_file');
    expect(judge({ kind: 'afresh', error }, calm)).toEqual({ act: 'afresh' });
    expect(judge({ kind: 'local', error }, calm)).toEqual({ act: 'fail' });
  });
});

test('a pause that the server asks for is kept', () => {
  const error = new AppError('upload.throttled', { retry_after_seconds: 90 });
  const crowded: Failure = { kind: 'response', method: 'POST', status: 429, error };
  expect(judge(crowded, calm)).toEqual({ act: 'retry', delayMs: 90_000, cause: 'connection' });
});

describe('an error in the words of the catalogue', () => {
  test.each([
    ['POST', 500, 'Internal Server Error', 'Failed to create upload: 500 Internal Server Error'],
    ['PATCH', 503, 'Service Unavailable', 'Chunk upload failed: 503 Service Unavailable'],
    ['HEAD', 502, 'Bad Gateway', 'Chunk upload failed: 502 Bad Gateway'],
    ['POST', 201, 'Created', 'Server did not return upload URL'],
    ['PATCH', 401, 'Unauthorized', 'User must be authenticated for file uploads'],
  ])('%s answered with %d', (method, status, statusText, message) => {
    const failure = failureOfAnswer(method, { ...answerOf(status), statusText });
    expect(failure).toMatchObject({ kind: 'response', method, status });
    expect(failure.error.message).toBe(message);
  });

  test('what the server itself says wins', () => {
    const body = JSON.stringify(new AppError('upload.over_quota', { freeBytes: 1024 ** 2 }).toWire());
    expect(failureOfAnswer('POST', answerOf(413, {}, body)).error.message).toBe(
      'Not enough storage: 1.00 MB of your storage is left. Delete files or a folder to make room',
    );
  });

  test('no answer at all is a failure of the network, and so is a bearer that could not be renewed', () => {
    expect(network).toMatchObject({ kind: 'network', error: { message: 'Chunk upload failed: 0 Network error' } });
    expect(failureOf(new AttemptFailed(network))).toBe(network);
    expect(failureOf(new BearerUnavailable(new TypeError('Failed to fetch'))).kind).toBe('network');
  });

  test('what was thrown on this side keeps its code', () => {
    const error = new AppError('upload.changed_file');
    expect(failureOf(error)).toEqual({ kind: 'local', error });
    expect(failureOf(new Error('out of memory'))).toMatchObject({ kind: 'local', error: { code: 'unexpected' } });
  });

  test('content that differs is told from a file that can not be read', () => {
    const failure = failureOf(new StartAfresh('content differs'));
    expect(failure).toMatchObject({ kind: 'afresh', error: { code: 'upload.changed_file' } });
  });
});
