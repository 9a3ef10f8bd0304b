import { writeZip, type ZipInput } from '@satchel/client/open/zip-writer';

/** Files of every kind that the viewer knows, small and made here. */

const text = (content: string, type: string): Blob => new Blob([content], { type });

/** A sky of two colours. */
export async function picture(width = 320, height = 200, [above, below] = ['#2b1f5c', '#5fd0a5']): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d')!;
  const sky = context.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, above!);
  sky.addColorStop(1, below!);
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height);
  return canvas.convertToBlob({ type: 'image/webp' });
}

/** A film of two seconds, read from the repository. */
async function film(): Promise<Blob> {
  const { href } = new URL('../../../../tests/fixtures/clip.webm', import.meta.url);
  return new Blob([await (await fetch(href)).arrayBuffer()], { type: 'video/webm' });
}

/** A tenth of a second of a tone, as a WAV file. */
function tone(): Blob {
  const [rate, count] = [8000, 800];
  const head = new DataView(new ArrayBuffer(44));
  const write = (at: number, word: string) => {
    for (const [place, letter] of [...word].entries()) head.setUint8(at + place, letter.charCodeAt(0));
  };
  write(0, 'RIFF');
  head.setUint32(4, 36 + 2 * count, true);
  write(8, 'WAVEfmt ');
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true);
  head.setUint16(22, 1, true);
  head.setUint32(24, rate, true);
  head.setUint32(28, 2 * rate, true);
  head.setUint16(32, 2, true);
  head.setUint16(34, 16, true);
  write(36, 'data');
  head.setUint32(40, 2 * count, true);
  const samples = Int16Array.from({ length: count }, (_, at) => 9000 * Math.sin((at / rate) * 440 * 2 * Math.PI));
  return new Blob([head, samples], { type: 'audio/wav' });
}

/** @param trailer what else its trailer says */
const pdf = (trailer = ''): Blob =>
  text(
    [
      '%PDF-1.4',
      '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
      '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj',
      `4 0 obj<</Filter/Standard/V 1/R 2/P -4/O<${'5a'.repeat(32)}>/U<${'a5'.repeat(32)}>>>endobj`,
      `trailer<</Root 1 0 R${trailer}>>`,
      '%%EOF',
      '',
    ].join('\n'),
    'application/pdf',
  );
const ID = '<00112233445566778899aabbccddeeff>';

async function zip(...names: string[]): Promise<Uint8Array<ArrayBuffer>> {
  async function* inputs(): AsyncGenerator<ZipInput> {
    for (const name of names) {
      const bytes = new TextEncoder().encode(name.endsWith('/') ? '' : 'words');
      const content = (async function* () {
        yield bytes;
      })();
      yield { name, modifiedMs: Date.UTC(2026, 2, 1), sizeBytes: bytes.length, content };
    }
  }
  const parts: BlobPart[] = [];
  for await (const unit of writeZip(inputs())) parts.push(...unit);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
const zipOf = (bytes: Uint8Array<ArrayBuffer>): Blob => new Blob([bytes], { type: 'application/zip' });

/** Says that it unpacks to twenty times four gigabytes. */
async function bomb(): Promise<Blob> {
  const bytes = await zip(...Array.from({ length: 20 }, (_, at) => `${at}.bin`));
  const view = new DataView(bytes.buffer);
  const ENTRY = 0x504b0102;
  for (let at = 0; at < bytes.length - 28; at++) {
    if (view.getUint32(at) === ENTRY) view.setUint32(at + 24, 0xfffffffe, true);
  }
  return zipOf(bytes);
}

/** A frame of an ID3v2.3 tag. */
function frame(id: string, ...content: BlobPart[]): Blob {
  const body = new Blob(content);
  const head = new Uint8Array([...new TextEncoder().encode(id), 0, 0, body.size >> 8, body.size & 255, 0, 0]);
  return new Blob([head, body]);
}

/** An MP3 whose tag has a title, an artist and a cover. */
async function song(): Promise<Blob> {
  const cover = frame('APIC', '\0image/webp\0\x03\0', await picture(96, 96));
  const tag = new Blob([frame('TIT2', '\0Harbour song'), frame('TPE1', '\0The Gulls'), cover]);
  const size = [21, 14, 7, 0].map((shift) => (tag.size >> shift) & 0x7f);
  // MPEG 1, layer III, 128 kbit/s, 44.1 kHz.
  const silence = new Uint8Array(417);
  silence.set([0xff, 0xfb, 0x90, 0x64]);
  const head = new Uint8Array([...new TextEncoder().encode('ID3'), 3, 0, 0, ...size]);
  return new Blob([head, tag, ...Array.from({ length: 40 }, () => silence)], { type: 'audio/mpeg' });
}

export const NOTES = 'The ferry leaves at nine. '.repeat(40);
export const PLAN = `# Plan

- [x] pack
- [ ] go

| day | place |
|---|---|
| 1 | [Harbour](https://example.org/harbour) |

> ![A map](https://example.org/map.png)
`;
export const PROGRAM = `def leave(at):
    # the ferry waits for none
    return "left at %d" % at
`;

const TABLE = 'item;price\n"tent; blue";=1+1\nstove;40\n';
/** What is written in files. */
export const TEXTS: readonly string[] = [NOTES, PLAN, PROGRAM, TABLE];

const FILES = {
  'aurora-over-the-lake.webp': () => picture(),
  'forest-path-with-a-very-long-name-that-is-cut-in-the-middle.webp': () => picture(200, 320, ['#123d2a', '#e4d48a']),
  'planet.webp': () => picture(240, 240, ['#a8452f', '#1b1b3a']),
  'raid-highlights.webm': film,
  'horn.wav': tone,
  'handbook.pdf': pdf,
  'travel-notes.txt': () => text(NOTES, 'text/plain'),
  'world-save.bin': () => text('x'.repeat(300_000), 'application/octet-stream'),
  'plan.md': () => text(PLAN, 'text/markdown'),
  'costs.csv': () => text(TABLE, 'text/csv'),
  'leave.py': () => text(PROGRAM, 'text/x-python'),
  'trip.zip': async () => zipOf(await zip('photos/', 'photos/harbour.txt')),
  // Files that no browser shows, and some with their own page in the viewer.
  'broken.png': () => text('this is no picture', 'image/png'),
  'IMG_0001.heic': () => text('heic'.repeat(50_000), 'image/heic'),
  'concert.ts': () => text('G'.repeat(1000 * 188), 'video/mp2t'),
  'song.mp3': song,
  'locked.pdf': () => pdf(`/Encrypt 4 0 R/ID[${ID}${ID}]`),
  'bomb.zip': bomb,
} as const satisfies Readonly<Record<string, () => Blob | Promise<Blob>>>;

export type FileName = keyof typeof FILES;
export const ODD: readonly FileName[] = [
  'broken.png',
  'IMG_0001.heic',
  'concert.ts',
  'song.mp3',
  'locked.pdf',
  'bomb.zip',
];
export const FILE_NAMES = Object.keys(FILES) as FileName[];
export const USUAL = FILE_NAMES.filter((name) => !ODD.includes(name));

export const fileOf = (name: FileName): Blob | Promise<Blob> => FILES[name]();
