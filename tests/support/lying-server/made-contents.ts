import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileEntry } from '@satchel/contract/entities';
import type { TestFile } from './lying-server-gain.ts';
import { noisePng } from './samples.ts';

/** Files of several kinds, made up by name, and found again in what a server lists. */

const MIB = 1024 ** 2;
/** More than is opened unasked (DESIGN R12): it plays from a stream. */
const LONG_FILM_BYTES = 26 * MIB;
const CLIP = readFileSync(join(import.meta.dirname, '../fixtures/clip.webm'));

export const textOf = (name: string, words: string): TestFile => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(`${words}\n`.repeat(40)),
});

export const pictureOf = (name: string, width: number): TestFile => ({
  name,
  mimeType: 'image/png',
  buffer: noisePng(width, 72),
});

export const shortFilm = (name: string): TestFile => ({ name, mimeType: 'video/webm', buffer: CLIP });

/** The clip, with empty space behind it (EBML Void, RFC 8794 §11.3.2) that repeats the name. */
export function longFilm(name: string, moreBytes = 0): TestFile {
  const space = Buffer.alloc(LONG_FILM_BYTES + moreBytes, name);
  const head = Buffer.from([0xec, 0x01, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(space.length, 5);
  return { name, mimeType: 'video/webm', buffer: Buffer.concat([CLIP, head, space]) };
}

/** Where the bytes of a long film's name begin, and how many of them to ask for. */
export const FILM_RANGE = { start: CLIP.length + 9, end: CLIP.length + 9 + 100 } as const;

/** Files of one queue are stored in any order; each of these has a size of its own to be found by. */
export function entriesBySize<Name extends string>(
  list: readonly FileEntry[],
  contents: Readonly<Record<Name, TestFile>>,
): Record<Name, FileEntry> {
  const stored = [...list].sort((a, b) => a.metadata.size - b.metadata.size);
  const names = (Object.keys(contents) as Name[]).sort((a, b) => contents[a].buffer.length - contents[b].buffer.length);
  return Object.fromEntries(names.map((name, at) => [name, stored[at]])) as Record<Name, FileEntry>;
}
