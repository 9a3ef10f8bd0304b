/** Which files are looked into for metadata. What they are is told by their bytes; this only spares the others a look. */

const OTHER_PICTURES = /^image\/(svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)$/;
/** Kinds that are made of the same boxes as MP4. A recording of a voice tells its place as a film does. */
const FILM = /^(video|audio)\/(mp4|quicktime|x-m4[av]|m4[av]|3gpp2?)$/;

/** Browsers give no type to a file whose name has no known ending: HEIC on most, and photographs without an ending. */
export function mayHoldMetadata({ type }: Pick<File, 'type'>): boolean {
  const bare = type.toLowerCase().split(';')[0]?.trim() ?? '';
  return bare === '' || FILM.test(bare) || (bare.startsWith('image/') && !OTHER_PICTURES.test(bare));
}

const PHOTO_NAME = /\.(jpe?g|jfif|png|webp|hei[cf]|avif|hif|gif|tiff?|mp4|m4v|mov|3gp)$/i;

/** Whether a person is asked about a file: about a photo, or a film of a camera or phone. */
export const isPhoto = ({ name, type }: Pick<File, 'name' | 'type'>): boolean =>
  /^image\/(jpe?g|pjpeg|png|webp|hei[cf]|avif|gif|tiff)$/i.test(type) ||
  /^video\/(mp4|quicktime|x-m4v|3gpp)$/i.test(type) ||
  PHOTO_NAME.test(name);
