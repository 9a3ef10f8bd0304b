import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileEntry } from '@satchel/contract/entities';
import { noisePng } from '../files/samples.ts';
import type { TestFile } from './lying-server-gain.ts';

/** Generated files of several kinds, identified by name, and found again in a server's list. */

const MIB = 1024 ** 2;
/** Larger than files that open on their own (DESIGN R12): it plays from a stream. */
const LONG_FILM_BYTES = 26 * MIB;
const CLIP = readFileSync(join(import.meta.dirname, '../../fixtures/clip.webm'));

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

/** The clip, followed by padding (EBML Void, RFC 8794 §11.3.2) that repeats the name. */
export function longFilm(name: string, moreBytes = 0): TestFile {
  const space = Buffer.alloc(LONG_FILM_BYTES + moreBytes, name);
  const head = Buffer.from([0xec, 0x01, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(space.length, 5);
  return { name, mimeType: 'video/webm', buffer: Buffer.concat([CLIP, head, space]) };
}

/** Offset and length of the name's bytes in a long film. */
export const FILM_RANGE = { start: CLIP.length + 9, end: CLIP.length + 9 + 100 } as const;

/** Files of one queue are stored in any order; each has a unique size to identify it. */
export function entriesBySize<Name extends string>(
  list: readonly FileEntry[],
  contents: Readonly<Record<Name, TestFile>>,
): Record<Name, FileEntry> {
  const stored = [...list].sort((a, b) => a.metadata.size - b.metadata.size);
  const names = (Object.keys(contents) as Name[]).sort((a, b) => contents[a].buffer.length - contents[b].buffer.length);
  return Object.fromEntries(names.map((name, at) => [name, stored[at]])) as Record<Name, FileEntry>;
}
