import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { claimOf } from './part-sums.ts';

test.each([1, 65_535, 65_536, 65_537, 200_000])(
  'a part of %d bytes has its hash, and a checksum of each block',
  async (length) => {
    const bytes = new Uint8Array(randomBytes(length));
    const claim = await claimOf(bytes, 7);
    expect([claim.start, claim.size_bytes]).toEqual([7, length]);
    expect(claim.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    const sums = Buffer.from(claim.crc32, 'base64');
    expect(sums.length).toBe(4 * Math.ceil(length / 65_536));
    for (let at = 0; at * 65_536 < length; at += 1) {
      expect(sums.readUInt32BE(4 * at)).toBe(crc32(bytes.subarray(at * 65_536, (at + 1) * 65_536)));
    }
  },
);
