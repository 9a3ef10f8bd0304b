import { createHash, randomFillSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';

/** Realistic files, generated for each run, so that no test relies on their exact bytes. */

const MIB = 1024 ** 2;
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const randomBytesOf = (sizeBytes: number): Buffer => randomFillSync(Buffer.alloc(sizeBytes));

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** A valid PNG of noise, about width × height × 3 bytes, because noise does not compress. */
export function noisePng(width: number, height: number): Buffer {
  const stride = 1 + width * 3;
  const pixels = randomBytesOf(stride * height);
  for (let y = 0; y < height; y++) pixels[y * stride] = 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(pixels, { level: 0 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export interface Sample {
  readonly name: string;
  readonly path: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

async function write(dir: string, name: string, bytes: Buffer): Promise<Sample> {
  const path = join(dir, name);
  await writeFile(path, bytes);
  return { name, path, bytes, sha256: sha256(bytes) };
}

/** The canary in the text sample: if the server stores it anywhere, plaintext has leaked. */
export const CANARY = 'canary-plaintext-4f6c1d9e';

/**
 * The four files of the main job: 3 KB of text, a 3 MB PNG, a video, and 32 MB of noise, which is more than a page opens
 * unasked.
 */
export async function makeSamples(dir: string) {
  await mkdir(dir, { recursive: true });
  const line = `${CANARY} nobody but the people with the link may read this.\n`;
  const clip = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'fixtures', 'clip.webm');
  return {
    text: await write(dir, 'canary-name-travel-notes.txt', Buffer.from(line.repeat(48))),
    picture: await write(dir, 'canary-name-noise.png', noisePng(1024, 1024)),
    video: await write(dir, 'canary-name-clip.webm', await readFile(clip)),
    large: await write(dir, 'canary-name-archive.bin', randomBytesOf(32 * MIB)),
    empty: await write(dir, 'canary-name-empty.txt', Buffer.alloc(0)),
  };
}
