import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientFrame as frame } from '../../../test/support/uploads/client-frame.ts';
import { CLOSE, createFrameReader, FrameError, type FrameLimits } from './socket-frames.ts';

const LIMITS: FrameLimits = {
  frameMaxBytes: 100_000,
  textMaxBytes: 200,
  shortFramesMax: 1000,
  frameMeanBytes: 10,
  controlFramesMax: 5,
};

/** What a reader tells of those bytes, read in pieces that end at these places. */
function readAll(bytes: Buffer, cuts: readonly number[] = []) {
  const told = { bytes: [] as Buffer[], texts: [] as string[], pings: [] as string[], pongs: 0, closes: 0 };
  const read = createFrameReader(
    {
      onBytes: (part) => told.bytes.push(Buffer.from(part)),
      onText: (text) => told.texts.push(text),
      onPing: (payload) => told.pings.push(payload.toString()),
      onPong: () => (told.pongs += 1),
      onClose: () => (told.closes += 1),
    },
    LIMITS,
  );
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  // Each piece is a buffer of its own, at any alignment.
  for (const [at, from] of places.slice(0, -1).entries()) {
    const piece = Buffer.alloc(places[at + 1]! - from + (from % 4));
    bytes.copy(piece, from % 4, from, places[at + 1]);
    read(piece.subarray(from % 4));
  }
  return { ...told, bytes: Buffer.concat(told.bytes) };
}

function codeOf(bytes: Buffer): number {
  try {
    readAll(bytes);
  } catch (error) {
    if (error instanceof FrameError) return error.code;
    throw error;
  }
  throw new Error('was not refused');
}

const bytesOf = (length: number, first = 0) => Uint8Array.from({ length }, (_, at) => (first + at * 7) & 255);

describe('frames of a client', () => {
  test('are read the same wherever the reads end', () => {
    const size = fc.oneof(fc.nat(300), fc.constantFrom(125, 126, 65_535, 65_536));
    const mask = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
    const frames = fc.array(fc.record({ size, mask }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(frames, fc.array(fc.nat(1000), { maxLength: 8 }), (all, cutsOf) => {
        const payloads = all.map(({ size }, at) => bytesOf(size, at));
        const parts = all.map(({ mask }, at) => frame(2, payloads[at]!, { mask }));
        const bytes = Buffer.concat([frame(1, Buffer.from('häl')), ...parts, frame(9, Buffer.from('p'))]);
        const told = readAll(
          bytes,
          cutsOf.map((place) => place % bytes.length),
        );
        expect(told.bytes.equals(Buffer.concat(payloads))).toBe(true);
        expect(told.texts).toEqual(['häl']);
        expect(told.pings).toEqual(['p']);
      }),
    );
  });

  test('of one message in fragments are one message, also with a ping between them', () => {
    const bytes = Buffer.concat([
      frame(1, Buffer.from('he'), { isFinal: false }),
      frame(9, Buffer.from('between')),
      frame(0, Buffer.from('llo')),
      frame(2, bytesOf(5), { isFinal: false }),
      frame(0, new Uint8Array(0), { isFinal: false }),
      frame(0, bytesOf(6)),
    ]);
    const told = readAll(bytes, [1, 9, 20]);
    expect(told.texts).toEqual(['hello']);
    expect(told.pings).toEqual(['between']);
    expect(told.bytes).toEqual(Buffer.concat([bytesOf(5), bytesOf(6)]));
  });

  test('that close and answer pings are told', () => {
    expect(readAll(Buffer.concat([frame(10, Buffer.from('x')), frame(8, Buffer.from([3, 232]))]))).toMatchObject({
      pongs: 1,
      closes: 1,
    });
  });

  test.each([
    ['without a mask', frame(2, bytesOf(3), { isMasked: false }), CLOSE.protocol],
    ['with a reserved bit', frame(2, bytesOf(3), { reserved: 0x40 }), CLOSE.protocol],
    ['of an unknown kind', frame(3, bytesOf(3)), CLOSE.protocol],
    ['that continue nothing', frame(0, bytesOf(3)), CLOSE.protocol],
    [
      'that begin a message within a message',
      Buffer.concat([frame(2, bytesOf(3), { isFinal: false }), frame(2, bytesOf(3))]),
      CLOSE.protocol,
    ],
    ['of control in fragments', frame(9, bytesOf(3), { isFinal: false }), CLOSE.protocol],
    ['of control above 125 bytes', frame(9, bytesOf(126)), CLOSE.protocol],
    ['of text that is not UTF-8', frame(1, Uint8Array.of(0xff)), CLOSE.protocol],
    ['above the limit, by their head alone', frame(2, bytesOf(100_001)).subarray(0, 14), CLOSE.tooBig],
    ['of 2^63 bytes', Buffer.from([0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]), CLOSE.tooBig],
    ['of text above its limit', frame(1, bytesOf(201)), CLOSE.tooBig],
    [
      'of text above its limit in fragments',
      Buffer.concat([frame(1, Buffer.alloc(150), { isFinal: false }), frame(0, Buffer.alloc(51))]),
      CLOSE.tooBig,
    ],
    [
      'of one byte each, without end',
      Buffer.concat(Array.from({ length: 1200 }, () => frame(2, bytesOf(1)))),
      CLOSE.policy,
    ],
    [
      'that are empty, without end',
      Buffer.concat(Array.from({ length: 1001 }, () => frame(2, bytesOf(0)))),
      CLOSE.policy,
    ],
    ['of pings, without end', Buffer.concat(Array.from({ length: 6 }, () => frame(9, bytesOf(1)))), CLOSE.policy],
  ])('%s are refused', (_name, bytes, code) => {
    expect(codeOf(bytes)).toBe(code);
  });
});
