import { AppError } from '@satchel/contract/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkStart, containerSize, type DecodedHeader, decodeHeader, encodeHeader, plainLength } from './format.ts';
import { createHeader } from './seal.ts';

const HEAD_MAX = 4 + 8192;
const encode = (text: string) => new TextEncoder().encode(text);
const prefixed = (json: Uint8Array): Uint8Array => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json]);
};

/** Reads, and asserts that only errors of the catalogue are thrown. */
function decodeSafely(bytes: Uint8Array): DecodedHeader | null | 'refused' {
  try {
    return decodeHeader(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(['open.corrupted', 'open.bad_version', 'open.empty']).toContain((error as AppError).code);
    return 'refused';
  }
}

/** What all code after the header relies on. */
function expectSound(decoded: DecodedHeader): void {
  const { header, prefix, macInput } = decoded;
  expect(prefix.length).toBeLessThanOrEqual(HEAD_MAX);
  expect(new DataView(macInput.buffer).getUint32(0, true)).toBe(macInput.length - 4);
  expect(header.chunkSize % 16).toBe(0);
  expect(header.chunkSize).toBeGreaterThan(0);
  expect(header.chunkSize).toBeLessThanOrEqual(4 * 2 ** 20);
  expect(header.totalChunks).toBeGreaterThan(0);
  expect(header.totalChunks).toBeLessThan(2 ** 32);
  expect(header.baseCounter.length).toBe(8);
  expect(Number.isSafeInteger(chunkStart(decoded, header.totalChunks))).toBe(true);
  if (header.originalSize === null) {
    expect(header.mac).toBeNull();
    expect(containerSize(decoded)).toBeNull();
    return;
  }
  const last = plainLength(header, header.totalChunks - 1);
  expect(last).toBeGreaterThan(0);
  expect(last).toBeLessThanOrEqual(header.chunkSize);
  expect(containerSize(decoded)).toBe(chunkStart(decoded, header.totalChunks - 1) + last + 52);
}

const validFields = {
  version: 2,
  algorithm: 'AES-CTR+HMAC-SHA256',
  baseCounter: [0, 1, 2, 3, 4, 5, 6, 255],
  chunkSize: 64,
  totalChunks: 2,
  originalSize: 100,
  originalName: 'a',
  originalType: 'b',
  mac: 'file',
};
const numbers = fc.oneof(
  fc.constantFrom(0, 1, 16, 2 ** 22, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 52, 2 ** 53, 1e308, -1, 0.5),
  fc.integer(),
  fc.double(),
);
const anyValue = fc.oneof(fc.jsonValue({ maxDepth: 2 }), numbers, fc.constant(undefined));
const someFields = fc.record(
  Object.fromEntries(
    Object.entries({ ...validFields, __proto__x: 1 }).map(([name, value]) => [
      name,
      fc.oneof({ weight: 4, arbitrary: fc.constant<unknown>(value) }, { weight: 1, arbitrary: anyValue }),
    ]),
  ),
  { requiredKeys: [] },
);

describe('decodeHeader', () => {
  test('takes any bytes: the header is sound, refused, or needs more bytes, but never for long', () => {
    const starts = fc.constantFrom('', '{', '\x10\0\0\0', '\x10\0\0\0{', '{"a":"', '\0\x20\0\0{', '{{{{');
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 9000, size: 'max' }), (start, rest) => {
        const bytes = Buffer.concat([Buffer.from(start, 'latin1'), rest]);
        const decoded = decodeSafely(bytes);
        if (decoded === null) expect(bytes.length).toBeLessThan(HEAD_MAX);
        else if (decoded !== 'refused') expectSound(decoded);
      }),
      { numRuns: 500 },
    );
  });

  test('takes any JSON fields: sound or refused, in both forms alike', () => {
    let sound = 0;
    fc.assert(
      fc.property(someFields, (fields) => {
        const json = encode(JSON.stringify(fields));
        fc.pre(json.length <= 4000);
        const outcomes = [prefixed(json), Buffer.concat([json, Buffer.alloc(4)])].map(decodeSafely);
        for (const decoded of outcomes) {
          if (decoded === 'refused' || decoded === null) continue;
          expectSound(decoded);
          sound++;
        }
        const [a, b] = outcomes.map((decoded) => (decoded === 'refused' ? decoded : decoded?.header));
        expect(a).toEqual(b);
      }),
      { numRuns: 3000 },
    );
    expect(sound).toBeGreaterThan(0);
  });

  test('asks for more until the last byte of the header is there, and never looks beyond it', () => {
    const text = JSON.stringify({ ...validFields, originalName: '}"\\{\u{1f600}' });
    for (const header of [prefixed(encode(text)), encode(text)]) {
      for (let length = 0; length < header.length; length++)
        expect(decodeHeader(header.subarray(0, length))).toBeNull();
      const decoded = decodeHeader(Buffer.concat([header, Buffer.from('}"{garbage')]));
      expect(decoded?.prefix).toEqual(new Uint8Array(header));
      expect(decoded?.header.originalName).toBe('}"_{\u{1f600}');
    }
  });

  test('tells a length of 123, whose first byte is a brace, from bare JSON', () => {
    const base = JSON.stringify({ ...validFields, version: undefined, algorithm: undefined, mac: undefined });
    expect(base.length).toBeLessThanOrEqual(123);
    const json = encode(base.padEnd(123));
    expect(decodeHeader(prefixed(json))?.header.originalSize).toBe(100);
    expect(prefixed(json)[0]).toBe('{'.charCodeAt(0));
  });

  test('takes the longest header, and refuses one byte more', () => {
    const sized = (length: number) => encode(JSON.stringify(validFields).padEnd(length));
    expect(decodeHeader(prefixed(sized(8192)))?.prefix.length).toBe(8196);
    expect(decodeSafely(prefixed(sized(8193)))).toBe('refused');
    const bare = (length: number) => {
      const empty = JSON.stringify({ ...validFields, pad: '' });
      return encode(JSON.stringify({ ...validFields, pad: 'x'.repeat(length - empty.length) }));
    };
    expect(decodeHeader(bare(8192))?.prefix.length).toBe(8192);
    expect(decodeSafely(bare(8193))).toBe('refused');
  });

  test.each([
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['a\\b\u0000c\nd', 'a_b_c_d'],
    ['photo\u202egpj.exe', 'photo_gpj.exe'],
    ['in\u200bvoice\u{e0061}.pdf', 'in\ufffdvoice\ufffd.pdf'],
    ['👩‍🚀 می‌خواهم.png', '👩‍🚀 می‌خواهم.png'],
    ['..', 'file'],
    ['\ud800x', '\ufffdx'],
  ])('makes the name %j harmless', (originalName, safe) => {
    expect(decodeHeader(prefixed(encode(JSON.stringify({ ...validFields, originalName }))))?.header.originalName).toBe(
      safe,
    );
  });

  test('keys of the prototype are no fields', () => {
    const json = JSON.stringify({ ...validFields, mac: undefined }).replace('{', '{"__proto__":{"mac":"file"},');
    expect(decodeHeader(prefixed(encode(json)))?.header.mac).toBeNull();
  });
});

describe('encodeHeader', () => {
  test('writes what decodeHeader reads, and the same bytes every time', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 45 }), name, name, (sizeBytes, fileName, type) => {
        const header = createHeader({ sizeBytes, name: fileName, type });
        const decoded = encodeHeader(header);
        expect(decoded.header).toEqual(header);
        expect(decodeHeader(decoded.prefix)).toEqual(decoded);
        expect(encodeHeader(decoded.header).prefix).toEqual(decoded.prefix);
        expectSound(decoded);
      }),
    );
  });
});
