import { closeSync, createWriteStream, openSync, readFileSync, writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * An archive whose bytes follow from names and contents alone: ustar (POSIX.1-1988) with sorted entries, one time for all,
 * no owner, and two modes. GNU tar could do it, too, but not every machine has that.
 *
 * @typedef {{ path: string, data?: Buffer | string, from?: string, link?: string, isExecutable?: boolean }} Entry contents
 *   as they are, a file to read them from, or the target of a symbolic link
 */

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** Where gzip says which system packed it: 255 is "unknown" (RFC 1952, section 2.3.1). */
const GZIP_OS = 9;

/** @param {{ entries: Entry[], folder: string, timeSeconds: number }} what `folder` is the one at the archive's top */
export async function writeArchive(file, { entries, folder, timeSeconds }) {
  await pipeline(
    Readable.from(blocksOf(entries, { folder, timeSeconds })),
    createGzip({ level: 9 }),
    createWriteStream(file),
  );
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.of(255), 0, 1, GZIP_OS);
  closeSync(descriptor);
}

/** The archive, unpacked, a piece at a time. */
export function* blocksOf(entries, { folder, timeSeconds }) {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const entry of sorted) {
    const data = entry.link === undefined ? Buffer.from(entry.data ?? readFileSync(entry.from)) : Buffer.alloc(0);
    yield headerOf(`${folder}/${entry.path}`, { ...entry, sizeBytes: data.length, timeSeconds });
    yield data;
    yield Buffer.alloc(-data.length & (BLOCK - 1));
  }
  yield Buffer.alloc(2 * BLOCK);
}

function headerOf(path, { link, isExecutable, sizeBytes, timeSeconds }) {
  const header = Buffer.alloc(BLOCK);
  const { name, prefix } = splitPath(path);
  const number = (value, offset, digits) => header.write(`${value.toString(8).padStart(digits, '0')}\0`, offset);
  if (Buffer.byteLength(link ?? '') > NAME_BYTES) throw new Error(`${path} leads too far for an archive: ${link}`);
  header.write(name, 0);
  number(link === undefined && !isExecutable ? 0o644 : 0o755, 100, 7);
  number(0, 108, 7);
  number(0, 116, 7);
  number(sizeBytes, 124, 11);
  number(timeSeconds, 136, 11);
  header.write(' '.repeat(8), 148);
  header.write(link === undefined ? '0' : '2', 156);
  header.write(link ?? '', 157);
  header.write('ustar\x0000', 257);
  number(0, 329, 7);
  number(0, 337, 7);
  header.write(prefix, 345);
  number(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  return header;
}

/** A long path is divided at a slash: 155 bytes before it, 100 after it. */
function splitPath(path) {
  if (Buffer.byteLength(path) <= NAME_BYTES) return { name: path, prefix: '' };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= NAME_BYTES && Buffer.byteLength(prefix) <= PREFIX_BYTES) return { name, prefix };
  }
  throw new Error(`${path} is too long for an archive`);
}
