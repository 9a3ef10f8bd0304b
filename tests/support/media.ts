import { randomBytesOf } from './files.ts';

/** PDFs, a song and films, written by hand. A PDF is larger than its still unless it is to be small. */

/** What makes it so large. */
export const padding = (): Buffer => randomBytesOf(50_000);

interface PdfLook {
  readonly widthPt: number;
  readonly heightPt: number;
  /** How many pages; the first one is red above and blue below, the others are blank. */
  readonly pages?: number;
  /** Asks for a password. */
  readonly isEncrypted?: boolean;
}

export const pdfStream = (dictionary: string, data: Buffer) =>
  Buffer.concat([Buffer.from(`<<${dictionary}/Length ${data.length}>>stream\n`), data, Buffer.from('\nendstream')]);

/** A file of these objects, whose first is its catalogue. */
export function pdfOf(objects: readonly (string | Buffer)[], trailerPart = ''): Buffer {
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
    pdfStream('', Buffer.from(drawing)),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    pdfStream('', padding()),
    `<</Filter/Standard/V 1/R 2/P -4/O<${'5a'.repeat(32)}>/U<${'a5'.repeat(32)}>>>`,
    ...others,
  ];
  return pdfOf(objects, isEncrypted ? '/Encrypt 7 0 R' : '');
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

/** An MP3 of a second, or of more frames (16 KiB each second), whose tag has a title, an artist and a cover. */
export function coveredSong(cover: Buffer, frames = 40): Buffer {
  const tag = Buffer.concat([
    frame('TIT2', Buffer.from('\0Harbour song', 'latin1')),
    frame('TPE1', Buffer.from('\0Die M\u00f6wen', 'latin1')),
    frame('APIC', Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), cover])),
  ]);
  const head = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1');
  for (let byte = 0; byte < 4; byte++) head[6 + byte] = (tag.length >> (7 * (3 - byte))) & 0x7f;
  return Buffer.concat([head, tag, ...Array.from({ length: frames }, silence)]);
}

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

/** A box of an ISO base media file (ISO/IEC 14496-12 §4.2). */
export function boxOf(type: string, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
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

/** The same boxes, with other tables in place of the ones that `replaced` names. */
function rebuilt(film: Buffer, { type, start, end }: Box, replaced: Readonly<Record<string, Buffer>>): Buffer {
  const other = replaced[type];
  if (other) return boxOf(type, other);
  if (!PARENTS.has(type)) return boxOf(type, film.subarray(start, end));
  return boxOf(type, ...[...boxesIn(film, start, end)].map((child) => rebuilt(film, child, replaced)));
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

/** What cameras write into a JPEG before the picture. */

function uint(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}

/** Exif data: maker, orientation, and a place. @param orientation 1 to 8; 6: the upper edge belongs to the right */
function exif(orientation: number, maker: string): Buffer {
  const words = Buffer.from(`${maker}\0`, 'latin1');
  const entry = (tag: number, type: number, count: number, value: Buffer) =>
    Buffer.concat([uint(tag, 2), uint(type, 2), uint(count, 4), value, Buffer.alloc(4 - value.length)]);
  const directory = (...entries: Buffer[]) => Buffer.concat([uint(entries.length, 2), ...entries, Buffer.alloc(4)]);
  const gps = directory(entry(2, 7, words.length, uint(8, 4)));
  const gpsAt = 8 + words.length;
  const first = directory(
    entry(0x10f, 2, words.length, uint(8, 4)),
    entry(0x112, 3, 1, uint(orientation, 2)),
    entry(0x8825, 4, 1, uint(gpsAt, 4)),
  );
  return Buffer.concat([Buffer.from('MM\0*', 'latin1'), uint(gpsAt + gps.length, 4), words, gps, first]);
}

/** The same JPEG as a camera that was held otherwise stores it. */
export function turned(jpeg: Buffer, orientation: number, maker: string): Buffer {
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif(orientation, maker)]);
  return Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.from([0xff, 0xe1]),
    uint(body.length + 2, 2),
    body,
    jpeg.subarray(2),
  ]);
}
