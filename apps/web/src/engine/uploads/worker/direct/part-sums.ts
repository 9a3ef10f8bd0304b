import { DIRECT_BLOCK_BYTES, DIRECT_SUM_BYTES, type PartClaim } from '@satchel/contract/wire/direct-uploads';

/** What a part is: its hash, which the store checks, and the checksums of its blocks, which readers check. */

const POLYNOMIAL = 0xedb88320;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** CRC-32 of ISO 3309, as zip and PNG have it. */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function sumsOf(bytes: Uint8Array): string {
  const sums = new DataView(new ArrayBuffer(DIRECT_SUM_BYTES * Math.ceil(bytes.length / DIRECT_BLOCK_BYTES)));
  for (let at = 0; at * DIRECT_BLOCK_BYTES < bytes.length; at += 1) {
    const block = bytes.subarray(at * DIRECT_BLOCK_BYTES, (at + 1) * DIRECT_BLOCK_BYTES);
    sums.setUint32(DIRECT_SUM_BYTES * at, crcOf(block));
  }
  return btoa(String.fromCharCode(...new Uint8Array(sums.buffer)));
}

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @param start where the part begins in the upload */
export async function claimOf(bytes: Uint8Array<ArrayBuffer>, start: number): Promise<PartClaim> {
  const sha256 = hexOf(await crypto.subtle.digest('SHA-256', bytes));
  return { start, size_bytes: bytes.length, sha256, crc32: sumsOf(bytes) };
}
