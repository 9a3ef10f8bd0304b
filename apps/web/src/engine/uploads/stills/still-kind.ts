import { fileCategory } from '@satchel/contract/naming';

/** What a still can be made of. */
export type StillKind = 'picture' | 'film' | 'pdf' | 'sound';

const DRAWN = /^image\/(png|jpe?g|gif|webp|avif|heic|heif|bmp|x-ms-bmp)$/;
/** A picture or film of this size is opened, and so shown, as quickly as its still would be. */
const STILL_LEAST_BYTES = 32 * 1024;
/** What every browser draws. */
const DRAWN_ANYWHERE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
/** Decoders hold the whole file. */
const PICTURE_MAX_BYTES = 128 * 1024 ** 2;
const PDF_MAX_BYTES = 128 * 1024 ** 2;

/** What kind of still to make of a file; null for none. */
export function stillKind({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): StillKind | null {
  const bare = type.toLowerCase().split(';')[0]?.trim() ?? '';
  if (bare === 'application/pdf') return size <= PDF_MAX_BYTES ? 'pdf' : null;
  // The cover that its tags hold; no more of it is read.
  if (bare.startsWith('audio/')) return 'sound';
  if (size <= STILL_LEAST_BYTES) return null;
  if (DRAWN.test(bare)) return size <= PICTURE_MAX_BYTES ? 'picture' : null;
  // No browser draws a transport stream, and most files of that type are programs.
  if (bare === 'video/mp2t') return null;
  // A film is read in parts, so its size has no bound.
  return bare.startsWith('video/') || (bare === '' && fileCategory(name, bare) === 'video') ? 'film' : null;
}

/** A picture that is too small to have a still: where one would be shown, the page that has the file shows the file. */
export const isItsOwnStill = ({ type, size }: Pick<File, 'type' | 'size'>): boolean =>
  size <= STILL_LEAST_BYTES && DRAWN_ANYWHERE.test(type);
