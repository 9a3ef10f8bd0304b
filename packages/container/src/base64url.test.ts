import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';

test('base64url follows RFC 4648 without padding, and reads back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = encodeBase64Url(bytes);
      const padded = Buffer.from(bytes).toString('base64');
      expect(text).toBe(padded.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''));
      expect([...decodeBase64Url(text)]).toEqual([...bytes]);
    }),
  );
});

test.each(['A', 'AA==', 'AB', 'A A', 'A+', 'A/', 'AAAAA', 'é', 'AA\n'])('%j is refused', (text) => {
  expect(() => decodeBase64Url(text)).toThrow(SyntaxError);
});

test('no two texts decode to the same bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('A', 'B', 'Q', 'g', '-', '_'), maxLength: 8 }), (text) => {
      let bytes: Uint8Array;
      try {
        bytes = decodeBase64Url(text);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
        return;
      }
      expect(encodeBase64Url(bytes)).toBe(text);
    }),
  );
});
