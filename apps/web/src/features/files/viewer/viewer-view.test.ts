import { expect, test } from 'vitest';
import { viewOf } from './viewer-view.ts';

const sizeBytes = 1;
const opened = { name: 'a', type: 'image/png', blob: new Blob(['x']), objectUrl: 'blob:here/1', sizeBytes: 1 };

test('a file is shown by its safe type once it is open, and before by what its label says', () => {
  expect(viewOf({ name: 'a', type: 'text/html', opened, sizeBytes })).toBe('image');
  expect(viewOf({ name: 'a.mp4', type: 'video/mp4', opened: null, sizeBytes })).toBe('video');
});

test('a film with the ending of a program is not read as one', () => {
  const named = { ...opened, name: 'show.ts' };
  const viewAs = (type: string, safe: string) =>
    viewOf({ name: 'show.ts', type, opened: { ...named, type: safe }, sizeBytes });
  expect(viewAs('video/MP2T', 'application/octet-stream')).toBe('default');
  expect(viewAs('text/plain', 'text/plain')).toBe('code');
});

test('a picture, film or sound that has no address shows name, size and type', () => {
  const streamed = { ...opened, blob: null, objectUrl: null };
  const viewAs = (type: string) => viewOf({ name: 'a', type, opened: { ...streamed, type }, sizeBytes });
  expect(['video/mp4', 'text/plain', 'application/pdf'].map(viewAs)).toEqual(['default', 'text', 'pdf']);
});

test.each(['__init__.py', 'photo.jpg', 'paper.pdf', 'all.zip'])(
  'an empty %s is its name, size and type alone',
  (name) => {
    expect(viewOf({ name, type: '', opened: null, sizeBytes: 0 })).toBe('default');
  },
);
