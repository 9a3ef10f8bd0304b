import { expect, test } from 'vitest';
import { viewOf } from './viewer-view.ts';

const opened = { name: 'a', type: 'image/png', blob: new Blob(['x']), objectUrl: 'blob:here/1', sizeBytes: 1 };

test('a file is shown by its safe type once it is open, and before by what its label says', () => {
  expect(viewOf({ name: 'a', type: 'text/html', opened })).toBe('image');
  expect(viewOf({ name: 'a.mp4', type: 'video/mp4', opened: null })).toBe('video');
});

test('a picture, film or sound that has no address shows name, size and type', () => {
  const streamed = { ...opened, blob: null, objectUrl: null };
  const viewAs = (type: string) => viewOf({ name: 'a', type, opened: { ...streamed, type } });
  expect(['video/mp4', 'text/plain', 'application/pdf'].map(viewAs)).toEqual(['default', 'text', 'pdf']);
});
