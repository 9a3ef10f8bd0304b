import { importKeys, newFolderKey } from '@satchel/container/key';
import { expect, test } from 'vitest';
import type { UploadFolder } from './order.ts';
import { requirePlain } from './transfer.ts';

const folder = (link_mode: UploadFolder['link_mode']) => ({ id: 'a', slug: 'slug-of-a', link_mode }) as UploadFolder;
const knowing = (isPinned: boolean) => async () => ({ isPinned });
const order = (link_mode: UploadFolder['link_mode']) => ({ folder: folder(link_mode), keys: null, userId: 'mika' });

test('a plain folder that this device does not know takes files in clear', async () => {
  await expect(requirePlain(order('plain'), knowing(false))).resolves.toBeUndefined();
});

test('a folder that this device knows as encrypted takes none, under any mode that the server claims', async () => {
  await expect(requirePlain(order('plain'), knowing(true))).rejects.toMatchObject({ code: 'upload.not_plain' });
});

test('what can’t be looked up is not taken for plain', async () => {
  const broken = () => Promise.reject(new Error('broken'));
  await expect(requirePlain(order('plain'), broken)).rejects.toMatchObject({ code: 'upload.not_plain' });
});

test('an upload that was given keys never leaves in clear', async () => {
  const given = { ...order('plain'), keys: await importKeys(newFolderKey()) };
  await expect(requirePlain(given, knowing(false))).rejects.toMatchObject({ code: 'upload.not_plain' });
});

test('an upload that is sealed needs no look', async () => {
  await expect(requirePlain(order('private'), knowing(true))).resolves.toBeUndefined();
});
