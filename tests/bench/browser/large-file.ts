import { createCipheriv, createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** A file of any size whose every byte can be told without the file. */

const MIB = 1024 ** 2;
const PIECE_BYTES = 4 * MIB;
const BLOCK_BYTES = 16;
const WAV_HEADER_BYTES = 44;
/** 44,100 samples a second of two channels with two bytes each. */
export const WAV_BYTES_PER_SECOND = 44_100 * 2 * 2;

const KEY = createHash('sha256').update('satchel bench large').digest();

/**
 * The header of a sound that plays from any place: any bytes are samples. Sizes in it have 32 bits; the highest one stands
 * for a sound that goes on to the file's end.
 */
function wavHeader(): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(0xffff_ffff, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(44_100, 24);
  header.writeUInt32LE(WAV_BYTES_PER_SECOND, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(0xffff_ffff, 40);
  return header;
}

/** The file's bytes from `start` on. */
export function bytesAt(start: number, sizeBytes: number): Buffer {
  const block = Math.floor(start / BLOCK_BYTES);
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(block), 8);
  const skip = start - block * BLOCK_BYTES;
  const bytes = createCipheriv('aes-256-ctr', KEY, counter)
    .update(Buffer.alloc(skip + sizeBytes))
    .subarray(skip);
  if (start < WAV_HEADER_BYTES) wavHeader().copy(bytes, 0, start);
  return bytes;
}

/** Writes the file. @returns its SHA-256 */
export async function writeLarge(path: string, sizeBytes: number): Promise<string> {
  const file = await open(path, 'w');
  const hash = createHash('sha256');
  for (let at = 0; at < sizeBytes; at += PIECE_BYTES) {
    const piece = bytesAt(at, Math.min(PIECE_BYTES, sizeBytes - at));
    hash.update(piece);
    await file.write(piece);
  }
  await file.close();
  return hash.digest('hex');
}

/** The SHA-256 of a stream's bytes. */
export async function shaOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of stream) hash.update(piece);
  return hash.digest('hex');
}

export const shaOfFile = (path: string): Promise<string> => shaOf(createReadStream(path, { highWaterMark: MIB }));
