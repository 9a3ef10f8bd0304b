import { expect, test } from 'vitest';
import { viewOf } from './viewer-view.ts';

const opened = { name: 'a', type: 'image/png', blob: new Blob(['x']), objectUrl: 'blob:here/1', sizeBytes: 1 };

test('a file is shown by its safe type once it is open, and before by what its label says', () => {
  expect(viewOf({ name: 'a', type: 'text/html', opened })).toBe('image');
  expect(viewOf({ name: 'a.mp4', type: 'video/mp4', opened: null })).toBe('video');
});

test('a film with the ending of a program is not read as one', () => {
  const named = { ...opened, name: 'show.ts' };
  expect(viewOf({ name: 'show.ts', type: 'video/MP2T', opened: { ...named, type: 'application/octet-stream' } })).toBe(
    'default',
  );
  expect(viewOf({ name: 'show.ts', type: 'text/plain', opened: { ...named, type: 'text/plain' } })).toBe('code');
});

test('a picture, film or sound that has no address shows name, size and type', () => {
  const streamed = { ...opened, blob: null, objectUrl: null };
  const viewAs = (type: string) => viewOf({ name: 'a', type, opened: { ...streamed, type } });
  expect(['video/mp4', 'text/plain', 'application/pdf'].map(viewAs)).toEqual(['default', 'text', 'pdf']);
});
