import { AppError, fromWire } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { countChips, speedText, statusText } from './upload-texts.ts';

const item = {
  status: 'pending',
  queued: false,
  checking: false,
  percent: 0,
  error: null,
  retryAtMs: null,
  attempt: 0,
  cause: 'connection',
  offline: false,
  resumesAtPercent: null,
  bytesUploaded: 7,
} as const;

test('every status has its text', () => {
  const texts = [
    item,
    { ...item, queued: true },
    { ...item, resumesAtPercent: 62 },
    { ...item, status: 'encrypting', percent: 12.9 },
    { ...item, status: 'uploading', percent: 64.2 },
    { ...item, status: 'paused', percent: 31.7 },
    { ...item, status: 'paused', percent: 31.7, queued: true },
    { ...item, status: 'completed', percent: 100 },
    { ...item, status: 'error', error: new AppError('upload.gone') },
  ] as const;
  expect(texts.map((one) => statusText(one, 0).text)).toEqual([
    'Pending',
    'Waiting its turn',
    'Pending, continues at 62%',
    'Encrypting 12%',
    'Uploading 64%',
    'Paused at 31%',
    'Waiting its turn, at 31%',
    'Completed',
    'Error: This upload was cancelled or has expired. Start it again',
  ]);
});

test('a failed upload names the request that failed, for every answer', () => {
  const failed = (code: 'upload.gone' | 'unexpected') => {
    const error = fromWire(new AppError(code, {}).toWire('0123456789abcdef'));
    return statusText({ ...item, status: 'error', error }, 0).text;
  };
  expect(failed('unexpected')).toBe('Error: An unexpected error occurred. Reference: 0123456789abcdef');
  expect(failed('upload.gone')).toMatch(/^Error: .*\. Reference: 0123456789abcdef$/);
});

test('the checking of a resumed upload is its own phase', () => {
  expect(statusText({ ...item, status: 'encrypting', checking: true }, 0).text).toBe(
    'Checking what is already uploaded',
  );
});

test('a server that is away is waited for, and one that could not take the file is counted down to', () => {
  const lost = { ...item, status: 'uploading', retryAtMs: 10_000, attempt: 3 } as const;
  expect(statusText(lost, 5500).text).toBe('Waiting for the server');
  expect(statusText({ ...lost, cause: 'server' }, 10_400).text).toBe('Retrying (try 3 of 5)');
  expect(statusText({ ...lost, cause: 'server' }, 5500).text).toBe(
    'The server could not take the file. Retrying in 5s (try 3 of 5)',
  );
});

test('without a network nothing counts down', () => {
  expect(statusText({ ...item, status: 'uploading', offline: true }, 0).text).toBe('Waiting for a connection');
  const speed = { speedBytesPerSecond: 5e6, secondsLeft: 4 };
  const sent = { offline: false, retryAtMs: null, cause: 'connection' } as const;
  expect(speedText(speed, [sent, { ...sent, offline: true }])).toBe('Waiting for a connection');
});

test('while the connection of any file is lost, no speed is said', () => {
  const sent = { offline: false, retryAtMs: null, cause: 'connection' } as const;
  const speed = { speedBytesPerSecond: 5e6, secondsLeft: 4 };
  expect(speedText(speed, [sent, { ...sent, retryAtMs: 10_000 }])).toBe('Waiting for the server');
  expect(speedText(speed, [sent, { ...sent, retryAtMs: 10_000, cause: 'server' }])).toMatch(/\/s, about 4 s left$/);
});

test('counts name what there is and leave the rest out', () => {
  const none = { pending: 0, encrypting: 0, uploading: 0, completed: 0, error: 0, paused: 0 };
  expect(countChips(none)).toEqual([]);
  const texts = countChips({ ...none, completed: 4, error: 1, pending: 2 }).map(({ text }) => text);
  expect(texts).toEqual(['4 completed', '1 failed', '2 pending']);
});

test('speed comes with the time that is left', () => {
  const at = (secondsLeft: number | null, speedBytesPerSecond: number | null = 4.2 * 1024 ** 2) =>
    speedText({ speedBytesPerSecond, secondsLeft }, []);
  expect(at(12)).toBe('4.20 MB/s, about 12 s left');
  expect(at(125)).toBe('4.20 MB/s, about 2 min left');
  expect(at(2 * 3600 + 300)).toBe('4.20 MB/s, about 2 h 5 min left');
  expect(at(null)).toBe('4.20 MB/s');
  expect(at(12, null)).toBe('');
  expect(at(9e5, 300)).toBe('');
});

test('what never started says nothing of going on', () => {
  const error = new AppError('upload.chunk_failed', { status: 500, statusText: 'Trouble' });
  expect(statusText({ ...item, bytesUploaded: 0, status: 'error', error }, 0).text).toBe(
    'Error: Chunk upload failed: 500 Trouble',
  );
});

test.each([
  ['upload.changed_file', {}, /^Error: The file was changed, moved or deleted after .*\. Choose it again to upload it/],
  ['upload.stream_size', {}, /^Error: The file was changed, moved or deleted after .*\. Choose it again to upload it/],
  ['upload.elsewhere', {}, /^Error: Another tab is uploading this file\. Retry once that tab is done\.$/],
  ['upload.chunk_failed', { status: 500, statusText: 'Trouble' }, /Retry continues where it stopped\.$/],
  ['upload.chunk_failed', { status: 403, statusText: 'Forbidden' }, /^Error: Chunk upload failed: 403 Forbidden$/],
] as const)('a failure says what helps, where something does: %s %j', (code, params, text) => {
  expect(statusText({ ...item, status: 'error', error: new AppError(code, params) }, 0).text).toMatch(text);
});
