import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BYTES_TYPE, isPlayable, renderType } from './render-type.ts';

test('a type on the list is taken, whatever its spelling', () => {
  expect(renderType('a.bin', 'image/PNG')).toBe('image/png');
  expect(renderType('a.bin', 'image/jpg')).toBe('image/jpeg');
  expect(renderType('a.bin', 'video/webm; codecs="vp9, opus"')).toBe('video/webm');
});

test('a type that is not on the list falls back to the extension', () => {
  expect(renderType('photo.JPG', '')).toBe('image/jpeg');
  expect(renderType('clip.mov', 'application/x-unknown')).toBe('video/quicktime');
  expect(renderType('x.constructor', '')).toBe(BYTES_TYPE);
});

test('a type that a browser would run is shown as bytes', () => {
  for (const type of ['text/html', 'application/xhtml+xml', 'text/javascript', 'application/xml', 'text/xml']) {
    expect(renderType('page.html', type)).toBe(BYTES_TYPE);
  }
});

test('text formats are shown as plain text, and no others', () => {
  expect(renderType('notes.md', 'text/markdown')).toBe('text/plain');
  expect(renderType('save.json', '')).toBe('text/plain');
  expect(renderType('script.js', 'text/javascript')).toBe('text/plain');
  expect(renderType('page.xhtml', 'application/json')).toBe('text/plain');
});

test('a transport stream can only be saved, though its ending is that of a program', () => {
  expect([renderType('show.ts', 'video/MP2T'), renderType('show.ts', '')]).toEqual([BYTES_TYPE, 'text/plain']);
});

test('no combination of name and type gives a type outside the list', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (name, type) => {
      expect(renderType(name, type)).toMatch(/^(image|video|audio)\/|^application\/(pdf|octet-stream)$|^text\/plain$/);
    }),
  );
});

test('video and audio play from a stream, pictures do not', () => {
  expect([isPlayable('video/webm'), isPlayable('audio/mpeg'), isPlayable('image/gif')]).toEqual([true, true, false]);
});
