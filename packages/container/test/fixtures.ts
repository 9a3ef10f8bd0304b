import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { expect } from 'vitest';
import type { makeVectors } from './make-vectors.ts';
import committed from './vectors.json' with { type: 'json' };

/** What the tests of this package share: the committed vectors, and ways to look at streams. */

export type Vectors = ReturnType<typeof makeVectors>;
export type FileVector = Vectors['files'][number];

/** The committed vectors. */
export const vectors = committed as unknown as Vectors;

/** A Buffer's bytes as the package takes them. */
export const bytesOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);
export const fromHex = (hex: string): Uint8Array<ArrayBuffer> => bytesOf(Buffer.from(hex, 'hex'));
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A stream that is no byte stream, handing out `bytes` in pieces of the given sizes (taken in turn). */
export function slicedStream(bytes: Uint8Array, pieceSizes: readonly number[]): ReadableStream<Uint8Array> {
  let at = 0;
  let turn = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      const size = Math.max(1, pieceSizes[turn++ % pieceSizes.length] ?? 1);
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

/** What a stream of verified chunks gave before it ended or failed, and the failure. */
export async function collect(plaintext: AsyncIterable<Uint8Array[]>): Promise<{ plain: Buffer; error: unknown }> {
  const parts: Uint8Array[] = [];
  try {
    for await (const unit of plaintext) parts.push(...unit);
  } catch (error) {
    return { plain: Buffer.concat(parts), error };
  }
  return { plain: Buffer.concat(parts), error: null };
}

/** Asserts an error of the catalogue by code and English text. */
export function expectError(error: unknown, code: ErrorCode, message: string): void {
  expect(error).toBeInstanceOf(AppError);
  expect((error as AppError).code).toBe(code);
  expect((error as AppError).message).toBe(message);
}
