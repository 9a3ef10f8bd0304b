import { expect, test } from 'vitest';
import { viewOf } from './viewer-view.ts';

const opened = { name: 'a', type: 'image/png', blob: new Blob(['x']), objectUrl: 'blob:here/1', sizeBytes: 1 };

test('a file is shown by its safe type', () => {
  const types = [
    'image/svg+xml',
    'video/mp4',
    'audio/flac',
    'text/plain',
    'application/pdf',
    'application/octet-stream',
  ];
  expect(types.map((type) => viewOf({ opened: { ...opened, type } }))).toEqual([
    'image',
    'video',
    'audio',
    'text',
    'pdf',
    'default',
  ]);
});

test('an unopened file, and text that is not in memory, shows name, size and type', () => {
  expect(viewOf({ opened: null })).toBe('default');
  const streamed = { ...opened, blob: null, objectUrl: null };
  expect(viewOf({ opened: { ...streamed, type: 'text/plain' } })).toBe('default');
  expect(viewOf({ opened: { ...streamed, type: 'video/mp4' } })).toBe('default');
  expect(viewOf({ opened: { ...streamed, type: 'application/pdf' } })).toBe('pdf');
});
