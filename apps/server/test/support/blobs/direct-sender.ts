import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { crc32 } from 'node:zlib';
import { DIRECT_BLOCK_BYTES, DIRECT_SUM_BYTES, type PartClaim } from '@satchel/contract/wire/direct-uploads';
import { sha256 } from '../storage-kit.ts';

/** What a browser says of a part before it stores it; made by Node's own functions. */
export function claimOf(bytes: Uint8Array, start: number): PartClaim {
  const sums = Buffer.alloc(Math.ceil(bytes.length / DIRECT_BLOCK_BYTES) * DIRECT_SUM_BYTES);
  for (let at = 0; at * DIRECT_BLOCK_BYTES < bytes.length; at += 1) {
    const block = bytes.subarray(at * DIRECT_BLOCK_BYTES, (at + 1) * DIRECT_BLOCK_BYTES);
    sums.writeUInt32BE(crc32(block), at * DIRECT_SUM_BYTES);
  }
  return { start, size_bytes: bytes.length, sha256: sha256(bytes), crc32: sums.toString('base64') };
}

/** Counts the bytes of all connections that a server takes from now on. @returns their sum so far */
export function countBytes(server: Server): () => number {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  return () => [...sockets].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0);
}
