import { crc32 } from 'node:zlib';

/** Zips, written by hand: their files lie in them as they are. */

export interface ZipPart {
  readonly name: string;
  readonly content: Buffer;
  /** The size that the directory says, where that is a lie. */
  readonly saidBytes?: number;
}

function record(signature: number, { name, content, saidBytes = content.length }: ZipPart, at: number | null): Buffer {
  const bytes = Buffer.from(name);
  const isEntry = at !== null;
  const head = Buffer.alloc(isEntry ? 46 : 30);
  const shift = isEntry ? 2 : 0;
  head.writeUInt32LE(signature, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(0x800, 6 + shift);
  head.writeUInt32LE(crc32(content), 14 + shift);
  head.writeUInt32LE(content.length, 18 + shift);
  head.writeUInt32LE(saidBytes, 22 + shift);
  head.writeUInt16LE(bytes.length, 26 + shift);
  if (isEntry) head.writeUInt32LE(at, 42);
  return Buffer.concat([head, bytes]);
}

/** @param saidCount the number of entries that the end says, where that is a lie */
export function makeZip(parts: readonly ZipPart[], saidCount = parts.length): Buffer {
  const files: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const file = Buffer.concat([record(0x04034b50, part, null), part.content]);
    entries.push(record(0x02014b50, part, at));
    files.push(file);
    at += file.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(saidCount, 8);
  end.writeUInt16LE(saidCount, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, directory, end]);
}
