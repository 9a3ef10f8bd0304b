/** Which files are looked into for metadata. What they are is told by their bytes; this only spares the others a look. */

const OTHER_PICTURES = /^image\/(svg\+xml|gif|bmp|x-icon|vnd\.microsoft\.icon|tiff)$/;

/** Browsers give no type to a file whose name has no known ending: HEIC on most, and photographs without an ending. */
export function mayHoldMetadata({ type }: Pick<File, 'type'>): boolean {
  const bare = type.toLowerCase().split(';')[0]?.trim() ?? '';
  return bare === '' || (bare.startsWith('image/') && !OTHER_PICTURES.test(bare));
}

const PHOTO_NAME = /\.(jpe?g|jfif|png|webp|hei[cf]|avif|hif)$/i;

/** Whether a file is one of those that a person is asked about. */
export const isPhoto = ({ name, type }: Pick<File, 'name' | 'type'>): boolean =>
  /^image\/(jpe?g|pjpeg|png|webp|hei[cf]|avif)$/i.test(type) || PHOTO_NAME.test(name);
