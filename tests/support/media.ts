import { crc32 } from 'node:zlib';
import { randomBytesOf } from './files.ts';

/** PDFs, written by hand. Each is too large to be opened unasked as a still would be. */

const PADDING_BYTES = 50_000;

interface PdfLook {
  readonly widthPt: number;
  readonly heightPt: number;
  /** How many pages; the first one is red above and blue below, the others are blank. */
  readonly pages?: number;
  /** Asks for a password. */
  readonly isEncrypted?: boolean;
}

const stream = (dictionary: string, data: Buffer) =>
  Buffer.concat([Buffer.from(`<<${dictionary}/Length ${data.length}>>stream\n`), data, Buffer.from('\nendstream')]);

/** A file of these objects, whose first is its catalogue. */
function pdfOf(objects: readonly (string | Buffer)[], trailerPart = ''): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')];
  const starts: number[] = [];
  for (const [at, body] of objects.entries()) {
    starts.push(Buffer.concat(parts).length);
    parts.push(Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(body), Buffer.from('\nendobj\n'));
  }
  const table = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const id = '<00112233445566778899aabbccddeeff>';
  const trailer = `<</Size ${size}/Root 1 0 R/ID[${id}${id}]${trailerPart}>>`;
  const xref = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n${trailer}\nstartxref\n`;
  return Buffer.concat([...parts, Buffer.from(`${xref}${Buffer.concat(parts).length}\n%%EOF\n`)]);
}

/**
 * 64 by 64 black pixels as a fax (ITU-T T.6): a first line of no white and 64 black ones, written out, and 63 lines
 * like the one above each.
 */
const BLACK_FAX = bitsOf(`001${'00110101'}${'0000001111'}${'0000110111'}${'11'.repeat(63)}${'000000000001'.repeat(2)}`);

function bitsOf(bits: string): Buffer {
  const bytes = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** A page of one region, which is a fax (ITU-T T.88, as PDF embeds it). */
function jbig2(side: number, fax: Buffer): Buffer {
  const number = (value: number) => [0, 0, value >> 8, value & 255];
  const segment = (id: number, type: number, data: readonly number[]) => [
    ...[...number(id), type, 0, 1],
    ...[...number(data.length), ...data],
  ];
  const page = [...number(side), ...number(side), ...number(0), ...number(0), 0, 0, 0];
  const isFax = 1;
  const region = [...number(side), ...number(side), ...number(0), ...number(0), 0, isFax, ...fax];
  return Buffer.from([...segment(0, 48, page), ...segment(1, 38, region)]);
}

/** Sixteen by sixteen red pixels, by FFmpeg. */
const RED_JPEG_2000 = Buffer.from(
  'AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAAEAAAABAAAwgHAAAAAAAPY29scgEAAAAAABAAAAC+anAyY/9P/1EALwAAAAAAEAAAABAAAAAAAAAAAAAAAQAAAAEAAAAAAAAAAAAAAwcBAQcBAQcBAf9SAAwAAAABAAYCAgAA/1wAKSJ/IH7gfuB+oHbwdvB2wG8AbwBu4GdQZ1BnaFAFUAVQR1fTV9NXYv9kABEAAUxhdmM1OS4zNy4xMDD/kAAKAAAAAAA1AAH/k9/4MBgEmj/f+DAYBziP3/gwGAc4jwAAAAAAAAAAAAAAAAAAAAAAAP/Z',
  'base64',
);

/** A PDF that runs a script and calls an address when it is opened, where a reader lets it. */
export function makePdf({ widthPt, heightPt, pages = 2, isEncrypted = false }: PdfLook): Buffer {
  const [right, upper] = [widthPt, heightPt / 2];
  const drawing = [
    `1 0 0 rg 0 ${upper} ${right} ${upper} re f 0 0 1 rg 0 0 ${right} ${upper} re f`,
    // In a font that every reader is to bring.
    `BT 1 g /F1 ${upper / 8} Tf ${right / 4} ${upper} Td (Nine o'clock) Tj ET`,
  ].join(' ');
  const page = (contents: string) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${widthPt} ${heightPt}]/Resources<</Font<</F1 5 0 R>>>>${contents}>>`;
  const others = Array.from({ length: Math.max(0, pages - 1) }, () => page(''));
  const kids = [...(pages > 0 ? [3] : []), ...others.map((_, at) => 8 + at)].map((id) => `${id} 0 R`);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.launchURL\\("https://evil.example/"\\))>>>>',
    `<</Type/Pages/Kids[${kids.join(' ')}]/Count ${pages}>>`,
    page('/Contents 4 0 R/AA<</O<</S/URI/URI(https://evil.example/)>>>>'),
    stream('', Buffer.from(drawing)),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    stream('', randomBytesOf(PADDING_BYTES)),
    `<</Filter/Standard/V 1/R 2/P -4/O<${'5a'.repeat(32)}>/U<${'a5'.repeat(32)}>>>`,
    ...others,
  ];
  return pdfOf(objects, isEncrypted ? '/Encrypt 7 0 R' : '');
}

/** A sheet of four quarters without any word but one: JBIG2 and JPEG 2000 above, a fax and Japanese in no font of the file below. */
export function makeScan(): Buffer {
  const side = 64;
  const picture = (filter: string, looks: string, data: Buffer) =>
    stream(`/Type/XObject/Subtype/Image/Width ${side}/Height ${side}${looks}/Filter/${filter}`, data);
  const gray = '/ColorSpace/DeviceGray/BitsPerComponent 1';
  const quarter = (name: string, x: number, y: number) => `q 200 0 0 200 ${x} ${y} cm /${name} Do Q`;
  const drawing = [
    ...[quarter('Jbig2', 0, 200), quarter('Jpx', 200, 200), quarter('Fax', 0, 0)],
    // "Japan" in Shift-JIS.
    'BT /F1 60 Tf 220 60 Td <93FA967B> Tj ET',
  ].join(' ');
  const resources = '<</XObject<</Jbig2 5 0 R/Jpx 6 0 R/Fax 7 0 R>>/Font<</F1 8 0 R>>>>';
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Resources${resources}/Contents 4 0 R>>`,
    stream('', Buffer.from(drawing)),
    picture('JBIG2Decode', gray, jbig2(side, BLACK_FAX)),
    picture('JPXDecode', '', RED_JPEG_2000),
    picture('CCITTFaxDecode', `${gray}/DecodeParms<</K -1/Columns ${side}/Rows ${side}>>`, BLACK_FAX),
    '<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/90ms-RKSJ-H/DescendantFonts[9 0 R]>>',
    '<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 10 0 R>>',
    '<</Type/FontDescriptor/FontName/Ryumin-Light/Flags 4/Ascent 800/Descent -200/CapHeight 700/ItalicAngle 0/StemV 80/FontBBox[0 -200 1000 800]>>',
    stream('', randomBytesOf(PADDING_BYTES)),
  ]);
}

