import { AppError } from '@satchel/contract/errors';
import { safeFileName } from '@satchel/contract/file-name';
import { CHUNK_MAX_BYTES, CHUNK_OVERHEAD_BYTES, HEADER_MAX_BYTES } from '@satchel/contract/limits';

/** The header of an encrypted file and the arithmetic that follows from it (docs/container.md §1; §3, §9). */

export type Bytes = Uint8Array<ArrayBuffer>;

const VERSION = 2;
const ALGORITHM = 'AES-CTR+HMAC-SHA256';
const LENGTH_BYTES = 4;
const BLOCK_BYTES = 16;
const OPENING_BRACE = 0x7b;
/** 4 PiB: below it every size and position of a container, overheads included, is an exact integer. */
const PLAIN_MAX_BYTES = 2 ** 52;

/** The fields of a container's header. Sizes in bytes. */
export interface Header {
  /** First half of the counter block: 8 random bytes, never used for two contents. */
  baseCounter: Bytes;
  /** Plaintext bytes of every chunk but the last. */
  chunkSize: number;
  totalChunks: number;
  /** Plaintext bytes of the file; null only in the old reading, which may lack it. */
  originalSize: number | null;
  /** Untrusted: separators and control characters are removed, the rest is the sealer's claim. */
  originalName: string;
  /** Untrusted: for rendering only, and only through an allow-list. */
  originalType: string;
  /** 'file': the tags are made under a key that binds this header. null: the old reading. */
  mac: 'file' | null;
}

/** A header together with its bytes. */
export interface DecodedHeader {
  header: Header;
  /** Exactly the bytes before chunk 0. */
  prefix: Bytes;
  /** u32 L | JSON: what the file key hashes. Differs from `prefix` where the JSON stands bare. */
  macInput: Bytes;
}

const corrupted = (cause?: unknown) => new AppError('open.corrupted', {}, { cause });

/**
 * The length-prefixed form of a header. Only headers that bind their tags (`mac: 'file'`, with originalSize) are
 * written.
 * @throws upload.no_header for a header of the old reading, seal.header_too_long
 */
export function encodeHeader(header: Header): DecodedHeader {
  if (header.mac !== 'file' || header.originalSize === null) throw new AppError('upload.no_header');
  const fields = {
    version: VERSION,
    algorithm: ALGORITHM,
    baseCounter: [...header.baseCounter],
    chunkSize: header.chunkSize,
    totalChunks: header.totalChunks,
    originalSize: header.originalSize,
    originalName: header.originalName,
    originalType: header.originalType,
    mac: header.mac,
  };
  const json = new TextEncoder().encode(JSON.stringify(fields));
  if (json.length > HEADER_MAX_BYTES) throw new AppError('seal.header_too_long');
  // Read back at once, so that no header is written that the reader below would refuse.
  const decoded = decodeHeader(withLength(json));
  if (!decoded) throw new AppError('upload.no_header');
  return decoded;
}

/**
 * Reads the header at the beginning of a container, in either reading. Everything that sizes derive from is checked
 * here, before any allocation. No part of it is authentic before a chunk has been verified; a container without chunks is
 * authentic by its label alone, which `checkHeader` compares.
 * @param bytes the container's beginning; at most 4 + 8,192 bytes of it are looked at
 * @returns null when more bytes are needed
 * @throws open.corrupted, open.bad_version, open.empty
 */
export function decodeHeader(bytes: Uint8Array): DecodedHeader | null {
  if (bytes.length < LENGTH_BYTES) return null;
  if (bytes[2] === 0 && bytes[3] === 0) return decodePrefixed(bytes);
  if (bytes[0] !== OPENING_BRACE) throw corrupted();
  const end = jsonEnd(bytes);
  if (end === null) return null;
  const prefix = copyOf(bytes, end);
  return { header: parseHeader(prefix), prefix, macInput: withLength(prefix) };
}

function decodePrefixed(bytes: Uint8Array): DecodedHeader | null {
  const jsonLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (jsonLength < 2 || jsonLength > HEADER_MAX_BYTES) throw corrupted();
  if (bytes.length < LENGTH_BYTES + jsonLength) return null;
  const prefix = copyOf(bytes, LENGTH_BYTES + jsonLength);
  return { header: parseHeader(prefix.subarray(LENGTH_BYTES)), prefix, macInput: prefix };
}

/** A true copy; `slice` of a Node Buffer would continue sharing the reader's memory. */
const copyOf = (bytes: Uint8Array, end: number): Bytes => new Uint8Array(bytes.subarray(0, end));

function withLength(json: Uint8Array): Bytes {
  const out = new Uint8Array(LENGTH_BYTES + json.length);
  new DataView(out.buffer).setUint32(0, json.length, true);
  out.set(json, LENGTH_BYTES);
  return out;
}

