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
  const parts = [Buffer.from('%PDF-1.7\n')];
  const starts: number[] = [];
  for (const [at, body] of objects.entries()) {
    starts.push(Buffer.concat(parts).length);
    parts.push(Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(body), Buffer.from('\nendobj\n'));
  }
  const table = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const id = '<00112233445566778899aabbccddeeff>';
  const trailer = `<</Size ${size}/Root 1 0 R/ID[${id}${id}]${isEncrypted ? '/Encrypt 7 0 R' : ''}>>`;
  const xref = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n${trailer}\nstartxref\n`;
  return Buffer.concat([...parts, Buffer.from(`${xref}${Buffer.concat(parts).length}\n%%EOF\n`)]);
}

/** It begins as a PDF, and goes on as noise. */
export const damagedPdf = (): Buffer => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytesOf(PADDING_BYTES)]);

/** A PDF whose table of contents is whole, and whose pages are not where it says. */
export const withoutItsPages = (pdf: Buffer): Buffer =>
  Buffer.from(pdf.toString('latin1').replaceAll(' obj\n<</Type/Page/', ' obX\n<</Type/Page/'), 'latin1');
