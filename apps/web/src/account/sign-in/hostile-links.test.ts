import { parseFragment } from '@satchel/client/keys/folder-link';
import { fragmentKind } from '@satchel/client/keys/link-parts';
import { anyCharacter } from '@satchel/contract/testing/any-text';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { takeFragment } from '../../engine/keys/kept-fragment.ts';
import { safeReturnPath, slugOf, takeReturnPath } from './return-path.ts';

/** Any content of an address or of this tab's storage is read without failing, and leads nowhere else. */

const HERE = 'https://satchel.example';
const HOSTILE = [
  '',
  '#',
  '##',
  'k=',
  'k=k=',
  `k=${'A'.repeat(100_000)}`,
  'f'.repeat(100_000),
  `${'a'.repeat(64)}\0${'b'.repeat(63)}`,
  '\ud800',
  '%',
  '%6b=AAAA',
  '__proto__',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '//elsewhere.example',
  '/\t/elsewhere.example',
  '/\n/elsewhere.example',
  '/./\\elsewhere.example',
  '/.//elsewhere.example',
  '/..//elsewhere.example',
  '/%2e//elsewhere.example',
  '/a/..//elsewhere.example',
  '/%5celsewhere.example',
  '/:80',
  '/@elsewhere.example',
  '/f/../../auth/callback',
  '/%61uth/callback',
  '/f/a#k=secret',
  `/${'../'.repeat(20_000)}`,
  `/${'%2f'.repeat(30_000)}`,
];
const texts = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc
    .array(fc.constantFrom('/', '\\', '.', '..', '%2f', '%5c', '%2e', '@', ':', '?', '#', '\t', 'a', 'auth'), {
      maxLength: 12,
    })
    .map((parts) => `/${parts.join('')}`),
);

afterEach(() => vi.unstubAllGlobals());

test('a fragment of any text is a secret, a key, a damaged one or none, and an error of the catalogue if damaged', () => {
  fc.assert(
    fc.property(texts, fc.boolean(), (text, isKeyed) => {
      const hash = `#${isKeyed ? 'k=' : ''}${text}`;
      const parsed = parseFragment(hash);
      expect(parsed.kind).toBe(fragmentKind(hash));
      if (parsed.kind === 'secret') expect(parsed.secret).toHaveLength(32);
      if (parsed.kind === 'key') for (const key of parsed.keys) expect(key).toHaveLength(64);
      if (parsed.kind === 'bad') expect(parsed.error.code).toMatch(/^key\./);
    }),
    { numRuns: 1000 },
  );
});

test('a way back is a path of this site without a fragment, and the same when it is read again', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const path = safeReturnPath(text);
      if (path === null) return;
      const url = new URL(path, HERE);
      expect(url.origin).toBe(HERE);
      expect(url.href).toBe(HERE + path);
      expect(url.hash).toBe('');
      expect(safeReturnPath(path)).toBe(path);
      expect(slugOf(path) ?? '').not.toMatch(/[/?#]/);
    }),
    { numRuns: 2000 },
  );
});

describe('a forged value in this tab’s storage', () => {
  const stored = fc.oneof(
    texts,
    fc.json({ maxDepth: 2 }),
    texts.map((hash) => JSON.stringify({ hash, untilMs: 1e300 })),
    fc.constant('['.repeat(100_000)),
  );

  test('is no fragment and no way back but one that could have been kept', () => {
    fc.assert(
      fc.property(stored, (text) => {
        vi.stubGlobal('sessionStorage', { getItem: () => text, removeItem: () => undefined });
        expect(typeof takeFragment('aZ09aZ09aZ09aZ09')).toBe('string');
        expect(new URL(takeReturnPath(), HERE).origin).toBe(HERE);
      }),
    );
  });
});
