import { crc32 } from 'node:zlib';

/** Real pictures with all that cameras and programs write about their makers, put into them here. */

/** Stands wherever a maker is told of. */
export const SECRET = 'SECRET 52.5200N 13.4050E body 4711';

const uint = (value: number, length: number, isLittle = false): Buffer => {
  const bytes = Buffer.alloc(length);
  if (isLittle) bytes.writeUIntLE(value, 0, length);
  else bytes.writeUIntBE(value, 0, length);
  return bytes;
};
const text = (words: string) => Buffer.from(words, 'latin1');
const zeros = (length: number) => Buffer.alloc(length);

/** Exif data: maker, orientation, and a place. @param orientation 6: the upper edge belongs to the right */
function exif(orientation: number): Buffer {
  const words = text(`${SECRET}\0`);
  const entry = (tag: number, type: number, count: number, value: Buffer) =>
    Buffer.concat([uint(tag, 2), uint(type, 2), uint(count, 4), value, zeros(4 - value.length)]);
  const directory = (...entries: Buffer[]) => Buffer.concat([uint(entries.length, 2), ...entries, zeros(4)]);
  const gps = directory(entry(2, 7, words.length, uint(8, 4)));
  const gpsAt = 8 + words.length;
  const first = directory(
    entry(0x10f, 2, words.length, uint(8, 4)),
    entry(0x112, 3, 1, uint(orientation, 2)),
    entry(0x8825, 4, 1, uint(gpsAt, 4)),
  );
  return Buffer.concat([text('MM\0*'), uint(gpsAt + gps.length, 4), words, gps, first]);
}

function segment(marker: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([0xff, marker]), uint(body.length + 2, 2), body]);
}

/** With a comment, XMP, IPTC, and the film of a motion photo behind it. */
export const taggedJpeg = (jpeg: Buffer): Buffer =>
  Buffer.concat([
    jpeg.subarray(0, 2),
    segment(0xe1, text('Exif\0\0'), exif(6)),
    segment(0xe1, text('http://ns.adobe.com/xap/1.0/\0'), text(SECRET)),
    segment(0xed, text('Photoshop 3.0\0'), text(SECRET)),
    segment(0xfe, text(SECRET)),
    jpeg.subarray(2),
    text(`....ftypmp42${SECRET}`),
  ]);

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([text(type), data]);
  return Buffer.concat([uint(data.length, 4), body, uint(crc32(body), 4)]);
}

/** After IHDR, which takes 33 bytes with the signature. */
export const taggedPng = (png: Buffer): Buffer =>
  Buffer.concat([
    png.subarray(0, 33),
    chunk('gAMA', uint(45_455, 4)),
    chunk('tEXt', text(`Author\0${SECRET}`)),
    chunk('eXIf', exif(6)),
    png.subarray(33),
    text(SECRET),
  ]);

/** @param webp of the extended format, as Chromium writes it, with a colour profile */
export function taggedWebp(webp: Buffer): Buffer {
  const part = (type: string, data: Buffer) =>
    Buffer.concat([text(type), uint(data.length, 4, true), data, zeros(data.length % 2)]);
  if (webp.toString('latin1', 12, 16) !== 'VP8X') throw new Error('a WebP of the simple format');
  const flagsAt = 20;
  const flags = Buffer.from([(webp[flagsAt] ?? 0) | 0b1100]);
  const tags = Buffer.concat([part('EXIF', exif(6)), part('XMP ', text(SECRET))]);
  const body = Buffer.concat([webp.subarray(8, flagsAt), flags, webp.subarray(flagsAt + 1), tags]);
  return Buffer.concat([text('RIFF'), uint(body.length, 4, true), body]);
}

/** One coded picture of 64 by 48 pixels, red over blue. */
const AV1 = Buffer.from(
  'CgwAAAACr/eANEGBgYEyQBBhACyyyxQSQNgJU+M7YKaUHMjiftvleVzLkY1udhQZ4sFqJPHmS7TQ34IJLhS8GdLo6MGMnHjuYehqSese5FA=',
  'base64',
);

const box = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([uint(body.length + 8, 4), text(type), body]);
};

/** A file of the same boxes as HEIC, which few browsers decode: turned by `irot`, with Exif data, XMP and a film. */
export function taggedAvif(): Buffer {
  const item = (id: number, type: string, more = '') =>
    box('infe', Buffer.from([2, 0, 0, 0]), uint(id, 2), zeros(2), text(`${type}\0${more}`));
  const metadata = [
    Buffer.concat([zeros(4), exif(1)]),
    text(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${SECRET}</x:xmpmeta>`),
  ];
  const media = [AV1, ...metadata];
  const brands = box('ftyp', text('avif'), zeros(4), text('avifmif1miaf'));
  const properties = box(
    'ipco',
    box('ispe', zeros(4), uint(64, 4), uint(48, 4)),
    box('pixi', zeros(4), Buffer.from([3, 8, 8, 8])),
    box('av1C', Buffer.from([0x81, 4, 0x0c, 0])),
    box('irot', Buffer.from([1])),
  );
  const meta = (mediaAt: number) => {
    let at = mediaAt;
    const places = media.map(({ length }, index) => {
      const place = [uint(index + 1, 2), zeros(2), uint(1, 2), uint(at, 4), uint(length, 4)];
      at += length;
      return Buffer.concat(place);
    });
    return box(
      'meta',
      zeros(4),
      box('hdlr', zeros(8), text('pict'), zeros(13)),
      box('pitm', zeros(4), uint(1, 2)),
      box('iloc', zeros(4), Buffer.from([0x44, 0]), uint(places.length, 2), ...places),
      box('iinf', zeros(4), uint(3, 2), item(1, 'av01'), item(2, 'Exif'), item(3, 'mime', 'application/rdf+xml\0')),
      box('iprp', properties, box('ipma', zeros(4), uint(1, 4), uint(1, 2), Buffer.from([4, 1, 2, 0x83, 0x84]))),
    );
  };
  const mediaAt = brands.length + meta(0).length + 8;
  return Buffer.concat([brands, meta(mediaAt), box('mdat', ...media), box('mpvd', text(SECRET))]);
}
