import { crc32 } from 'node:zlib';

/** An independent zip reader to check saved zips. */

export interface ZipMember {
  readonly name: string;
  readonly bytes: Buffer;
}

const END = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const FILE_HEADER = 0x04034b50;
const END_BYTES = 22;

/**
 * The members of an uncompressed zip, from its directory, each with its checksum verified.
 * @throws when the zip is truncated, or a member differs from its directory entry
 */
export function unzip(zip: Buffer): ZipMember[] {
  const end = zip.length - END_BYTES;
  if (end < 0 || zip.readUInt32LE(end) !== END) throw new Error('the zip has no end');
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    if (zip.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error(`no directory entry at ${at}`);
    const entry = zip.subarray(at);
    const nameBytes = entry.readUInt16LE(28);
    const name = entry.toString('utf8', 46, 46 + nameBytes);
    at += 46 + nameBytes + entry.readUInt16LE(30) + entry.readUInt16LE(32);
    if (entry.readUInt16LE(10) !== 0) throw new Error(`${name} is compressed`);
    const bytes = bytesAt(zip, entry.readUInt32LE(42), entry.readUInt32LE(24));
    if (crc32(bytes) !== entry.readUInt32LE(16)) throw new Error(`${name} has another checksum`);
    return { name, bytes };
  });
}

function bytesAt(zip: Buffer, headerAt: number, sizeBytes: number): Buffer {
  if (zip.readUInt32LE(headerAt) !== FILE_HEADER) throw new Error(`no file at ${headerAt}`);
  const from = headerAt + 30 + zip.readUInt16LE(headerAt + 26) + zip.readUInt16LE(headerAt + 28);
  return zip.subarray(from, from + sizeBytes);
}
