import { describe, expect, test } from 'vitest';
import {
  contentText,
  cut,
  folderLabel,
  folderTitle,
  fromNowText,
  plainText,
  sizeText,
  timestampOf,
} from './wording.ts';

describe('people’s words in a message', () => {
  test.each([
    ['**Raid** _night_ ~~x~~ ||y|| `z`', '\\*\\*Raid\\*\\* \\_night\\_ \\~\\~x\\~\\~ \\|\\|y\\|\\| \\`z\\`'],
    ['<@123> @everyone', '\\<\\@123\\> \\@everyone'],
    ['https://evil.example', 'https\\://evil.example'],
    ['[here](https://evil.example)', '\\[here\\]\\(https\\://evil.example\\)'],
    ['# big', '\\# big'],
    ['-# small', '\\-# small'],
    ['> quoted', '\\> quoted'],
    ['1. first', '1\\. first'],
    ['back\\slash', 'back\\\\slash'],
    ['Raid night 2026-11-22', 'Raid night 2026-11-22'],
  ])('%s is shown as it is', (given, escaped) => expect(plainText(given)).toBe(escaped));

  test('stay in their line and in its direction', () => {
    expect(plainText('a\nb\u2028c\u202ed')).toBe('a b c d');
  });
});

describe('a cut text', () => {
  test('has at most that length, and shows that it was cut', () => {
    expect(cut('abcdef', 6)).toBe('abcdef');
    expect(cut('abcdefg', 6)).toBe('abcde…');
  });
  test('never splits a character', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(cut(family.repeat(3), family.length * 2)).toBe(`${family}…`);
    expect(cut('ab😀cd', 4)).toBe('ab…');
  });
});

test('a folder without a visible name has a name in each language', () => {
  expect(folderTitle({ name: null }, 'de')).toBe('Unbenannter Ordner');
  expect(folderLabel({ name: '\u202e' }, 'fr')).toBe('Dossier sans nom');
});

test('sizes have the site’s form, with the number as the language writes it', () => {
  expect(sizeText(12 * 1024 ** 2, 'en')).toBe('12.00 MB');
  expect(sizeText(1.25 * 1024 ** 2, 'de')).toBe('1,25 MB');
  expect(sizeText(12 * 1024 ** 2, 'fr')).toBe('12,00 Mo');
  expect(sizeText(10 * 1024 ** 3, 'es')).toBe('10,00 GB');
  expect(sizeText(1024 ** 2 - 1, 'en')).toBe('1.00 MB');
  expect([sizeText(3, 'en'), sizeText(0, 'fr')]).toEqual(['3 Bytes', '0 octets']);
});

test('what a folder holds', () => {
  expect(contentText({ file_count: 0, size_bytes: 0 }, 'es')).toBe('ningún archivo');
  expect(contentText({ file_count: 1, size_bytes: 1024 }, 'en')).toBe('1 file, 1.00 KB');
  expect(contentText({ file_count: 1200, size_bytes: 1024 ** 3 }, 'de')).toBe('1.200 Dateien, 1,00 GB');
});

test('moments', () => {
  const now = Date.UTC(2026, 0, 1);
  const inMs = (ms: number, language: 'en' | 'de' | 'fr' | 'es') => fromNowText(new Date(now + ms), language, now);
  expect(timestampOf(new Date(1_700_000_000_999), 'R')).toBe('<t:1700000000:R>');
  expect(inMs(23.9 * 3_600_000, 'en')).toBe('in 23 hours');
  expect(inMs(50 * 3_600_000, 'de')).toBe('in 2 Tagen');
  expect(inMs(30_000, 'fr')).toBe('dans 1 minute');
  expect(inMs(-1, 'es')).toBe('dentro de 1 minuto');
});
