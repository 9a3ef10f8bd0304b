import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { slicedStream } from '../test/fixtures.ts';
import { createByteReader } from './read.ts';

const bytes = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7 + (at >> 8)) & 255);
const sizes = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 30 });

describe.each([
  ['a byte stream', () => new Blob([bytes]).stream() as ReadableStream<Uint8Array>],
  ['an ordinary stream', () => slicedStream(bytes, [1, 100, 37])],
])('reading %s', (_, open) => {
  test('gives exactly the sizes asked for, and less only at the end', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (wanted) => {
        const reader = createByteReader(open());
        let at = 0;
        for (const size of wanted) {
          expect(Buffer.compare(await reader.read(size), bytes.subarray(at, at + size))).toBe(0);
          at = Math.min(bytes.length, at + size);
        }
        await reader.close();
      }),
      { numRuns: 30 },
    );
  });

  test('what was read stays good while the next read runs', async () => {
    const reader = createByteReader(open());
    let current = await reader.read(700);
    for (let at = 0; current.length > 0; at += 700) {
      const next = reader.read(700);
      const after = await next;
      expect(Buffer.compare(current, bytes.subarray(at, at + 700))).toBe(0);
      current = after;
    }
    await reader.close();
  });

  test('bytes put back come first', async () => {
    const reader = createByteReader(open());
    const head = await reader.read(100);
    reader.unread(head.subarray(60));
    expect([...(await reader.read(10))]).toEqual([...bytes.subarray(60, 70)]);
    expect([...(await reader.read(100))]).toEqual([...bytes.subarray(70, 170)]);
    await reader.close();
  });
});

test('two buffers serve the whole stream', async () => {
  const reader = createByteReader(new Blob([bytes]).stream());
  const own = ArrayBuffer;
  const made: number[] = [];
  globalThis.ArrayBuffer = new Proxy(own, {
    construct(target, [length]: [number]) {
      made.push(length);
      return new target(length);
    },
  });
  try {
    while ((await reader.read(500)).length > 0);
  } finally {
    globalThis.ArrayBuffer = own;
  }
  expect(made).toEqual([500, 500]);
});

test('passes on an error of the stream', async () => {
  const cause = new Error('the line broke');
  const reader = createByteReader(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(cause);
      },
    }),
  );
  await expect(reader.read(10)).rejects.toBe(cause);
});

/** WebKit has no byte streams before Safari 26.4. */
const KINDS = 'ReadableByteStreamController' in globalThis ? ([undefined, 'bytes'] as const) : [undefined];

test.each(KINDS)('closing ends a pending read of a stream of the type %s', async (type) => {
  let cancelled = false;
  const cancel = () => {
    cancelled = true;
  };
  const silent = new ReadableStream(type ? { type, cancel } : { cancel });
  const reader = createByteReader(silent);
  const read = reader.read(10);
  await reader.close();
  expect((await read).length).toBe(0);
  expect(cancelled).toBe(true);
});
