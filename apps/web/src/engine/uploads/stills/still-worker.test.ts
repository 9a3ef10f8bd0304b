import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { StillOrder, StillReply } from './still-messages.ts';

/** What a browser draws is its own affair; which files it is asked to draw, and what follows when it can't, is ours. */

type Hear = (event: { data: unknown; ports: { postMessage: (reply: StillReply) => void }[] }) => Promise<void>;

const WEBP = new Blob(['drawn'], { type: 'image/webp' });
let hear: Hear;
let decodes: { type: string; options: unknown }[];
let closed: number;
let canDecode: (file: Blob) => boolean;
let tellsTruth: boolean;

vi.mock('../../files/stills/canvas-truth.ts', () => ({ canvasTellsTruth: () => tellsTruth }));

class FakeCanvas {
  width: number;
  height: number;
  constructor(width: number, height: number) {
    [this.width, this.height] = [width, height];
  }
  getContext = () => ({ drawImage: () => undefined });
  convertToBlob = async () => WEBP;
}

beforeAll(async () => {
  vi.stubGlobal('OffscreenCanvas', FakeCanvas);
  vi.stubGlobal('addEventListener', (_type: string, listener: Hear) => {
    hear = listener;
  });
  const close = () => {
    closed += 1;
  };
  vi.stubGlobal('createImageBitmap', async (file: Blob, options: unknown) => {
    decodes.push({ type: file.type, options });
    if (!canDecode(file)) throw new DOMException('The source image could not be decoded.', 'InvalidStateError');
    return { width: 640, height: 480, close };
  });
  await import('./still-worker.ts');
});

beforeEach(() => {
  [decodes, closed, canDecode, tellsTruth] = [[], 0, () => true, true];
});

const ask = (file: Blob, kind: StillOrder['kind'] = 'picture') =>
  new Promise<StillReply>((resolve) => {
    void hear({ data: { kind, file }, ports: [{ postMessage: resolve }] });
  });

const zeros = (length: number) => new Uint8Array(length);
const uint32 = (value: number) => Uint8Array.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
const size = (width: number, height: number) => new Blob([uint32(width), uint32(height)]);
const extent = (width: number, height: number) => [uint32(20), 'ispe', zeros(4), size(width, height)];
const heif = (brand: string, ...boxes: BlobPart[]) => [uint32(24), 'ftyp', brand, zeros(12), ...boxes];

const PICTURES: readonly (readonly [what: string, type: string, parts: BlobPart[]])[] = [
  ['an AVIF', 'image/avif', heif('avif', ...extent(640, 480))],
  ['an AVIF of several pictures', 'image/avif', heif('avis', ...extent(640, 480), ...extent(64, 48))],
  [
    'an animated GIF',
    'image/gif',
    ['GIF89a', Uint8Array.of(0x80, 0x02, 0xe0, 0x01), zeros(3), Uint8Array.of(0x21, 0xff, 11), 'NETSCAPE2.0', zeros(9)],
  ],
  [
    'an animated WebP',
    'image/webp',
    [
      'RIFF',
      zeros(4),
      'WEBPVP8X',
      zeros(4),
      Uint8Array.of(2, 0, 0, 0, 0x7f, 0x02, 0, 0xdf, 0x01, 0),
      'ANIM',
      zeros(10),
    ],
  ],
  [
    'an animated PNG',
    'image/png',
    [Uint8Array.of(0x89), 'PNG\r\n\x1a\n', uint32(13), 'IHDR', size(640, 480), zeros(9), uint32(8), 'acTL', zeros(12)],
  ],
];

test.each(PICTURES)('%s gets the still of its first picture, as it is to be looked at', async (_what, type, parts) => {
  expect(await ask(new Blob(parts, { type }))).toEqual({ small: WEBP, large: WEBP });
  expect(decodes).toEqual([{ type, options: { imageOrientation: 'from-image' } }]);
  expect(closed).toBe(1);
});

test('a HEIC that the browser can’t decode has none, and the next picture has its own', async () => {
  canDecode = ({ type }) => type !== 'image/heic';
  const heic = new Blob(heif('heic', ...extent(4032, 3024)), { type: 'image/heic' });
  expect(await ask(heic)).toBeNull();
  expect(decodes).toHaveLength(1);
  const [, type, parts] = PICTURES[0]!;
  expect(await ask(new Blob(parts, { type }))).not.toBeNull();
});

const PNG = [Uint8Array.of(0x89), 'PNG\r\n\x1a\n', uint32(13), 'IHDR', size(640, 480), zeros(9)];

const SILENCE = Array.from({ length: 8 }, () => [uint32(0xfffb9064), zeros(413)]).flat();

/** An MP3 in which nothing is heard, and whose tag says that it has a picture. */
async function mp3(...picture: BlobPart[]): Promise<Blob> {
  const content = new Blob(['\0image/png\0\x03\0', ...picture]);
  const frame = new Blob(['APIC', uint32(content.size), zeros(2), content]);
  // Seven bits in each byte (ID3v2.3 §3.1).
  const tagSize = Uint8Array.of(0, 0, frame.size >>> 7, frame.size & 0x7f);
  return new Blob(['ID3\x03\0\0', tagSize, frame, ...SILENCE], { type: 'audio/mpeg' });
}

test('a sound gets the still of the cover in its tags, and none without a cover that is a picture', async () => {
  expect(await ask(await mp3(...PNG), 'sound')).toEqual({ small: WEBP, large: WEBP });
  expect(decodes).toEqual([{ type: 'image/png', options: { imageOrientation: 'from-image' } }]);
  expect(await ask(await mp3('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'sound')).toBeNull();
  expect(await ask(new Blob([zeros(500)], { type: 'audio/mpeg' }), 'sound')).toBeNull();
  expect(decodes).toHaveLength(1);
});

test('a picture that claims billions of pixels, and a file that is none, are never decoded', async () => {
  expect(await ask(new Blob(heif('heic', ...extent(65_535, 65_535)), { type: 'image/heic' }))).toBeNull();
  expect(await ask(new Blob(['GIF of words, and no more than that'], { type: 'image/gif' }))).toBeNull();
  expect(decodes).toEqual([]);
});

test('a browser whose canvas gives noise makes no still at all', async () => {
  tellsTruth = false;
  const [, type, parts] = PICTURES[0]!;
  expect(await ask(new Blob(parts, { type }))).toBeNull();
  expect(decodes).toEqual([]);
});
