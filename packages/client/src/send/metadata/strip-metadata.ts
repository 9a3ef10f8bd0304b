import { explainReadFailure } from '../bytes/window-maker.ts';
import { type ByteReader, createByteReader, textOf } from './byte-reader.ts';
import { stripGif } from './gif.ts';
import { isHeif, stripHeif } from './heif.ts';
import { stripJpeg } from './jpeg.ts';
import { isMovie, stripMovie } from './movie.ts';
import { mayHoldMetadata } from './photo-files.ts';
import { createPieces, type Pieces } from './pieces.ts';
import { stripPng } from './png.ts';
import { stripTiff } from './tiff.ts';
import { stripWebp } from './webp.ts';

/**
 * Takes place, time, camera and all else that tells of its maker out of a picture or film, without touching its pixels. The result is
 * made of parts of the chosen file and a few new bytes: any range of it can be read at any time, nothing of it is
 * held, and the same file always gives the same bytes, which is what resuming an upload needs (docs/container.md §5).
 */

/** `none`: no such file, or one with nothing to remove. `unreadable`: it goes as it is. */
export type Stripping = 'none' | 'stripped' | 'unreadable';

const HEAD_BYTES = 64;
const PNG = '\x89PNG\r\n\x1a\n';

type Strip = (reader: ByteReader, pieces: Pieces) => Promise<void>;

/** By what the file begins with: its name and type may be another's. */
function stripOf(head: Uint8Array): Strip | null {
  const text = textOf(head);
  if (text.startsWith('\xff\xd8\xff')) return stripJpeg;
  if (text.startsWith(PNG)) return stripPng;
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return stripWebp;
  if (/^GIF8[79]a/.test(text)) return stripGif;
  if (/^(II\*\0|MM\0\*|II\+\0|MM\0\+)/.test(text)) return stripTiff;
  if (isHeif(head)) return stripHeif;
  return isMovie(head) ? stripMovie : null;
}

/** @throws upload.changed_file */
export async function stripMetadata(file: File): Promise<{ readonly file: File; readonly stripping: Stripping }> {
  const reader = createByteReader(file);
  const pieces = createPieces();
  try {
    const strip = stripOf(await reader.read(0, Math.min(HEAD_BYTES, file.size)));
    if (!strip) return { file, stripping: 'none' };
    await strip(reader, pieces);
    if (pieces.isWhole(file.size)) return { file, stripping: 'none' };
    const { name, type, lastModified } = file;
    // The command line's files are of a class of their own: the global File would read no byte of their parts.
    const Made = file.constructor as typeof File;
    return { file: new Made(pieces.parts(file), name, { type, lastModified }), stripping: 'stripped' };
  } catch (error) {
    const explained = explainReadFailure(error);
    if (explained !== error) throw explained;
    return { file, stripping: 'unreadable' };
  }
}

/**
 * A chosen file as it is sent.
 * @param strips whether the person wants metadata taken out
 * @throws upload.changed_file
 */
export async function asSent(
  file: File,
  strips: boolean,
): Promise<{ readonly file: File; readonly stripping: Stripping }> {
  return strips && mayHoldMetadata(file) ? stripMetadata(file) : { file, stripping: 'none' };
}
