import { expect, test } from 'vitest';
import { blobReader } from '../../media/read-range.ts';
import { readAudioTags } from './audio-tags.ts';

/** Tags as the programs write them, byte by byte, and a picture that is one by its first bytes. */

const PICTURE = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]);
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

const big = (value: number, length = 4): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
};
const little = (value: number): Buffer => big(value).reverse();
const text = (value: string): Buffer => Buffer.from(value, 'latin1');
const sized = (bytes: Buffer): Buffer => Buffer.concat([big(bytes.length), bytes]);

function id3(frames: readonly (readonly [string, Buffer])[]): Buffer {
  const body = Buffer.concat(
    frames.map(([id, content]) => Buffer.concat([text(id), big(content.length), big(0, 2), content])),
  );
  const size = Buffer.from([21, 14, 7, 0].map((shift) => (body.length >> shift) & 0x7f));
  return Buffer.concat([text('ID3\x03\0\0'), size, body, Buffer.alloc(50)]);
}
const flacPicture = (picture: Buffer): Buffer =>
  Buffer.concat([big(3), sized(text('image/png')), sized(text('')), Buffer.alloc(16), sized(picture)]);
function comments(values: readonly string[]): Buffer {
  const each = values.map((value) => Buffer.from(value));
  return Buffer.concat([
    little(3),
    text('me!'),
    little(each.length),
    ...each.flatMap((value) => [little(value.length), value]),
  ]);
}
const flacBlock = (kind: number, content: Buffer): Buffer =>
  Buffer.concat([big(kind, 1), big(content.length, 3), content]);
function oggPage(packet: Buffer): Buffer {
  const lengths = [...Array<number>(Math.floor(packet.length / 255)).fill(255), packet.length % 255];
  return Buffer.concat([text('OggS'), Buffer.alloc(22), big(lengths.length, 1), Buffer.from(lengths), packet]);
}
const box = (name: string, ...content: Buffer[]): Buffer => {
  const inner = Buffer.concat(content);
  return Buffer.concat([big(inner.length + 8), text(name), inner]);
};
const item = (name: string, value: Buffer): Buffer => box(name, box('data', Buffer.alloc(8), value));

async function tagsOf(file: Buffer) {
  const blob = new Blob([new Uint8Array(file)]);
  const { cover, ...texts } = await readAudioTags(blobReader(blob), blob.size);
  return { ...texts, cover: cover && { type: cover.type, bytes: Buffer.from(await cover.arrayBuffer()) } };
}

const WHOLE = { title: 'Möwe', artist: 'Ada', album: 'Hafen', cover: { type: 'image/jpeg', bytes: PICTURE } };
const COMMENTS = ['TITLE=Möwe', 'artist=Ada', 'Album=Hafen'];

test.for([
  [
    'an MP3',
    id3([
      ['TIT2', Buffer.concat([text('\x01'), Buffer.from('\ufeffMöwe\0', 'utf16le')])],
      ['TPE1', text('\0Ada')],
      ['TALB', text('\x03Hafen\0')],
      ['APIC', Buffer.concat([text('\0image/png\0\x03Front\0'), PICTURE])],
    ]),
  ],
  [
    'a FLAC',
    Buffer.concat([
      text('fLaC'),
      flacBlock(0, Buffer.alloc(34)),
      flacBlock(6, flacPicture(PICTURE)),
      flacBlock(0x84, comments(COMMENTS)),
    ]),
  ],
  [
    'an Opus file',
    Buffer.concat([
      oggPage(text('OpusHead')),
      oggPage(
        Buffer.concat([
          text('OpusTags'),
          comments([
            ...COMMENTS,
            `METADATA_BLOCK_PICTURE=${flacPicture(PICTURE).toString('base64')}`,
            'x='.padEnd(400, 'y'),
          ]),
        ]),
      ),
    ]),
  ],
  [
    'an M4A',
    Buffer.concat([
      box('ftyp', text('M4A ')),
      box('mdat', Buffer.alloc(5000)),
      box(
        'moov',
        box('mvhd', Buffer.alloc(100)),
        box(
          'udta',
          box(
            'meta',
            big(0),
            box('hdlr', Buffer.alloc(25)),
            box(
              'ilst',
              item('©nam', Buffer.from('Möwe')),
              item('©ART', text('Ada')),
              item('©alb', text('Hafen')),
              item('covr', PICTURE),
            ),
          ),
        ),
      ),
    ]),
  ],
] as const)('%s says its title, artist, album and cover', async ([, file]) => {
  expect(await tagsOf(file)).toEqual(WHOLE);
});

test('a cover whose bytes are no picture is not shown, even if its tag says that it is one', async () => {
  const file = id3([['APIC', Buffer.concat([text('\0image/png\0\x03\0'), SVG])]]);
  expect((await tagsOf(file)).cover).toBeNull();
});

test('damaged tags and sounds without any say nothing', async () => {
  const nothing = { title: '', artist: '', album: '', cover: null };
  const whole = id3([['APIC', Buffer.concat([text('\0image/png\0'), PICTURE])]]);
  const cut = whole.subarray(0, 30);
  const noise = Buffer.from('RIFF----WAVE');
  const endless = Buffer.concat([text('fLaC'), flacBlock(4, Buffer.concat([little(0), little(0xffff_ffff)]))]);
  for (const file of [cut, noise, Buffer.alloc(0), endless, box('ftyp', text('M4A '))]) {
    expect(await tagsOf(file)).toEqual(nothing);
  }
});
