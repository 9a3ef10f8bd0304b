import type { FolderKeys } from '@satchel/container/key';
import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { createLocalFiles } from '../local-files.ts';
import { openLocal } from './open-local.ts';

const entry = { name: 'a_1_b.enc' } as Parameters<typeof openLocal>[0]['entry'];

/** A page that has uploaded one file. */
function uploaded(file: File, sealed: { name?: string; type?: string; sizeBytes?: number; header?: string } = {}) {
  const { name = file.name, type = file.type, sizeBytes = file.size, header = 'h1' } = sealed;
  const files = createLocalFiles();
  files.keep({ entry, proof: { header: 'h1' } }, { file, strips: false, isSmall: false });
  const keys = {} as FolderKeys;
  const proof = { keys, labelKeys: keys, label: { name, type }, sizeBytes, header };
  const shown: Blob[] = [];
  const createUrl = (content: Blob) => {
    shown.push(content);
    return 'blob:1';
  };
  return { shown, open: (other = entry) => openLocal({ entry: other, proof }, { files, createUrl }) };
}

const picture = new File(['picture'], 'aurora.png', { type: 'image/png' });

test('a picture that this page has uploaded is read from the device, under its name in the folder', async () => {
  const { open, shown } = uploaded(picture, { name: 'Aurora.png' });
  const opened = await open();
  expect(opened).toMatchObject({ name: 'Aurora.png', type: 'image/png', sizeBytes: 7, objectUrl: 'blob:1' });
  expect(await opened?.blob?.text()).toBe('picture');
  expect(shown[0]?.type).toBe('image/png');
});

test('a long film plays from the device, and is not read into memory', async () => {
  const film = new File(['film'], 'clip.webm', { type: 'video/webm' });
  Object.defineProperty(film, 'size', { value: AUTO_OPEN_BYTES + 1 });
  const { open, shown } = uploaded(film);
  expect(await open()).toMatchObject({ blob: null, objectUrl: 'blob:1', type: 'video/webm' });
  expect(shown[0]?.type).toBe('video/webm');
});

test.each([
  ['another container than it was sealed into', { header: 'h2' }],
  ['another size than was sealed', { sizeBytes: 8 }],
  ['a type that is not shown as a picture or film', { name: 'page.html', type: 'text/html' }],
])('is no local file: %s', async (_name, sealed) => {
  const { open, shown } = uploaded(picture, sealed);
  expect(await open()).toBeNull();
  expect(shown).toEqual([]);
});

test('another file of the folder is fetched, and so is one that has changed on the device since', async () => {
  expect(await uploaded(picture).open({ ...entry, name: 'c_1_d.enc' })).toBeNull();
  const gone = new File(['gone'], 'gone.png', { type: 'image/png' });
  gone.arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'));
  expect(await uploaded(gone).open()).toBeNull();
});

test('only the newest files are remembered', () => {
  const files = createLocalFiles(1);
  const one = { entry, proof: { header: 'h1' } };
  const local = { file: picture, strips: true, isSmall: false };
  files.keep(one, local);
  files.keep({ entry, proof: { header: 'h2' } }, local);
  expect(files.get(one)).toBeNull();
  expect(files.get({ entry, proof: { header: 'h2' } })).toBe(local);
});
