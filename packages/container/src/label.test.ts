import { expect, test } from 'vitest';
import { importKeys, newFolderKey } from './key.ts';
import { openLabel, sealLabel } from './label.ts';

const keys = await importKeys(newFolderKey());

test('a label opens to what was sealed', async () => {
  for (const label of [
    { name: 'Ferien 🏖.jpg', type: 'image/jpeg' },
    { name: 'x', type: '' },
    { name: 'n'.repeat(1024), type: 'video/mp4' },
  ]) {
    const sealed = await sealLabel(keys, label);
    expect(sealed.length).toBeLessThanOrEqual(2048);
    expect(await openLabel(keys, sealed)).toEqual(label);
  }
});

test('names of different lengths give labels of one length, and equal names different labels', async () => {
  const labels = await Promise.all(
    ['a.png', 'b'.repeat(150), 'b'.repeat(150)].map((name) => sealLabel(keys, { name, type: 'image/png' })),
  );
  expect(new Set(labels.map((label) => label.length)).size).toBe(1);
  expect(new Set(labels).size).toBe(3);
});

test('a name cannot lead out of the folder it is saved to', async () => {
  const sealed = await sealLabel(keys, { name: '../..\\a\u202eb', type: '' });
  expect((await openLabel(keys, sealed)).name).toBe('.._.._a_b');
});
