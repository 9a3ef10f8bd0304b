import { randomBytesOf } from './samples.ts';

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
