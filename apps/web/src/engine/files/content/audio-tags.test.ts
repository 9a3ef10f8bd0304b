import { blobReader } from '@satchel/client/open/read-range';
import { expect, test } from 'vitest';
import { FETCHED_MAX_BYTES, FETCHES_MAX, readAudioTags, TAG_MAX_BYTES } from './audio-tags.ts';

/** Sounds as programs write them, byte by byte, and a picture that is one by its first bytes. */

const PICTURE = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]);
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

const big = (value: number, length = 4): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
};
const little = (value: number): Buffer => big(value).reverse();
const text = (value: string): Buffer => Buffer.from(value, 'latin1');

/** Frames of an MP3 in which nothing is heard. */
const SILENCE = Buffer.concat(Array.from({ length: 8 }, () => Buffer.concat([big(0xfffb9064), Buffer.alloc(413)])));

function id3(frames: readonly (readonly [string, Buffer])[]): Buffer {
  const body = Buffer.concat(
    frames.map(([id, content]) => Buffer.concat([text(id), big(content.length), big(0, 2), content])),
  );
  const size = Buffer.from([21, 14, 7, 0].map((shift) => (body.length >> shift) & 0x7f));
  return Buffer.concat([text('ID3\x03\0\0'), size, body, SILENCE]);
}
const flacBlock = (kind: number, content: Buffer): Buffer =>
  Buffer.concat([big(kind, 1), big(content.length, 3), content]);
const box = (name: string, ...content: Buffer[]): Buffer => {
  const inner = Buffer.concat(content);
  return Buffer.concat([big(inner.length + 8), text(name), inner]);
};
async function tagsOf(file: Buffer) {
  const blob = new Blob([new Uint8Array(file)]);
  const { cover, ...texts } = await readAudioTags(blobReader(blob), blob.size);
  return { ...texts, cover: cover && { type: cover.type, bytes: Buffer.from(await cover.arrayBuffer()) } };
}

test('a sound says its title, artist, album and cover', async () => {
  const file = id3([
    ['TIT2', Buffer.concat([text('\x01'), Buffer.from('\ufeffMöwe\0', 'utf16le')])],
    ['TPE1', text('\0Ada')],
    ['TALB', text('\x03Hafen\0')],
    ['APIC', Buffer.concat([text('\0image/png\0\x03Front\0'), PICTURE])],
  ]);
  const cover = { type: 'image/jpeg', bytes: PICTURE };
  expect(await tagsOf(file)).toEqual({ title: 'Möwe', artist: 'Ada', album: 'Hafen', cover });
});

test('a cover whose bytes are no picture is not shown, even if its tag says that it is one', async () => {
  const file = id3([['APIC', Buffer.concat([text('\0image/png\0\x03\0'), SVG])]]);
  expect((await tagsOf(file)).cover).toBeNull();
});

test('an artist with a stroke is one artist', async () => {
  expect((await tagsOf(id3([['TPE1', text('\0AC/DC')]]))).artist).toBe('AC/DC');
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

/** Reads a sound that begins with some bytes and has zeros behind them, and counts what is fetched. */
async function fetchedOf(head: Buffer, sizeBytes: number) {
  const fetched: number[] = [];
  const tags = await readAudioTags(async (from, to) => {
    fetched.push(to - from);
    const bytes = new Uint8Array(to - from);
    bytes.set(head.subarray(from, to));
    return bytes;
  }, sizeBytes);
  return { tags, fetches: fetched.length, bytes: fetched.reduce((sum, bytes) => sum + bytes, 0) };
}

test.for([
  ['a tag of 256 MiB', Buffer.concat([text('ID3\x03\0\0'), Buffer.alloc(4, 0x7f)])],
  ['a picture of 16 MiB', Buffer.concat([text('fLaC'), flacBlock(0, Buffer.alloc(34)), big(6, 1), big(0xffffff, 3)])],
  ['a box of 2 GiB', Buffer.concat([box('ftyp', text('M4A \0\0\0\0')), big(0x7fffffff), text('moov')])],
] as const)('%s is not fetched', async ([, head]) => {
  const { bytes } = await fetchedOf(head, 4 * 1024 ** 3);
  expect(bytes).toBeLessThan(TAG_MAX_BYTES / 8);
});

test('a sound of which nothing but its tag is one is not fetched to its end', async () => {
  const tag = id3([
    ['TIT2', text('\0Hafen')],
    ['PRIV', Buffer.alloc(5000)],
  ]).subarray(0, -SILENCE.length);
  const { tags, fetches, bytes } = await fetchedOf(tag, 4 * 1024 ** 3);
  expect(tags.title).toBe('Hafen');
  expect(fetches).toBeLessThanOrEqual(FETCHES_MAX);
  expect(bytes).toBeLessThanOrEqual(FETCHED_MAX_BYTES);
});
