import type { FolderKeys } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FileContext, type FilesEvent, fileItem, NO_ACTIVITY } from '../file-model.ts';
import type { OpenedFile } from '../open/open-client.ts';
import { saveFile, zipFiles } from './save-file.ts';

/** Addresses that the page had the browser save. */
let saved: string[];
let events: FilesEvent[];
const NEVER = new AbortController().signal;
const opener = { send: (event: FilesEvent) => events.push(event) };

beforeEach(() => {
  [saved, events] = [[], []];
  const createElement = () => {
    const link = { href: '', click: () => saved.push(link.href), remove: () => undefined };
    return link;
  };
  vi.stubGlobal('document', { createElement, body: { append: () => undefined } });
  vi.stubGlobal('location', { origin: 'https://satchel.example' });
});
afterEach(() => vi.unstubAllGlobals());

const entryOf = (name: string): FileEntry => ({
  id: name,
  name,
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  metadata: { size: 1000, mimetype: 'application/octet-stream', eTag: '"1"' },
});
const proof: FileProof = {
  keys: {} as FolderKeys,
  labelKeys: {} as FolderKeys,
  label: { name: 'holiday.png', type: 'image/png' },
  sizeBytes: 900,
  header: 'hash',
};
const opened: OpenedFile = { name: 'x', type: 'image/png', blob: new Blob(['x']), objectUrl: 'blob:x', sizeBytes: 1 };
const itemOf = (name: string, over: Partial<FileContext>) =>
  fileItem(entryOf(name), {
    encrypted: true,
    verdict: proof,
    activity: NO_ACTIVITY,
    still: null,
    opened: null,
    unknownNames: { foreign: 'Foreign', hidden: 'Hidden' },
    url: `/storage/v1/object/public/b/p/${name}`,
    ...over,
  });

test('a file that is not from this folder is refused, were its button ever pressed', async () => {
  const otherContainer = { ...NO_ACTIVITY, error: new AppError('open.foreign') };
  const foreign = [
    itemOf('invoice.pdf', { verdict: 'foreign' }),
    itemOf('a.enc', { verdict: 'foreign', opened }),
    itemOf('b.enc', { activity: otherContainer, opened }),
  ];
  for (const item of foreign)
    await expect(saveFile(item, opener, NEVER)).rejects.toMatchObject({ code: 'open.foreign' });
  expect([saved, events]).toEqual([[], []]);
});

test('without a key there is nothing to save', async () => {
  expect(await saveFile(itemOf('a.enc', { verdict: null }), opener, NEVER)).toBe(false);
  expect(saved).toEqual([]);
});

test('a file of a plain folder comes straight from the server', async () => {
  expect(await saveFile(itemOf('a.txt', { encrypted: false, verdict: null }), opener, NEVER)).toBe(true);
  expect(saved).toEqual(['/storage/v1/object/public/b/p/a.txt']);
});

test('a zip takes what is proven, each file with its proof, and never what is not from this folder', () => {
  const items = [
    itemOf('a.enc', {}),
    itemOf('invoice.pdf', { verdict: 'foreign' }),
    itemOf('b.enc', { verdict: 'foreign' }),
    itemOf('c.enc', { verdict: null }),
  ];
  expect(zipFiles(items)).toEqual([
    {
      url: 'https://satchel.example/storage/v1/object/public/b/p/a.enc',
      entry: items[0]?.entry,
      name: 'holiday.png',
      directory: '',
      proof,
    },
  ]);
});
