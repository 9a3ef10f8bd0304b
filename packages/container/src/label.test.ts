import { expect, test } from 'vitest';
import { importKeys, newFolderKey } from './key.ts';
import { hashHeader, openLabel, openName, sealLabel, sealName } from './label.ts';

const key = newFolderKey();
const keys = await importKeys(key);
const header = await hashHeader(new Uint8Array([1, 2, 3]));
const labelOf = (name: string, type = 'image/png') => ({ name, type, sizeBytes: 5, header });
const foreign = { code: 'open.foreign' };

test.each([
  ['Ferien 🏖.jpg', 'image/jpeg'],
  ['x', ''],
  ['n'.repeat(1024), 'video/mp4'],
])('a label opens to what was sealed: %s', async (name, type) => {
  const label = { name, type, sizeBytes: 2 ** 52, header };
  const sealed = await sealLabel(keys, label, 'a_1_b.enc');
  expect(sealed.length).toBeLessThanOrEqual(2048);
  expect(await openLabel(keys, sealed, 'a_1_b.enc')).toEqual(label);
});

test('a label opens under its own stored name only', async () => {
  const sealed = await sealLabel(keys, labelOf('a.png'), 'a_1_b.enc');
  for (const storedName of ['a_1_c.enc', '', 'a_1_b.enc ', 'A_1_b.enc']) {
    await expect(openLabel(keys, sealed, storedName)).rejects.toMatchObject(foreign);
  }
});

test('a label opens with the folder key whole: another AES half, or another MAC half, opens nothing', async () => {
  const sealed = await sealLabel(keys, labelOf('a.png'), 'a.enc');
  for (const at of [0, 31, 32, 63]) {
    const other = key.slice();
    other[at]! ^= 1;
    await expect(openLabel(await importKeys(other), sealed, 'a.enc')).rejects.toMatchObject(foreign);
  }
});

test('a label that was edited, cut, or sealed as a name alone is refused', async () => {
  const sealed = await sealLabel(keys, labelOf('a.png'), 'a.enc');
  const alone = await sealName(keys, { name: 'a.png', type: '' });
  const edited = `${sealed.slice(0, -4)}AAAA`;
  for (const text of [edited, sealed.slice(2), sealed.slice(0, -8), alone, `2.${alone}`, '', '2.', 'A'.repeat(2049)]) {
    await expect(openLabel(keys, text, 'a.enc')).rejects.toMatchObject(foreign);
  }
});

test('names of different lengths give labels of one length, and equal names different labels', async () => {
  const names = ['a.png', 'b'.repeat(100), 'b'.repeat(100)];
  const labels = await Promise.all(names.map((name) => sealLabel(keys, labelOf(name), 'a.enc')));
  expect(new Set(labels.map(({ length }) => length)).size).toBe(1);
  expect(new Set(labels).size).toBe(3);
});

test('a name shows what could not be seen in it', async () => {
  const name = 'in\u200bvoice\u{e0061} 👩‍🚀.pdf';
  const sealed = await sealLabel(keys, labelOf(name), 'a.enc');
  expect((await openLabel(keys, sealed, 'a.enc')).name).toBe('in\ufffdvoice\ufffd 👩‍🚀.pdf');
  expect((await openName(keys, await sealName(keys, { name, type: '' }))).name).toBe('in\ufffdvoice\ufffd 👩‍🚀.pdf');
});

test('a name cannot lead out of the folder it is saved to', async () => {
  const name = '../..\\a\u202eb';
  const sealed = await sealLabel(keys, labelOf(name), 'a.enc');
  expect((await openLabel(keys, sealed, 'a.enc')).name).toBe('.._.._a_b');
  expect((await openName(keys, await sealName(keys, { name, type: '' }))).name).toBe('.._.._a_b');
});

test('a label says the directory of its file, and none for a file that has none', async () => {
  const label = { ...labelOf('boat.jpg'), directory: 'Trip/day 1' };
  expect(await openLabel(keys, await sealLabel(keys, label, 'a.enc'), 'a.enc')).toEqual(label);
  expect(await openLabel(keys, await sealLabel(keys, labelOf('a'), 'a.enc'), 'a.enc')).not.toHaveProperty('directory');
});

test.each([
  ['../../etc', 'etc'],
  ['/etc//./x', 'etc/x'],
  ['C:\\Users\\..', 'C:_Users_..'],
  ['a\0/\u202eb', 'a_/_b'],
  ['x/'.repeat(300), Array(32).fill('x').join('/')],
])('a hostile directory %j is made safe when it is read', async (directory, safe) => {
  const sealed = await sealLabel(keys, { ...labelOf('a'), directory }, 'a.enc');
  expect((await openLabel(keys, sealed, 'a.enc')).directory).toBe(safe);
});

test('directory and name together have at most 1,024 bytes', async () => {
  const label = { ...labelOf('n'.repeat(1000)), directory: 'd'.repeat(24) };
  await expect(sealLabel(keys, label, 'a.enc')).rejects.toMatchObject({ code: 'seal.path_too_long' });
});

test('a label says when its file was last changed, and nothing of it where that is not known', async () => {
  const label = { ...labelOf('a'), modifiedMs: Date.UTC(2019, 6, 20, 20, 17, 40, 123) };
  expect(await openLabel(keys, await sealLabel(keys, label, 'a.enc'), 'a.enc')).toEqual(label);
  expect(await openLabel(keys, await sealLabel(keys, labelOf('a'), 'a.enc'), 'a.enc')).not.toHaveProperty('modifiedMs');
});

test.each([9e15, 1.5, Number.NaN])('a date that none is, %s, is left out, and the label opens', async (modifiedMs) => {
  const sealed = await sealLabel(keys, { ...labelOf('a'), modifiedMs }, 'a.enc');
  expect(await openLabel(keys, sealed, 'a.enc')).toEqual(labelOf('a'));
});

test('a name that leaves no room for the date is sealed without it', async () => {
  const label = { ...labelOf('n'.repeat(1024), 't'.repeat(150)), modifiedMs: 1_700_000_000_000 };
  const { modifiedMs: _, ...without } = label;
  expect(await openLabel(keys, await sealLabel(keys, label, 'a.enc'), 'a.enc')).toEqual(without);
});
