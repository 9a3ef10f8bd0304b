import { expect, test } from 'vitest';
import { isItsOwnStill, stillKind } from './still-kind.ts';

const MIB = 1024 ** 2;
const of = (name: string, type: string, size = MIB) => stillKind({ name, type, size });

test('pictures, films and PDFs get a still', () => {
  expect([of('a.jpg', 'image/jpeg'), of('a.webm', 'video/webm'), of('a.pdf', 'application/pdf')]).toEqual([
    'picture',
    'film',
    'pdf',
  ]);
});

test('a film may be of any size; what has to be held whole may not', () => {
  expect(of('a.mkv', '', 10_000 * MIB)).toBe('film');
  expect([of('a.png', 'image/png', 500 * MIB), of('a.pdf', 'application/pdf', 500 * MIB)]).toEqual([null, null]);
});

test('a PDF and a sound may be of any size: neither is its own picture', () => {
  expect([of('a.pdf', 'application/pdf', 900), of('a.mp3', 'audio/mpeg', 900), of('a.mp3', 'audio/mpeg')]).toEqual([
    'pdf',
    'sound',
    'sound',
  ]);
});

test('an SVG, text and a picture that is as small as its still get none', () => {
  expect([of('a.svg', 'image/svg+xml'), of('a.txt', 'text/plain'), of('a.png', 'image/png', 9000)]).toEqual([
    null,
    null,
    null,
  ]);
});

test('a picture that is too small for a still is its own, unless only some browsers draw it', () => {
  const own = (type: string, size: number) => isItsOwnStill({ type, size });
  expect([own('image/png', 9000), own('image/png', MIB), own('image/heic', 9000), own('image/svg+xml', 9000)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
