import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientFrame as frame } from '../../../test/support/uploads/socket-kit.ts';
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
  const told = { bytes: [] as Buffer[], texts: [] as string[], pings: [] as string[], closes: 0 };
  const { take } = createFrameReader(
    {
      onBytes: (part) => told.bytes.push(Buffer.from(part)),
      onText: (text) => told.texts.push(text),
      onPing: (payload) => told.pings.push(payload.toString()),
      onClose: () => (told.closes += 1),
    },
    LIMITS,
  );
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  // Each piece is its own buffer, at any alignment.
  for (const [at, from] of places.slice(0, -1).entries()) {
    const piece = Buffer.alloc(places[at + 1]! - from + (from % 4));
    bytes.copy(piece, from % 4, from, places[at + 1]);
    take(piece.subarray(from % 4));
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

/** Cuts bytes into reads that each fill a buffer, as a socket's reads do. */
function readsOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((place) => place % bytes.length), bytes.length])].sort((a, b) => a - b);
  return places
    .slice(0, -1)
    .map((from, at) => Buffer.from(Uint8Array.from(bytes.subarray(from, places[at + 1])).buffer));
}

describe('the memory of reads', () => {
  const size = fc.oneof(fc.nat(300), fc.constantFrom(125, 126, 65_536));
  const sizes = fc.array(size, { minLength: 1, maxLength: 3 });
  const cuts = fc.array(fc.nat(70_000), { maxLength: 12 });
  const framesOf = (all: readonly number[]) =>
    Buffer.concat([
      frame(1, Buffer.from('text')),
      ...all.flatMap((length, at) => [frame(2, bytesOf(length, at)), frame(9, Buffer.from('ping'))]),
    ]);

  test('is given back with the last part of each, in any order of writing parts, and never before', () => {
    fc.assert(
      fc.property(sizes, cuts, fc.array(fc.nat(), { minLength: 1 }), (all, places, order) => {
        const waiting: Buffer[] = [];
        const written: { part: Buffer; at: number }[] = [];
        let at = 0;
        const reader = createFrameReader(
          {
            onBytes(part) {
              waiting.push(part);
              written.push({ part, at });
              at += part.length;
            },
            onText: () => undefined,
            onPing: () => undefined,
            onClose: () => undefined,
          },
          { ...LIMITS, controlFramesMax: 100 },
        );
        const reads = readsOf(framesOf(all), places);
        const whole = Buffer.concat(all.map((length, index) => Buffer.from(bytesOf(length, index))));
        const giveBackOne = (pick: number) => {
          const [part] = waiting.splice(pick % waiting.length, 1);
          const from = written.find((each) => each.part === part)!.at;
          // Its bytes are still there when its turn comes.
          expect(part!.equals(whole.subarray(from, from + part!.length))).toBe(true);
          reader.giveBack(part!);
        };
        for (const [index, read] of reads.entries()) {
          reader.take(read);
          if (waiting.length > 0 && order[index % order.length]! % 2 === 0) giveBackOne(order[index % order.length]!);
        }
        for (let index = 0; waiting.length > 0; index += 1) giveBackOne(order[index % order.length]!);
        expect(at).toBe(whole.length);
        expect(reads.map(({ buffer }) => buffer.byteLength)).toEqual(reads.map(() => 0));
      }),
      { numRuns: 50 },
    );
  });

  test('stays where a read is a part of its buffer, whose rest has other readers', () => {
    fc.assert(
      fc.property(sizes, cuts, (all, places) => {
        const parts: Buffer[] = [];
        const events = {
          onText: () => undefined,
          onPing: () => undefined,
          onClose: () => undefined,
        };
        const reader = createFrameReader(
          { ...events, onBytes: (part) => void parts.push(part) },
          { ...LIMITS, controlFramesMax: 100 },
        );
        const bytes = framesOf(all);
        const around = Buffer.concat([Buffer.alloc(8, 1), bytes, Buffer.alloc(8, 2)]);
        const ends = [...places.map((place) => place % bytes.length), bytes.length].sort((a, b) => a - b);
        let from = 0;
        for (const end of ends) {
          reader.take(around.subarray(8 + from, 8 + end));
          from = end;
        }
        const received = Buffer.concat(parts);
        for (const part of parts) reader.giveBack(part);
        expect(received.equals(Buffer.concat(all.map((length, index) => Buffer.from(bytesOf(length, index)))))).toBe(
          true,
        );
        expect(around.subarray(0, 8).equals(Buffer.alloc(8, 1))).toBe(true);
        expect(around.subarray(-8).equals(Buffer.alloc(8, 2))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
