import { expect, test } from 'vitest';
import { readType, settledType } from './transport-stream.ts';

const MIB = 1024 ** 2;
const packets = (count: number, packetBytes = 188, lead = 0) => {
  const bytes = new Uint8Array(lead + count * packetBytes);
  for (let at = lead; at < bytes.length; at += packetBytes) bytes[at] = 0x47;
  return bytes;
};
const fileOf = (content: BlobPart, name: string, type = 'video/mp2t') => new File([content], name, { type });

test('a TypeScript program is a text, under any type that the system gives it', async () => {
  for (const type of ['video/mp2t', 'text/vnd.trolltech.linguist', '']) {
    expect(await readType(fileOf('export const greeting = 1;\n', 'a.ts', type))).toBe('text/plain');
    expect(await readType(fileOf('G'.repeat(300), 'vite.config.mts', type))).toBe('text/plain');
    expect(settledType('a.ts', type, 5000)).toBe('text/plain');
  }
});

test('a recording is a film, also one that begins within a packet, has timestamps, or comes from Linux', async () => {
  for (const content of [packets(9), packets(9, 188, 100), packets(9, 192, 4)]) {
    expect(await readType(fileOf(content, 'show.ts'))).toBe('video/MP2T');
  }
  expect(await readType(fileOf(packets(9), 'show.TS', 'text/vnd.trolltech.linguist'))).toBe('video/MP2T');
});

test('a film is recognised by its size while its bytes are not at hand, and by its type once they were checked', () => {
  const sizes = [1000 * 188, 1000 * 192, 9 * MIB, 1000 * 188 + 1, 10 * 188];
  const film = 'video/MP2T';
  expect(sizes.map((size) => settledType('a.ts', 'video/mp2t', size))).toEqual([
    film,
    film,
    film,
    'text/plain',
    'text/plain',
  ]);
  expect(settledType('a.ts', film, 5)).toBe(film);
});

test('the bytes of files with other endings are not read', async () => {
  expect(await readType(fileOf('x', 'a.mp4', 'video/mp4'))).toBe('video/mp4');
  expect(await readType(fileOf('x', 'a.m2ts'))).toBe('video/mp2t');
  expect([settledType('a.tsx', '', 5), settledType('a.ts', 'text/x-own', 5)]).toEqual(['', 'text/x-own']);
});