/** It begins as a PDF, and goes on as noise. */
export const damagedPdf = (): Buffer => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytesOf(PADDING_BYTES)]);

/** A PDF whose table of contents is whole, and whose pages are not where it says. */
export const withoutItsPages = (pdf: Buffer): Buffer =>
  Buffer.from(pdf.toString('latin1').replaceAll(' obj\n<</Type/Page/', ' obX\n<</Type/Page/'), 'latin1');

/**
 * A film of any size from a small one: the same pictures with nothing between them. The small one, fixtures/film.mp4, was
 * made by `ffmpeg -f lavfi -i color=c=teal:size=96x54:rate=1:duration=600 -c:v libvpx-vp9 -b:v 0 -crf 60 -g 5 -an`.
 */

const BOX_HEADER_BYTES = 8;
/** Boxes that hold the ones below them, down to the tables of samples (ISO/IEC 14496-12 §8). */
const PARENTS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

interface Box {
  readonly type: string;
  /** Of its content. */
  readonly start: number;
  readonly end: number;
}

function* boxesIn(film: Buffer, from: number, to: number): Generator<Box> {
  for (let at = from; at < to; ) {
    const end = at + film.readUInt32BE(at);
    yield { type: film.toString('latin1', at + 4, at + BOX_HEADER_BYTES), start: at + BOX_HEADER_BYTES, end };
    at = end;
  }
}

