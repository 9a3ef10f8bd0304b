/**
 * Width and height of a picture by its first bytes, without decoding it: decoding allocates four bytes for each pixel, and a
 * few bytes can claim billions of them.
 */

export interface PictureSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** As much of a file as is looked at: a photograph's metadata comes before its size. */
export const PICTURE_HEAD_BYTES = 1024 * 1024;

const text = (view: DataView, at: number, length: number): string =>
  String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, length));

function png(view: DataView): PictureSize | null {
  if (view.getUint32(0) !== 0x89504e47 || text(view, 12, 4) !== 'IHDR') return null;
  return { widthPx: view.getUint32(16), heightPx: view.getUint32(20) };
}

function gif(view: DataView): PictureSize | null {
  if (!/^GIF8[79]a$/.test(text(view, 0, 6))) return null;
  return { widthPx: view.getUint16(6, true), heightPx: view.getUint16(8, true) };
}

function bmp(view: DataView): PictureSize | null {
  if (text(view, 0, 2) !== 'BM' || view.getUint32(14, true) < 40) return null;
  return { widthPx: Math.abs(view.getInt32(18, true)), heightPx: Math.abs(view.getInt32(22, true)) };
}

function webp(view: DataView): PictureSize | null {
  if (text(view, 0, 4) !== 'RIFF' || text(view, 8, 4) !== 'WEBP') return null;
  const kind = text(view, 12, 4);
  if (kind === 'VP8 ') {
    return { widthPx: view.getUint16(26, true) & 0x3fff, heightPx: view.getUint16(28, true) & 0x3fff };
  }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { widthPx: (bits & 0x3fff) + 1, heightPx: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8X') return null;
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  return { widthPx: uint24(24) + 1, heightPx: uint24(27) + 1 };
}

/** Markers SOF0 to SOF15 have the size, except for three with other meanings. */
const hasJpegSize = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function jpeg(view: DataView): PictureSize | null {
  if (view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    // Any number of 0xff may fill the space before a marker.
    while (view.getUint8(at + 1) === 0xff) at += 1;
    if (!hasJpegSize(view.getUint8(at + 1))) continue;
    return { widthPx: view.getUint16(at + 7), heightPx: view.getUint16(at + 5) };
  }
  return null;
}

/** AVIF and HEIC: the largest of the boxes that give an image's extent; tiles and thumbnails have theirs, too. */
function heif(view: DataView): PictureSize | null {
  if (text(view, 4, 4) !== 'ftyp') return null;
  let largest: PictureSize | null = null;
  for (let at = 8; at + 16 <= view.byteLength; at += 1) {
    if (view.getUint32(at) !== 0x69737065) continue;
    const size = { widthPx: view.getUint32(at + 8), heightPx: view.getUint32(at + 12) };
    if (!largest || size.widthPx * size.heightPx > largest.widthPx * largest.heightPx) largest = size;
  }
  return largest;
}

/**
 * The size that a picture claims, before its orientation.
 * @param head the file's first {@link PICTURE_HEAD_BYTES}
 * @returns null for what is no picture, or one of another format
 */
export function pictureSize(head: Uint8Array): PictureSize | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  for (const read of [jpeg, png, webp, gif, heif, bmp]) {
    try {
      const size = read(view);
      if (size) return size;
    } catch {
      // Shorter than this format's header.
    }
  }
  return null;
}
