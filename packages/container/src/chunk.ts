import { AppError } from '@satchel/contract/errors';
import { CHUNK_HEADER_BYTES, CHUNK_TAG_BYTES, KIB } from '@satchel/contract/limits';
import type { Bytes, DecodedHeader, Header } from './format.ts';
import { plainLength } from './format.ts';
import type { FolderKeys } from './key.ts';

/** One chunk: header20 | ciphertext | tag32, its counter and its tag's key (docs/container.md §1). */

/** Which chunks: from `fromChunk` (0) up to but not including `toChunk` (all). */
export interface ChunkSpan {
  fromChunk?: number;
  toChunk?: number;
}

const BLOCK_BYTES = 16;
/**
 * Measured: units of about this many bytes, all their chunks in flight, keep the crypto threads busy (docs/container.md §4).
 */
const UNIT_BYTES = 768 * KIB;
/** The most bytes for one AES call of subtle. */
const CALL_MAX_BYTES = 512 * KIB;
const FILE_KEY_LABEL = new TextEncoder().encode('satchel v2 header\0');
const HMAC_SHA256 = { name: 'HMAC', hash: 'SHA-256' };

/**
 * A stranger's header may cut a file into chunks of 16 bytes; no more than 24, a unit of the smallest we write, run at
 * once.
 */
const UNIT_MAX_CHUNKS = 24;

/** How many chunks are read, sealed or opened together. */
export const unitChunks = (chunkSize: number): number =>
  Math.min(UNIT_MAX_CHUNKS, Math.max(1, Math.floor(UNIT_BYTES / chunkSize)));

const blocksBefore = (header: Header, index: number): bigint => BigInt(index) * BigInt(header.chunkSize / BLOCK_BYTES);

/** The counter block: baseCounter(8) | u64 big-endian (index × chunkSize/16 + block of the chunk). It never wraps. */
function counterAt(header: Header, index: number, offsetBytes: number): AesCtrParams {
  const counter = new Uint8Array(BLOCK_BYTES);
  counter.set(header.baseCounter);
  new DataView(counter.buffer).setBigUint64(8, blocksBefore(header, index) + BigInt(offsetBytes / BLOCK_BYTES));
  return { name: 'AES-CTR', counter, length: 64 };
}

/**
 * AES-CTR over one chunk, in calls of at most 512 KiB: a call of 1 MiB runs at less than half the speed in Chromium,
 * two halves at full (docs/container.md §4). HMAC over a chunk can't be parted, for WebCrypto has no running MAC, and loses
 * less.
 * @param act what to do with each piece; both directions are the same in CTR, but a key may allow only one
 * @returns the pieces in order, each with its offset in the chunk
 */
export function cipherChunk(
  act: 'encrypt' | 'decrypt',
  key: CryptoKey,
  header: Header,
  index: number,
  input: Bytes,
): Promise<{ offset: number; output: Bytes }[]> {
  const count = Math.max(1, Math.ceil(input.length / CALL_MAX_BYTES));
  const calls = Array.from({ length: count }, async (_, at) => {
    const offset = at * CALL_MAX_BYTES;
    const piece = input.subarray(offset, offset + CALL_MAX_BYTES);
    return { offset, output: new Uint8Array(await crypto.subtle[act](counterAt(header, index, offset), key, piece)) };
  });
  return Promise.all(calls);
}

/**
 * The key of a file's tags: HMAC(macKey, "satchel v2 header\0" | u32 L | JSON). It binds every chunk to every byte of
 * the header. In the old reading, macKey itself.
 */
export async function tagKey(keys: FolderKeys, { header, macInput }: DecodedHeader): Promise<CryptoKey> {
  if (header.mac === null) return keys.mac;
  const message = new Uint8Array(FILE_KEY_LABEL.length + macInput.length);
  message.set(FILE_KEY_LABEL);
  message.set(macInput, FILE_KEY_LABEL.length);
  const fileKey = await crypto.subtle.sign('HMAC', keys.mac, message);
  return crypto.subtle.importKey('raw', fileKey, HMAC_SHA256, false, ['sign', 'verify']);
}

/** Writes header20 of a chunk at the beginning of `out`. */
export function writeChunkHeader(out: Bytes, header: Header, index: number, length: number): void {
  const view = new DataView(out.buffer, out.byteOffset, CHUNK_HEADER_BYTES);
  view.setUint32(0, index, true);
  view.setUint32(4, length, true);
  view.setUint32(8, length, true);
  view.setBigUint64(12, blocksBefore(header, index), true);
}

/**
 * Checks what can be checked before the tag: the header20 of a chunk against the file's header, and that the chunk is
 * all there.
 * @param bytes header20 | ciphertext | tag32
 * @returns the chunk's plaintext length
 * @throws open.no_chunk_header, open.index_mismatch, open.corrupted, open.chunk_failed, open.no_chunk, open.no_hmac,
 * open.size_mismatch
 */
export function checkChunk(header: Header, index: number, bytes: Bytes): number {
  if (bytes.length < CHUNK_HEADER_BYTES) throw new AppError('open.no_chunk_header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, CHUNK_HEADER_BYTES);
  const got = view.getUint32(0, true);
  if (got !== index) throw new AppError('open.index_mismatch', { expected: index, got });
  const length = view.getUint32(4, true);
  if (!lengthFits(header, index, length) || view.getUint32(8, true) !== length) throw new AppError('open.corrupted');
  // The counter comes from the index; a chunk with another counter was sealed at another place of the key stream.
  if (view.getBigUint64(12, true) !== blocksBefore(header, index)) {
    throw new AppError('open.chunk_failed', { chunk: index });
  }
  if (bytes.length < CHUNK_HEADER_BYTES + length) throw new AppError('open.no_chunk');
  if (bytes.length < CHUNK_HEADER_BYTES + length + CHUNK_TAG_BYTES) throw new AppError('open.no_hmac');
  if (bytes.length > CHUNK_HEADER_BYTES + length + CHUNK_TAG_BYTES) throw new AppError('open.size_mismatch');
  return length;
}

/** Only the last chunk of a file without originalSize (old reading) may choose its length. */
function lengthFits(header: Header, index: number, length: number): boolean {
  const most = plainLength(header, index);
  if (header.originalSize !== null || index < header.totalChunks - 1) return length === most;
  return length <= most && (length > 0 || header.totalChunks === 1);
}
