import { createHash, randomBytes, randomFillSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync, inflateRawSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { NOTES, PLAN, PROGRAM } from '../../apps/web/test/gallery/files.ts';

/** Realistic files, generated for each run, so that no test relies on their exact bytes. */

export interface TestFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const ROOT = join(import.meta.dirname, '../..');
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const randomBytesOf = (sizeBytes: number): Buffer => randomFillSync(Buffer.alloc(sizeBytes));

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** A valid PNG of noise, about width × height × 3 bytes, because noise does not compress. */
export function noisePng(width: number, height: number): Buffer {
  const stride = 1 + width * 3;
  const pixels = randomBytesOf(stride * height);
  for (let y = 0; y < height; y++) pixels[y * stride] = 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(pixels, { level: 0 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const media = (name: string) => readFile(join(ROOT, 'apps/web/public/media', name));
const fixture = (name: string) => readFile(join(ROOT, 'tests/fixtures', name));

/** One second of a tone, as a WAV file. */
function tone(): Buffer {
  const rate = 8000;
  const samples = Buffer.alloc(rate * 2);
  for (let at = 0; at < rate; at++)
    samples.writeInt16LE(Math.round(9000 * Math.sin((at / rate) * 440 * 2 * Math.PI)), at * 2);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** The smallest valid PDF: one empty page. */
const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);

const text = (name: string, mimeType: string, content: string): TestFile => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
});

/** Small files that the viewer lays out by what they are. */
export const papers = (): TestFile[] => [
  text('plan.md', 'text/markdown', PLAN),
  text('costs.csv', 'text/csv', 'item;price\n"tent; blue";=1+1\nstove;40\n'),
  text('leave.py', 'text/x-python', PROGRAM),
  {
    name: 'trip.zip',
    mimeType: 'application/zip',
    buffer: makeZip([
      { name: 'photos/', content: Buffer.alloc(0) },
      { name: 'photos/harbour.txt', content: Buffer.from('words') },
    ]),
  },
];

export async function worldFiles(): Promise<TestFile[]> {
  return [
    { name: 'aurora-over-the-lake.webp', mimeType: 'image/webp', buffer: await media('aurora.webp') },
    {
      name: 'forest-path-with-a-very-long-name-that-is-cut-in-the-middle.webp',
      mimeType: 'image/webp',
      buffer: await media('forest.webp'),
    },
    { name: 'planet.webp', mimeType: 'image/webp', buffer: await media('planet.webp') },
    { name: 'raid-highlights.webm', mimeType: 'video/webm', buffer: await fixture('clip.webm') },
    { name: 'horn.wav', mimeType: 'audio/wav', buffer: tone() },
    { name: 'handbook.pdf', mimeType: 'application/pdf', buffer: PDF },
    { name: 'travel-notes.txt', mimeType: 'text/plain', buffer: Buffer.from(NOTES) },
    { name: 'world-save.bin', mimeType: 'application/octet-stream', buffer: randomBytes(3 * 1024 ** 2) },
    ...papers(),
  ];
}

/** Zips, written by hand: their files lie in them as they are. */

interface ZipPart {
  readonly name: string;
  readonly content: Buffer;
  /** The size that the directory says, where that is a lie. */
  readonly saidBytes?: number;
}

function record(signature: number, { name, content, saidBytes = content.length }: ZipPart, at: number | null): Buffer {
  const bytes = Buffer.from(name);
  const isEntry = at !== null;
  const head = Buffer.alloc(isEntry ? 46 : 30);
  const shift = isEntry ? 2 : 0;
  head.writeUInt32LE(signature, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(0x800, 6 + shift);
  head.writeUInt32LE(crc32(content), 14 + shift);
  head.writeUInt32LE(content.length, 18 + shift);
  head.writeUInt32LE(saidBytes, 22 + shift);
  head.writeUInt16LE(bytes.length, 26 + shift);
  if (isEntry) head.writeUInt32LE(at, 42);
  return Buffer.concat([head, bytes]);
}

/** @param saidCount the number of entries that the end says, where that is a lie */
export function makeZip(parts: readonly ZipPart[], saidCount = parts.length): Buffer {
  const files: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const file = Buffer.concat([record(0x04034b50, part, null), part.content]);
    entries.push(record(0x02014b50, part, at));
    files.push(file);
    at += file.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(saidCount, 8);
  end.writeUInt16LE(saidCount, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, directory, end]);
}

/** An independent zip reader to check saved zips. */

export interface ZipMember {
  readonly name: string;
  readonly bytes: Buffer;
}

const END = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const FILE_HEADER = 0x04034b50;
const END_BYTES = 22;

/**
 * The members of a zip, from its directory, each with its checksum verified.
 * @throws when the zip is truncated, or a member differs from its directory entry
 */
export function unzip(zip: Buffer): ZipMember[] {
  const end = zip.length - END_BYTES;
  if (end < 0 || zip.readUInt32LE(end) !== END) throw new Error('the zip has no end');
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    if (zip.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error(`no directory entry at ${at}`);
    const entry = zip.subarray(at);
    const nameBytes = entry.readUInt16LE(28);
    const name = entry.toString('utf8', 46, 46 + nameBytes);
    at += 46 + nameBytes + entry.readUInt16LE(30) + entry.readUInt16LE(32);
    const packed = bytesAt(zip, entry.readUInt32LE(42), entry.readUInt32LE(20));
    const bytes = entry.readUInt16LE(10) === 0 ? packed : inflateRawSync(packed);
    if (bytes.length !== entry.readUInt32LE(24)) throw new Error(`${name} has another size`);
    if (crc32(bytes) !== entry.readUInt32LE(16)) throw new Error(`${name} has another checksum`);
    return { name, bytes };
  });
}

function bytesAt(zip: Buffer, headerAt: number, sizeBytes: number): Buffer {
  if (zip.readUInt32LE(headerAt) !== FILE_HEADER) throw new Error(`no file at ${headerAt}`);
  const from = headerAt + 30 + zip.readUInt16LE(headerAt + 26) + zip.readUInt16LE(headerAt + 28);
  return zip.subarray(from, from + sizeBytes);
}

interface PhotoLook {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Of the upper half of what is stored; the lower half is blue. */
  readonly colour?: string;
  /** JPEG where left out. */
  readonly type?: string;
}

/** A picture of grain, drawn by a browser; a JPEG of 1200 by 900 pixels is too large to be opened unasked as a still would be. */
export async function makePhoto(
  page: Page,
  { widthPx, heightPx, colour = '#c81e1e', type = 'image/jpeg' }: PhotoLook,
): Promise<Buffer> {
  const base64 = await page.evaluate(
    async ([width, height, upper, wanted]) => {
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d', { alpha: false });
      if (!context) throw new Error('no canvas');
      context.fillStyle = upper;
      context.fillRect(0, 0, width, height / 2);
      context.fillStyle = '#1e1ec8';
      context.fillRect(0, height / 2, width, height / 2);
      const picture = context.getImageData(0, 0, width, height);
      const { data } = picture;
      for (let at = 0; at < data.length; at += 4) {
        const grain = Math.random() * 60 - 30;
        for (let band = at; band < at + 3; band += 1) data[band] = (data[band] ?? 0) + grain;
      }
      context.putImageData(picture, 0, 0);
      const blob = await canvas.convertToBlob({ type: wanted, quality: 0.9 });
      const bytes = new Uint8Array(await blob.arrayBuffer());
      let text = '';
      for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
      return btoa(text);
    },
    [widthPx, heightPx, colour, type] as const,
  );
  return Buffer.from(base64, 'base64');
}

/** Twelve files, no two of one type. */
export async function twelveFiles(page: Page): Promise<ReadonlyMap<string, Buffer>> {
  const world = await worldFiles();
  const ofType = (type: string) => world.filter(({ mimeType }) => mimeType === type).slice(0, 1);
  const types = ['image/webp', 'video/webm', 'audio/wav', 'application/pdf', 'text/plain', 'application/octet-stream'];
  return new Map([
    ...types.flatMap(ofType).map(({ name, buffer }) => [name, buffer] as const),
    ['beach.jpg', await makePhoto(page, { widthPx: 320, heightPx: 240 })],
    ['grain.png', noisePng(64, 64)],
    ['huts.json', Buffer.from('[{ "name": "Lake hut", "beds": 12 }]\n')],
    ['costs.csv', Buffer.from('what,euro\nferry,120\nhut,80\n')],
    ['plan.md', Buffer.from('# Plan\n\n1. Ferry\n2. Hut\n')],
    ['route.ts', Buffer.from('export const stops = 2;\n')],
  ]);
}
