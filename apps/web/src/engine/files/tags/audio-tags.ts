import type { RangeReader } from '../../media/read-range.ts';
import { isId3, readId3 } from './id3.ts';
import { isMp4, readMp4 } from './mp4.ts';
import { type AudioTags, NO_TAGS, type TagSource } from './tag-bytes.ts';
import { isFlac, isOgg, readFlac, readOgg } from './vorbis.ts';

const HEAD_BYTES = 16;

const READERS = [
  [isId3, readId3],
  [isFlac, readFlac],
  [isOgg, readOgg],
  [isMp4, readMp4],
] as const;

/**
 * Title, artist, album and cover of a sound, read from where they stand in it: never the whole file. Damaged tags say
 * nothing.
 * @throws what the reader throws
 */
export async function readAudioTags(read: RangeReader, sizeBytes: number): Promise<AudioTags> {
  const source: TagSource = { read, sizeBytes };
  const head = await read(0, HEAD_BYTES);
  const [, readTags] = READERS.find(([is]) => is(head)) ?? [];
  return readTags ? { ...NO_TAGS, ...(await readTags(source, head)) } : NO_TAGS;
}
