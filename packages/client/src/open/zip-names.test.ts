import { extensionOf, utf8Length } from '@satchel/contract/naming';
import { anyCharacter } from '@satchel/contract/testing/any-text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createZipNames, systemFileName, zipFileName } from './zip-names.ts';

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
    ['nul .txt', '_nul .txt'],
    ['Com1   .tar.gz', '_Com1   .tar.gz'],
    ['lpt² .', '_lpt²'],
    ['CONOUT$', '_CONOUT$'],
    ['aux . ', '_aux'],
    ['console.txt', 'console.txt'],
    ['null .txt', 'null .txt'],
    ['con man.txt', 'con man.txt'],
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

  test('names one file and nothing else, for every name that a sealer wrote', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (name) => {
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
    const names = ['a.txt', 'a (2).txt', 'a.txt', 'A.TXT', 'noext', 'noext'].map((name) => nameOf(name));
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

describe('directories in a zip', () => {
  const pathsOf = (files: { name: string; directory?: string }[]) => {
    const nameOf = createZipNames(files);
    return files.map(({ name, directory }) => nameOf(name, directory));
  };

  test('keep their files apart, and number equal names in one of them only', () => {
    expect(
      pathsOf([
        { name: 'a.txt' },
        { name: 'a.txt', directory: 'day 1' },
        { name: 'a.txt', directory: 'day 1' },
        { name: 'A.txt', directory: 'DAY 1' },
        { name: 'a.txt', directory: 'day 1/evening' },
      ]),
    ).toEqual(['a.txt', 'day 1/a.txt', 'day 1/a (2).txt', 'DAY 1/A (3).txt', 'day 1/evening/a.txt']);
  });

  test('take no file’s name: a file that is called as one is numbered', () => {
    expect(
      pathsOf([{ name: 'notes' }, { name: 'Day', directory: 'notes' }, { name: 'x', directory: 'notes/day' }]),
    ).toEqual(['notes (2)', 'notes/Day (2)', 'notes/day/x']);
  });

  test('unpack below the zip alone, and on every system', () => {
    expect(
      pathsOf([
        { name: 'a', directory: '../../etc' },
        { name: 'a', directory: '/top' },
        { name: 'a', directory: 'con/aux.txt/b. ' },
        { name: 'a', directory: 'C:\\x' },
        { name: 'a', directory: 'x\0y' },
        { name: 'a', directory: 'd/'.repeat(300) },
      ]),
    ).toEqual(['etc/a', 'top/a', '_con/_aux.txt/b/a', 'C__x/a', 'x_y/a', `${'d/'.repeat(32)}a`]);
  });
});

test('a system that refuses less than Windows keeps more of a name, and is as safe', () => {
  const nameOf = createZipNames([], systemFileName);
  expect(nameOf('12:30 "note"?.txt', '../a:b/..')).toBe('a:b/12:30 "note"?.txt');
  expect(nameOf('../con.', '')).toBe('.._con.');
  expect(nameOf(`${'x'.repeat(300)}.png`)).toBe(`${'x'.repeat(236)}.png`);
});
