import { type CipherGCM, createCipheriv } from 'node:crypto';

/**
 * The checksum of a blob's bytes: the tag of AES-128-GCM with the bytes as its additional data, under a key and a nonce that
 * all know. So it finds what was changed by chance, and no forger (docs/decisions/032). OpenSSL makes it at a sixth of what
 * zlib takes for a CRC-32. The tag is a polynomial over GF(2¹²⁸), so that of bytes which follow others is put together from
 * both parts'.
 */

const CIPHER = 'aes-128-gcm';
const KEY = Buffer.from('satchel checksum');
const NONCE = Buffer.alloc(12);
const BLOCK_BYTES = 16;
const BITS = 128;

/** How far a blob has come. */
export interface Reached {
  readonly bytes: number;
  /** Of all of its bytes up to there, in hex; null where it is not known. */
  readonly sum: string | null;
}

export interface GrowingSum {
  /** Takes the next bytes. */
  add(bytes: Uint8Array): void;
  /** Of all bytes up to here; null when that of the bytes before is not known. Takes a tenth of a millisecond. */
  value(): string | null;
}

const ofCipher = (cipher: CipherGCM): string => {
  cipher.final();
  return cipher.getAuthTag().toString('hex');
};

/** A blob that has no bytes yet. */
export const NOTHING: Reached = { bytes: 0, sum: ofCipher(createCipheriv(CIPHER, KEY, NONCE)) };

/** Goes on from the bytes that a blob has. */
export function createSum(from: Reached = NOTHING): GrowingSum {
  if (from.sum === null) return { add: () => undefined, value: () => null };
  let reached = { bytes: from.bytes, sum: from.sum };
  let cipher: CipherGCM | null = null;
  let newBytes = 0;

  function begin(): CipherGCM {
    const begun = createCipheriv(CIPHER, KEY, NONCE);
    // Zeros in the place of what the last block has already.
    const before = reached.bytes % BLOCK_BYTES;
    return before === 0 ? begun : begun.setAAD(Buffer.alloc(before));
  }

  return {
    add(bytes) {
      if (bytes.length === 0) return;
      cipher ??= begin();
      cipher.setAAD(bytes);
      newBytes += bytes.length;
    },
    value() {
      if (cipher === null) return reached.sum;
      const sum = ofCipher(cipher);
      const bytes = reached.bytes + newBytes;
      reached = { bytes, sum: reached.bytes === 0 ? sum : joined(reached, sum, newBytes) };
      cipher = null;
      newBytes = 0;
      return reached.sum;
    },
  };
}

export function sumOf(...all: readonly Uint8Array[]): string {
  const sum = createSum();
  for (const bytes of all) sum.add(bytes);
  return sum.value()!;
}

/** The polynomial x¹²⁸ + x⁷ + x² + x + 1, as GCM writes it: the first bit is that of x⁰. */
const REDUCTION = 0xe1n << 120n;

/** The product of two elements of GCM's field (NIST SP 800-38D, 6.3). */
function times(a: bigint, b: bigint): bigint {
  let product = 0n;
  let shifted = b;
  for (let bit = BigInt(BITS - 1); bit >= 0n; bit -= 1n) {
    if ((a >> bit) & 1n) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ REDUCTION : shifted >> 1n;
  }
  return product;
}

const fromHex = (hex: string): bigint => BigInt(`0x${hex}`);
const toHex = (element: bigint): string => element.toString(16).padStart(2 * BLOCK_BYTES, '0');

function encrypted(block: Uint8Array): bigint {
  return fromHex(createCipheriv('aes-128-ecb', KEY, null).update(block).toString('hex'));
}

/** What each block is multiplied with, once for each that follows it. */
const POINT = encrypted(Buffer.alloc(BLOCK_BYTES));
/** What the tag is masked with. */
const MASK = encrypted(Buffer.concat([NONCE, Buffer.from([0, 0, 0, 1])]));

/** POINT to the power of 1, 2, 4, 8, …: as many as were needed. */
const squares = [POINT];
function squareAt(index: number): bigint {
  for (let at = squares.length; at <= index; at += 1) squares.push(times(squares[at - 1]!, squares[at - 1]!));
  return squares[index]!;
}

function powerOf(exponent: number): bigint {
  let power = 1n << BigInt(BITS - 1);
  let left = exponent;
  for (let index = 0; left > 0; index += 1) {
    if (left % 2 === 1) power = times(power, squareAt(index));
    left = Math.floor(left / 2);
  }
  return power;
}

let inverse: bigint | null = null;
/** 1 / POINT: its power of 2¹²⁸ - 2. */
function inverseOfPoint(): bigint {
  if (inverse !== null) return inverse;
  let power = squareAt(1);
  for (let index = 2; index < BITS; index += 1) power = times(power, squareAt(index));
  inverse = power;
  return inverse;
}

/** The block with which GCM ends: the number of bits. */
const lengthBlock = (bytes: number): bigint => (BigInt(bytes) * 8n) << 64n;

/** The polynomial of the bytes alone. */
const polynomialOf = (sum: string, bytes: number): bigint =>
  times(fromHex(sum) ^ MASK, inverseOfPoint()) ^ lengthBlock(bytes);

/** @param sum of the bytes that follow, with zeros before them up to the beginning of their block */
function joined(before: { readonly bytes: number; readonly sum: string }, sum: string, bytes: number): string {
  const inBlock = before.bytes % BLOCK_BYTES;
  const blocksBefore = Math.ceil(before.bytes / BLOCK_BYTES);
  const blocks = (before.bytes - inBlock) / BLOCK_BYTES + Math.ceil((inBlock + bytes) / BLOCK_BYTES);
  const first = times(polynomialOf(before.sum, before.bytes), powerOf(blocks - blocksBefore));
  const whole = first ^ polynomialOf(sum, inBlock + bytes);
  return toHex(times(whole ^ lengthBlock(before.bytes + bytes), POINT) ^ MASK);
}
