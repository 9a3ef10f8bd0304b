import { AppError } from '@satchel/contract/errors';
import { KIB } from '@satchel/contract/limits';
import type { StillSize } from '@satchel/contract/wire/still-frames';
import { STILL_LARGE_MAX_BYTES, STILL_SMALL_MAX_BYTES } from '@satchel/contract/wire/still-limits';
import { GCM_TAG_BYTES, NONCE_BYTES, openGcm, sealGcmBytes } from './gcm.ts';
import type { FolderKeys } from './key.ts';

/** The sealed still of a file: a small picture, bound to the file's label by its stored name and header (docs/container.md §6). */

type Bytes = Uint8Array<ArrayBuffer>;

/** Of each size: the plaintext is padded to a multiple of `stepBytes`, which hides the picture's exact size. */
const SIZES = {
  small: { stepBytes: KIB, maxBytes: STILL_SMALL_MAX_BYTES },
  large: { stepBytes: 8 * KIB, maxBytes: STILL_LARGE_MAX_BYTES },
} as const satisfies Record<StillSize, { stepBytes: number; maxBytes: number }>;
const AAD = 'satchel v2 still\0';
const LENGTH_BYTES = 4;
const OVERHEAD_BYTES = NONCE_BYTES + GCM_TAG_BYTES;

/** The file that a still belongs to. */
export interface StillBinding {
  /** The last segment of the object's path. */
  readonly storedName: string;
  /** The header that the file's label hashes: `header` of a FileProof. */
  readonly header: string;
}

/**
 * The longest picture that fits into a still of this size.
 * @returns bytes of the picture as it is encoded: 15,356 for small, 122,876 for large
 */
export function stillMaxBytes(size: StillSize): number {
  const { stepBytes, maxBytes } = SIZES[size];
  return Math.floor((maxBytes - OVERHEAD_BYTES) / stepBytes) * stepBytes - LENGTH_BYTES;
}

const aadFor = (size: StillSize, { storedName, header }: StillBinding): Bytes =>
  new TextEncoder().encode(`${AAD}${size}\0${storedName}\0${header}`);

/**
 * Seals one size of a file's still: `nonce12 | AES-256-GCM(stillKey, u32 length | picture | zeros, aad "satchel v2 still"
 * | 0 | size | 0 | stored name | 0 | header)`.
 * @param still the picture as it is encoded, WebP or JPEG
 * @param file the file that it belongs to: it opens for no other
 * @throws RangeError when the picture is empty or longer than {@link stillMaxBytes}
 */
export async function sealStill(
  keys: FolderKeys,
  { size, bytes }: { size: StillSize; bytes: Bytes },
  file: StillBinding,
): Promise<Bytes> {
  if (bytes.length === 0 || bytes.length > stillMaxBytes(size)) throw new RangeError('not a still');
  const { stepBytes } = SIZES[size];
  const padded = new Uint8Array(Math.ceil((LENGTH_BYTES + bytes.length) / stepBytes) * stepBytes);
  new DataView(padded.buffer).setUint32(0, bytes.length);
  padded.set(bytes, LENGTH_BYTES);
  return sealGcmBytes(keys.still, padded, aadFor(size, file));
}

/**
 * Opens one size of a file's still. The sealer chose its bytes: decode them as a picture only.
 * @throws open.foreign when it is malformed, or was not sealed under this folder key for this size of this file
 */
export async function openStill(
  keys: FolderKeys,
  { size, bytes }: { size: StillSize; bytes: Bytes },
  file: StillBinding,
): Promise<Bytes> {
  try {
    if (bytes.length > SIZES[size].maxBytes) throw new TypeError('not a still');
    const padded = await openGcm(keys.still, bytes, aadFor(size, file));
    const length = new DataView(padded.buffer).getUint32(0);
    if (length === 0 || length > padded.length - LENGTH_BYTES) throw new TypeError('not a still');
    return padded.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
  } catch (error) {
    throw new AppError('open.foreign', {}, { cause: error });
  }
}
