import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blobReader } from '@satchel/client/open/read-range';
import { expect, test } from 'vitest';
import { readText, TEXT_SHOWN_BYTES, type TextWish } from './read-text.ts';

const CASES = join(import.meta.dirname, '../../../../../tests/fixtures/cases');

const read = (bytes: Iterable<number> | string, wish: Partial<TextWish> = {}) =>
  readText(blobReader(new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)])), {
    name: 'a.txt',
    ...wish,
  });

const latin1 = (text: string) => Buffer.from(text, 'latin1');

test('a text is read as UTF-8, or as UTF-16 when it says so', async () => {
  const said = 'Grüße, <b>markup</b> 🏕';
  expect(await read(said)).toEqual({ text: said, encoding: 'utf-8', isCertain: true });
  const utf16 = Buffer.from('\ufeffGrüße', 'utf16le');
  expect(await read(utf16)).toEqual({ text: 'Grüße', encoding: 'utf-16le', isCertain: true });
  expect(await read(utf16.swap16())).toEqual({ text: 'Grüße', encoding: 'utf-16be', isCertain: true });
});

test.each([
  ['gbk.txt', 'gb18030', '八点在广场集合。'],
  ['koi8-r.txt', 'koi8-r', 'Сбор в восемь на площади.'],
  ['shift-jis.txt', 'shift_jis', '集合は八時、広場です。'],
  ['utf-16le-no-mark.txt', 'utf-16le', 'Meet at eight on the square.'],
  ['windows-1250.txt', 'windows-1250', 'Zbiórka o ósmej na placu. Příliš žluťoučký kůň.'],
  ['windows-1251.txt', 'windows-1251', 'Сбор в восемь на площади.'],
])('%s is told apart as %s', async (name, encoding, line) => {
  const { text, ...rest } = await read(await readFile(join(CASES, name)), { name });
  expect(text.split(/\r?\n/)[0]).toBe(line);
  expect(rest).toEqual({ encoding, isCertain: false });
});

test('UTF-16 without a mark is found in either order, and in a script beyond Latin by its blanks', async () => {
  for (const line of ['Meet at eight.\n', 'Сбор в восемь на площади.\n', '八点 在 广场 集合。\n']) {
    const bytes = Buffer.from(line.repeat(6), 'utf16le');
    expect(await read(bytes)).toMatchObject({ encoding: 'utf-16le', text: line.repeat(6) });
    expect(await read(bytes.swap16())).toMatchObject({ encoding: 'utf-16be', text: line.repeat(6) });
  }
});

test('a text of a few letters beyond ASCII is read as one of Western Windows; a damaged one keeps its letters', async () => {
  expect(await read([...latin1('Grüße'), 0x80])).toMatchObject({ text: 'Grüße€', encoding: 'windows-1252' });
  expect(await read([...Buffer.from('Grüße '), 0xff])).toMatchObject({ text: 'Grüße \ufffd', encoding: 'utf-8' });
  const letter = 'Grüße aus München. Übermorgen fährt das Schiff zurück.\n'.repeat(6);
  expect(await read(latin1(letter))).toMatchObject({ text: letter, encoding: 'windows-1252' });
});

test('a release note is read in the code page of DOS, unless it is UTF-8', async () => {
  const box = await readFile(join(CASES, 'release.nfo'));
  expect(await read(box, { name: 'RELEASE.NFO' })).toEqual({
    text: '╔══╗\r\n║OK║\r\n╚══╝\r\n',
    encoding: 'ibm437',
    isCertain: false,
  });
  expect(await read('╔══╗', { name: 'release.nfo' })).toMatchObject({ text: '╔══╗', encoding: 'utf-8' });
});

test('a person’s choice decides, though it gives other letters', async () => {
  const bytes = await readFile(join(CASES, 'koi8-r.txt'));
  const chosen = await read(bytes, { encoding: 'windows-1251' });
  expect(chosen.encoding).toBe('windows-1251');
  expect(chosen.text).toContain('уВПТ');
  expect(await read([0xc9, 0xcd], { encoding: 'ibm437' })).toMatchObject({ text: '╔═' });
});

test('of a long text the beginning is read, and a letter that the end divides is not shown', async () => {
  const { text } = await read('x'.repeat(TEXT_SHOWN_BYTES + 10));
  expect(text.length).toBe(TEXT_SHOWN_BYTES);
  const odd = await read(`x${'ü'.repeat(TEXT_SHOWN_BYTES)}`);
  expect(odd).toMatchObject({ encoding: 'utf-8', isCertain: true });
  expect(odd.text).not.toContain('\ufffd');
});

test('a file that is no text is refused', async () => {
  await expect(read([0x50, 0x4b, 0, 3])).rejects.toThrow(TypeError);
  await expect(read([0, 0, 0, 1, 0, 0, 0, 2, 0, 0])).rejects.toThrow(TypeError);
});
