import { extensionOf, utf8Length } from '@satchel/contract/naming';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createZipNames, zipFileName } from './zip-names.ts';

describe('a name in a zip', () => {
  test('stays what it was when there is nothing wrong with it', () => {
    expect(zipFileName('Ferien – Tag 1 (2).tar.gz')).toBe('Ferien – Tag 1 (2).tar.gz');
  });

  test.each([
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['/absolute.txt', '_absolute.txt'],
    ['C:\\Windows\\system32\\evil.dll', 'C__Windows_system32_evil.dll'],
    ['stream.txt:hidden', 'stream.txt_hidden'],
    ['..', 'file'],
    ['. . .', 'file'],
    ['', 'file'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['console.txt', 'console.txt'],
    ['dots at the end...', 'dots at the end'],
    ['invoice\u202Egnp.exe', 'invoice_gnp.exe'],
    ['what? "this" <is> *it* |.png', 'what_ _this_ _is_ _it_ _.png'],
  ])('%j becomes %j', (name, safe) => {
    expect(zipFileName(name)).toBe(safe);
  });

  test('is cut in front of its extension when no file system would take it', () => {
    const cut = zipFileName(`${'ü'.repeat(300)}.jpeg`);
    expect(utf8Length(cut)).toBeLessThanOrEqual(255);
    expect(extensionOf(cut)).toBe('jpeg');
  });

  test('names one file and nothing else, whatever its sealer wrote', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        const safe = zipFileName(name);
        expect(safe).not.toMatch(/[/\\:\0]|^\.*$|[. ]$/);
        expect(utf8Length(safe)).toBeLessThanOrEqual(255);
      }),
    );
  });
});

describe('the names of one zip', () => {
  test('tell files of one name apart by numbers, and leave given numbers alone', () => {
    const nameOf = createZipNames();
    const names = ['a.txt', 'a (2).txt', 'a.txt', 'A.TXT', 'noext', 'noext'].map(nameOf);
    expect(names).toEqual(['a.txt', 'a (2).txt', 'a (3).txt', 'A (4).TXT', 'noext', 'noext (2)']);
  });

  test('are never two alike, also where case and composition do not count', () => {
    const letters = fc.constantFrom('a', 'A', 'ä', 'a\u0308', '.', '(2)', ' ', '/');
    fc.assert(
      fc.property(fc.array(fc.array(letters, { maxLength: 5 }), { maxLength: 40 }), (words) => {
        const nameOf = createZipNames();
        const names = words.map((word) => nameOf(word.join('')).normalize('NFC').toLowerCase());
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });
});
