import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BYTES_TYPE, isPlayable, renderType } from './render-type.ts';

test('a type on the list is taken in any spelling', () => {
  expect(renderType('a.bin', 'image/PNG')).toBe('image/png');
  expect(renderType('a.bin', 'image/jpg')).toBe('image/jpeg');
  expect(renderType('a.bin', 'video/webm; codecs="vp9, opus"')).toBe('video/webm');
});

test('a type that is not on the list falls back to the extension', () => {
  expect(renderType('photo.JPG', '')).toBe('image/jpeg');
  expect(renderType('clip.mov', 'application/x-unknown')).toBe('video/quicktime');
  expect(renderType('x.constructor', '')).toBe(BYTES_TYPE);
});

test('what a browser would run is shown as plain text, and never as itself', () => {
  for (const type of ['text/html', 'application/xhtml+xml', 'text/javascript', 'application/xml', 'text/xml']) {
    expect(renderType('page.html', type)).toBe('text/plain');
    expect(renderType('page', type)).toBe('text/plain');
  }
});

test.each([
  ['notes.md', 'text/markdown'],
  ['save.json', ''],
  ['script.js', 'text/javascript'],
  ['page.xhtml', 'application/json'],
  // Names that are text without an ending, in capitals or not.
  ['README', ''],
  ['readme', 'application/octet-stream'],
  ['LICENSE', ''],
  ['Makefile', 'text/x-makefile'],
  ['Dockerfile', ''],
  ['.gitignore', ''],
  ['.env', ''],
  // Endings, where a system knows no type, or one of its own.
  ['feed.xml', ''],
  ['setup.bat', 'application/x-msdownload'],
  ['setup.cmd', ''],
  ['setup.ps1', ''],
  ['release.nfo', ''],
  ['card.vcf', ''],
  ['meeting.ics', 'text/calendar'],
  ['study.ipynb', ''],
  ['map.gpx', 'application/gpx+xml'],
  ['unknown.qqq', 'text/x-anything'],
])('%s of type "%s" opens as text', (name, type) => {
  expect(renderType(name, type)).toBe('text/plain');
});

test.each([
  ['holiday', ''],
  ['README.exe', ''],
  ['makefile.bin', 'application/octet-stream'],
  ['setup.exe', 'application/x-msdownload'],
])('%s of type "%s" is shown as bytes', (name, type) => {
  expect(renderType(name, type)).toBe(BYTES_TYPE);
});

test('a recording in Matroska plays under any name of its type', () => {
  for (const type of ['', 'video/x-matroska', 'video/matroska', 'application/x-matroska'])
    expect(isPlayable(renderType('recording.mkv', type)), type).toBe(true);
});

test('a transport stream can only be saved, though it ends like a program', () => {
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