/** Where the bare JSON object ends; braces inside strings don't count. Null when its end isn't there yet. */
function jsonEnd(bytes: Uint8Array): number | null {
  const limit = Math.min(bytes.length, HEADER_MAX_BYTES);
  let depth = 0;
  let inString = false;
  for (let at = 0; at < limit; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === OPENING_BRACE) depth++;
    else if (byte === 0x7d && --depth === 0) return at + 1;
  }
  if (bytes.length >= HEADER_MAX_BYTES) throw corrupted();
  return null;
}

function parseJson(json: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(json));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return Object.assign(Object.create(null), value) as Record<string, unknown>;
    }
  } catch (error) {
    throw corrupted(error);
  }
  throw corrupted();
}

function parseHeader(json: Uint8Array): Header {
  const fields = parseJson(json);
  const mac = parseMac(fields.mac);
  checkVersion(fields, mac);
  const { chunkSize, totalChunks } = fields;
  if (!isInteger(chunkSize, BLOCK_BYTES, CHUNK_MAX_BYTES) || chunkSize % BLOCK_BYTES !== 0) throw corrupted();
  if (!isInteger(totalChunks, 0, 2 ** 32 - 1) || totalChunks * chunkSize > PLAIN_MAX_BYTES) throw corrupted();
  const originalSize = parseSize(fields.originalSize, mac);
  if ((originalSize === 0) !== (totalChunks === 0)) throw new AppError('open.empty');
  if (originalSize !== null && Math.ceil(originalSize / chunkSize) !== totalChunks) throw corrupted();
  return {
    baseCounter: parseBaseCounter(fields.baseCounter),
    chunkSize,
    totalChunks,
    originalSize,
    originalName: safeFileName(parseText(fields.originalName)),
    originalType: parseText(fields.originalType),
    mac,
  };
}

const isInteger = (value: unknown, least: number, most: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;

function parseMac(value: unknown): 'file' | null {
  if (value === undefined) return null;
  if (value !== 'file') throw corrupted();
  return value;
}

/** The old reading may lack both fields; if present, they must be right. */
function checkVersion({ version, algorithm }: Record<string, unknown>, mac: 'file' | null): void {
  const versionFits = version === VERSION || (version === undefined && mac === null);
  const algorithmFits = algorithm === ALGORITHM || (algorithm === undefined && mac === null);
  if (versionFits && algorithmFits) return;
  throw new AppError('open.bad_version', { version: shown(version), algorithm: shown(algorithm) });
}

/** A stranger's value as a message may repeat it: short and plain, or else a question mark. */
function shown(value: unknown): string {
  if (value !== undefined && typeof value !== 'string' && typeof value !== 'number') return '?';
  return /^[\w.+-]{1,40}$/.test(String(value)) ? String(value) : '?';
}

function parseSize(value: unknown, mac: 'file' | null): number | null {
  if (value === undefined && mac === null) return null;
  if (!isInteger(value, 0, PLAIN_MAX_BYTES)) throw corrupted();
  return value;
}

function parseText(value: unknown): string {
  if (typeof value !== 'string') throw corrupted();
  return value.toWellFormed();
}

/** An array, an index-keyed object, 16 hex characters, or base64: all were written once. */
function parseBaseCounter(value: unknown): Bytes {
  const octets = typeof value === 'string' ? textOctets(value) : listOctets(value);
  if (octets.length !== 8 || !octets.every((octet) => isInteger(octet, 0, 255))) throw corrupted();
  return Uint8Array.from(octets as number[]);
}

function textOctets(text: string): number[] {
  if (/^[0-9a-f]{16}$/i.test(text)) return (text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  if (!/^[A-Za-z0-9+/_-]{11}=?$/.test(text)) throw corrupted();
  return Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}

function listOctets(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 8) throw corrupted();
  return Array.from({ length: 8 }, (_, index) => (value as Record<number, unknown>)[index]);
}

/**
 * Plaintext bytes of a chunk. Where the header has no originalSize (old reading), the last chunk says its own length,
 * and this is the most it can be.
 * @param index 0-based
 */
export function plainLength(header: Header, index: number): number {
  const { chunkSize, originalSize, totalChunks } = header;
  if (index < 0 || index >= totalChunks) return 0;
  return originalSize === null ? chunkSize : Math.min(chunkSize, originalSize - index * chunkSize);
}

/**
 * Position of a chunk's first byte in the container. Also right for `index = totalChunks` where that is asked as "the
 * end of all full chunks"; the container's own end is `containerSize`.
 * @param index 0-based
 */
export function chunkStart(decoded: DecodedHeader, index: number): number {
  return decoded.prefix.length + index * (decoded.header.chunkSize + CHUNK_OVERHEAD_BYTES);
}

/** Bytes of the whole container, or null when the header doesn't say (old reading). */
export function containerSize(decoded: DecodedHeader): number | null {
  const { originalSize, totalChunks } = decoded.header;
  if (originalSize === null) return null;
  return decoded.prefix.length + originalSize + totalChunks * CHUNK_OVERHEAD_BYTES;
}
