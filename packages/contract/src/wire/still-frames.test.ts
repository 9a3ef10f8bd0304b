import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KIB } from '../limits.ts';
import { decodeFrames, encodeFrames, encodeLength, frameBytes, readStills, type StillFrame } from './still-frames.ts';
import { STILL_LARGE_MAX_BYTES, STILL_SMALL_MAX_BYTES, STILLS_BODY_MAX_BYTES } from './still-limits.ts';

const invalid = expect.objectContaining({ code: 'request.invalid' });
const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => new Uint8Array(bytes));
const anyFrame = fc.record({
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  small: anyBytes,
  large: anyBytes,
});
const anyFrames = fc.uniqueArray(anyFrame, { maxLength: 32, selector: ({ name }) => name });
const frame = (name: string, small = 3, large = 5): StillFrame => ({
  name,
  small: new Uint8Array(small).fill(1),
  large: new Uint8Array(large).fill(2),
});

describe('a body of frames', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(anyFrames, (frames) => {
        const body = encodeFrames(frames);
        expect(body.length).toBe(frames.reduce((sum, each) => sum + frameBytes(each), 0));
        expect(decodeFrames(body)).toEqual(frames);
      }),
    );
  });

  test('that is cut anywhere but between frames is refused', () => {
    const whole = encodeFrames([frame('a'), frame('b')]);
    const between = [0, frameBytes(frame('a'))];
    for (let length = 0; length < whole.length; length += 1) {
      const cut = () => decodeFrames(whole.slice(0, length));
      if (between.includes(length)) expect(cut()).toHaveLength(between.indexOf(length));
      else expect(cut).toThrow(invalid);
    }
  });

  test('of any bytes is frames, or refused, and never reads beyond its end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        try {
          expect(encodeFrames(decodeFrames(new Uint8Array(bytes)))).toEqual(new Uint8Array(bytes));
        } catch (error) {
          expect(error).toEqual(invalid);
        }
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['lengths beyond the body', () => new Uint8Array([0, 1, 97, 255, 255, 255, 255, 1])],
    ['an empty name', () => encodeFrames([frame('')])],
    ['a name of 256 bytes', () => encodeFrames([frame('n'.repeat(256))])],
    ['a name that is no text', () => new Uint8Array([0, 1, 0xff, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1])],
    ['a name twice', () => encodeFrames([frame('a'), frame('b'), frame('a')])],
    ['33 frames', () => encodeFrames(Array.from({ length: 33 }, (_, at) => frame(`f${at}`)))],
    ['no small still', () => encodeFrames([frame('a', 0)])],
    ['no large still', () => encodeFrames([frame('a', 3, 0)])],
    ['a small still that is too long', () => encodeFrames([frame('a', STILL_SMALL_MAX_BYTES + 1)])],
    ['a large still that is too long', () => encodeFrames([frame('a', 3, STILL_LARGE_MAX_BYTES + 1)])],
    ['too many bytes', () => new Uint8Array(STILLS_BODY_MAX_BYTES + 1)],
  ])('with %s is refused', (_, make) => {
    expect(() => decodeFrames(make())).toThrow(invalid);
  });

  test('takes 32 frames, and stills of the greatest length', () => {
    const many = Array.from({ length: 32 }, (_, at) => frame(`f${at}`));
    expect(decodeFrames(encodeFrames(many))).toEqual(many);
    const long = [frame('n'.repeat(255), STILL_SMALL_MAX_BYTES, STILL_LARGE_MAX_BYTES)];
    expect(decodeFrames(encodeFrames(long))).toEqual(long);
  });
});

describe('an answer', () => {
  const stream = (bytes: Uint8Array, pieceBytes: number) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += pieceBytes) controller.enqueue(bytes.slice(at, at + pieceBytes));
        controller.close();
      },
    });
  const answerOf = (stills: readonly (Uint8Array | null)[]) =>
    new Uint8Array(stills.flatMap((still) => [...encodeLength(still?.length ?? 0), ...(still ?? [])]));
  const readAll = async (body: ReadableStream<Uint8Array>) => {
    const stills: (Uint8Array | null)[] = [];
    for await (const still of readStills(body, 'small')) stills.push(still);
    return stills;
  };

  test('is read as it was written, however it is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(anyBytes), { maxLength: 10 }),
        fc.integer({ min: 1, max: 50 }),
        async (stills, piece) => {
          expect(await readAll(stream(answerOf(stills), piece))).toEqual(stills);
        },
      ),
    );
  });

  test('gives each still before the next one has come', async () => {
    const { readable: body, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const stills = readStills(body, 'small');
    writer.write(answerOf([new Uint8Array([7, 8])])).catch(() => undefined);
    expect(await stills.next()).toEqual({ done: false, value: new Uint8Array([7, 8]) });
    await stills.return();
    await expect(writer.closed).rejects.toBe(undefined);
  });

  test('that ends within a still, or has one that is too long, is refused', async () => {
    const whole = answerOf([new Uint8Array(9)]);
    for (const length of [1, 4, 12])
      await expect(readAll(stream(whole.slice(0, length), 5))).rejects.toThrow(TypeError);
    await expect(readAll(stream(encodeLength(16 * KIB + 1), 5))).rejects.toThrow(TypeError);
  });
});
