import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeZip, noisePng, type TestFile } from '../support/files.ts';
import { coveredSong, makePdf, spreadFilm } from '../support/media.ts';

/** A file of each kind that the viewer shows. */

export const MIB = 1024 ** 2;
export const fixture = (name: string) => readFile(join(import.meta.dirname, '../fixtures', name));

export const PICTURE: TestFile = { name: 'noise.png', mimeType: 'image/png', buffer: noisePng(512, 512) };
export const PAPER: TestFile = {
  name: 'handbook.pdf',
  mimeType: 'application/pdf',
  buffer: makePdf({ widthPt: 400, heightPt: 300 }),
};
export const NOTES: TestFile = {
  name: 'notes.txt',
  mimeType: 'text/plain',
  buffer: Buffer.from('The ferry leaves at nine.\n'.repeat(50)),
};
export const PACKED: TestFile = {
  name: 'trip.zip',
  mimeType: 'application/zip',
  buffer: makeZip([{ name: 'photos/harbour.txt', content: Buffer.from('words') }]),
};
/** More than a page opens unasked: a film of this size is streamed. */
export const STREAMED_BYTES = 26 * MIB;
export const FILM_SECONDS = 600;
export const film = async (name: string): Promise<TestFile> => ({
  name,
  mimeType: 'video/mp4',
  buffer: spreadFilm(await fixture('film-h264.mp4'), STREAMED_BYTES),
});
/** A sound of the same size. */
export const song = (): TestFile => ({
  name: 'song.mp3',
  mimeType: 'audio/mpeg',
  buffer: coveredSong(PICTURE.buffer, STREAMED_BYTES / 400),
});
export const clip = async (): Promise<TestFile> => ({
  name: 'clip.webm',
  mimeType: 'video/webm',
  buffer: await fixture('clip.webm'),
});
