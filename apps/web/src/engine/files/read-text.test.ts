import { expect, test } from 'vitest';
import { blobReader } from '../media/read-range.ts';
import { readText, TEXT_SHOWN_BYTES } from './read-text.ts';

test('a text is read as UTF-8, or as UTF-16 when it says so', async () => {
  expect(await readText(blobReader(new Blob(['Grüße, <b>markup</b> 🏕'])))).toBe('Grüße, <b>markup</b> 🏕');
  const utf16 = Buffer.from('\ufeffGrüße', 'utf16le');
  expect(await readText(blobReader(new Blob([utf16])))).toBe('Grüße');
  expect(await readText(blobReader(new Blob([utf16.swap16()])))).toBe('Grüße');
});

test('a text without any letter of UTF-8 is read as one of Windows; a damaged one keeps its letters', async () => {
  const read = (bytes: number[]) => readText(blobReader(new Blob([new Uint8Array(bytes)])));
  expect(await read([...Buffer.from('Grüße', 'latin1'), 0x80])).toBe('Grüße€');
  expect(await read([...Buffer.from('Grüße '), 0xff])).toBe('Grüße \ufffd');
});

test('of a long text the beginning is read', async () => {
  expect((await readText(blobReader(new Blob(['x'.repeat(TEXT_SHOWN_BYTES + 10)])))).length).toBe(TEXT_SHOWN_BYTES);
});

test('a file that is no text is refused', async () => {
  await expect(readText(blobReader(new Blob([new Uint8Array([0x50, 0x4b, 0, 3])])))).rejects.toThrow(TypeError);
});
