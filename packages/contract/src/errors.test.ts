import { describe, expect, test } from 'vitest';
import { AppError, CATALOGUE, type ErrorCode, fromWire, toAppError } from './errors.ts';

type Params = ConstructorParameters<typeof AppError>[1];

/**
 * The specified texts, verbatim: the English catalogue is these texts. The texts of opening a file are in
 * packages/container/test (corruption and refusals).
 */
const SPECIFIED: readonly (readonly [string, ErrorCode, Params?])[] = [
  ['Key not found', 'key.not_found'],
  ['Key not found', 'key.retrieval_failed'],
  ['the service’s own words', 'key.retrieval_failed', { message: 'the service’s own words' }],
  ['Folder not found', 'folder.not_found'],
  ['Failed to load folder: no answer', 'folder.load_failed', { message: 'no answer' }],
  ['Failed to load folder: Unknown error', 'folder.load_failed'],
  ['Failed to load files', 'files.load_failed'],
  ['Failed to download file a.txt: no answer', 'download.file_failed', { name: 'a.txt', message: 'no answer' }],
  ['Failed to download file a.txt: Unknown error', 'download.file_failed', { name: 'a.txt' }],
  ['Download failed: no answer', 'download.failed_with', { message: 'no answer' }],
  ['Download failed', 'download.failed'],
  ['Failed to download file from Supabase: no answer', 'download.storage_failed', { message: 'no answer' }],
  ['Chunk index mismatch', 'open.index_mismatch'],
  ['Failed to create upload: 503 Unavailable', 'upload.create_failed', { status: 503, statusText: 'Unavailable' }],
  ['Server did not return upload URL', 'upload.no_url'],
  ['Chunk upload failed: 503 Unavailable', 'upload.chunk_failed', { status: 503, statusText: 'Unavailable' }],
  ['Stream size mismatch', 'upload.stream_size'],
  ['uploadSize must be provided for ReadableStream uploads', 'upload.size_required'],
  ['File header not generated', 'upload.no_header'],
  ['User must be authenticated for file uploads', 'upload.unauthenticated'],
  ['An unexpected error occurred', 'unexpected'],
  [
    'File size (100.01MB) exceeds maximum allowed size (100MB)',
    'upload.too_large',
    { sizeBytes: 100 * 1024 ** 2 + 1, maxBytes: 100 * 1024 ** 2 },
  ],
  ['Authentication failed: you cancelled in Discord', 'auth.cancelled', {}],
  ['Authentication failed: access_denied', 'auth.failed', { message: 'access_denied' }],
  ['Unexpected error: no answer', 'auth.unexpected', { message: 'no answer' }],
  ['Authentication required', 'auth.required'],
  ['Failed to load profile data', 'profile.load_failed'],
  [
    'File size (150MB) exceeds maximum allowed size (100MB)',
    'upload.too_large',
    { sizeBytes: 150 * 1024 ** 2, maxBytes: 100 * 1024 ** 2 },
  ],
  [
    'File type "text/x" is not allowed. Allowed types: image/png, image/webp',
    'upload.type_not_allowed',
    { type: 'text/x', allowed: 'image/png, image/webp' },
  ],
];

test.each(SPECIFIED.map(([text, code, params = {}]) => ({ text, code, params })))(
  '$code is $text',
  ({ text, code, params }) => {
    expect(new AppError(code, params).message).toBe(text);
  },
);

test.each([
  [512, '512 Bytes'],
  [0.5 * 1024 ** 2, '512.00 KB'],
  [100 * 1024 ** 2, '100.00 MB'],
  [10 * 1024 ** 3, '10.00 GB'],
])('%d bytes read %s in an error, in the unit that fits', (bytes, text) => {
  expect(new AppError('upload.over_quota', { freeBytes: bytes }).message).toContain(text);
  expect(new AppError('download.too_large_here', { maxBytes: bytes }).message).toContain(`up to ${text}.`);
  expect(new AppError('download.zip_too_large_here', { maxBytes: bytes }).message).toContain(`at most ${text} into`);
  const cut = new AppError('download.cut_short', { name: 'a', deliveredBytes: bytes, sizeBytes: bytes });
  expect(cut.message).toContain(`(${text} of ${text})`);
});

test('every row has an HTTP status and a text', () => {
  for (const [code, { status, text }] of Object.entries(CATALOGUE)) {
    expect(status, code).toBeGreaterThanOrEqual(400);
    expect(status, code).toBeLessThan(600);
    expect(text({}), code).not.toBe('');
  }
});

describe('on the wire', () => {
  test('an error comes back as it was sent', () => {
    const sent = new AppError('upload.too_large', { sizeBytes: 3 * 1024 ** 2, maxBytes: 1024 ** 2 });
    const received = fromWire(JSON.parse(JSON.stringify(sent.toWire())));
    expect(received).toBeInstanceOf(AppError);
    expect(received).toMatchObject({ code: sent.code, params: sent.params, message: sent.message, status: 413 });
    expect(sent.message).toBe('File size (3MB) exceeds maximum allowed size (1MB)');
  });

  test.each([null, 'text', {}, { error: null }, { error: { code: 'nothing.known' } }, { error: { code: 'toString' } }])(
    '%j is not one of our errors',
    (body) => {
      expect(fromWire(body)).toBeNull();
    },
  );

  test('parameters that are neither text nor number are left out', () => {
    const error = { code: 'open.bad_hmac', params: { chunk: {} }, message: 'x' };
    expect(fromWire({ error })?.params).toEqual({});
  });

  test('an error of a newer server keeps the text that it came with', () => {
    const error = { code: 'moon.too_full', params: {}, message: 'The moon is too full', status: 413 };
    expect(fromWire({ error })).toMatchObject(error);
    expect(fromWire({ error: { ...error, code: '__proto__' } })?.message).toBe('The moon is too full');
  });

  test.each([undefined, '413', 200, 600, 413.5])('an unknown error with the status %j has 500', (status) => {
    const error = { code: 'moon.too_full', params: {}, message: 'The moon is too full', status };
    expect(fromWire({ error })?.status).toBe(500);
  });
});

test('anything thrown becomes an error of the catalogue, and one of ours stays as it is', () => {
  const ours = new AppError('storage.full');
  expect(toAppError(ours, 'download.failed')).toBe(ours);
  const other = new Error('no answer');
  expect(toAppError(other, 'download.failed_with')).toMatchObject({
    message: 'Download failed: no answer',
    cause: other,
  });
  expect(toAppError('thrown as text').code).toBe('unexpected');
});