function boxOf(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(BOX_HEADER_BYTES);
  header.writeUInt32BE(BOX_HEADER_BYTES + content.length, 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}

/** A table's content: version and flags, a count, and 32-bit numbers. */
function table(count: number, numbers: readonly number[]): Buffer {
  const content = Buffer.alloc(8 + 4 * numbers.length);
  content.writeUInt32BE(count, 4);
  for (const [index, number] of numbers.entries()) content.writeUInt32BE(number, 8 + 4 * index);
  return content;
}

/** The same boxes, with other tables in place of those that `replaced` names. */
function rebuilt(film: Buffer, { type, start, end }: Box, replaced: Readonly<Record<string, Buffer>>): Buffer {
  const other = replaced[type];
  if (other) return boxOf(type, other);
  if (!PARENTS.has(type)) return boxOf(type, film.subarray(start, end));
  return boxOf(type, Buffer.concat([...boxesIn(film, start, end)].map((child) => rebuilt(film, child, replaced))));
}

function tableIn(film: Buffer, { start, end }: Box, wanted: string): Box | null {
  for (const child of boxesIn(film, start, end)) {
    if (child.type === wanted) return child;
    const found = PARENTS.has(child.type) ? tableIn(film, child, wanted) : null;
    if (found) return found;
  }
  return null;
}

/**
 * An MP4 of about `sizeBytes` with its index at the end, whose pictures lie evenly in it.
 * @param film with one track, whose samples follow each other in one piece, as ffmpeg writes a film without sound
 */
export function spreadFilm(film: Buffer, sizeBytes: number): Buffer {
  const top = [...boxesIn(film, 0, film.length)];
  const [type, moov] = ['ftyp', 'moov'].map((name) => top.find((found) => found.type === name));
  const sizes = moov && tableIn(film, moov, 'stsz');
  const places = moov && tableIn(film, moov, 'stco');
  if (!type || !moov || !sizes || !places) throw new Error('this is no MP4');
  const count = film.readUInt32BE(sizes.start + 8);
  let from = film.readUInt32BE(places.start + 8);
  const samples = Array.from({ length: count }, (_, index) => {
    const length = film.readUInt32BE(sizes.start + 12 + 4 * index);
    from += length;
    return film.subarray(from - length, from);
  });
  const head = rebuilt(film, type, {});
  const content = Buffer.alloc(sizeBytes - head.length - BOX_HEADER_BYTES);
  const offsets = samples.map((sample, index) => {
    const at = Math.floor((content.length / count) * index);
    sample.copy(content, at);
    return head.length + BOX_HEADER_BYTES + at;
  });
  // One sample in each chunk: where it begins, how many it has, and how they are described.
  const tables = { stco: table(count, offsets), stsc: table(1, [1, 1, 1]) };
  return Buffer.concat([head, boxOf('mdat', content), rebuilt(film, moov, tables)]);
}

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

/** A frame of an ID3v2.3 tag. */
function frame(id: string, content: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.write(id, 'latin1');
  head.writeUInt32BE(content.length, 4);
  return Buffer.concat([head, content]);
}

/** One frame of silence: MPEG 1, layer III, 128 kbit/s, 44.1 kHz. */
function silence(): Buffer {
  const bytes = Buffer.alloc(417);
  bytes.set([0xff, 0xfb, 0x90, 0x64]);
  return bytes;
}

/** An MP3 of a second, whose tag has a title, an artist and a cover. */
export function coveredSong(cover: Buffer): Buffer {
  const tag = Buffer.concat([
    frame('TIT2', Buffer.from('\0Harbour song', 'latin1')),
    frame('TPE1', Buffer.from('\0Die M\u00f6wen', 'latin1')),
    frame('APIC', Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), cover])),
  ]);
  const head = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1');
  for (let byte = 0; byte < 4; byte++) head[6 + byte] = (tag.length >> (7 * (3 - byte))) & 0x7f;
  return Buffer.concat([head, tag, ...Array.from({ length: 40 }, silence)]);
}
