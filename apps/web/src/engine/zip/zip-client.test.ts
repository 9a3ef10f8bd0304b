import type { ZipFile } from '@satchel/client/open/zip-stream';
import { proofForTest, sealForTest } from '@satchel/client/testing/sealed-file';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { AppError } from '@satchel/contract/errors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { downloadZip } from './zip-client.ts';

/** Zips where there is no service worker: they are made in memory. */

type Bytes = Uint8Array<ArrayBuffer>;

const keys = await importKeys(newFolderKey());
let stored: Map<string, Bytes>;
let saved: Blob[];

const storage = async (input: RequestInfo | URL) => new Response(stored.get(String(input)));

beforeEach(() => {
  stored = new Map();
  saved = [];
  vi.stubGlobal('fetch', storage);
  vi.stubGlobal('document', {
    createElement: () => ({ click: () => undefined, remove: () => undefined }),
    body: { append: () => undefined },
  });
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved.push(blob as Blob);
    return 'blob:zip';
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function fileOf(name: string): Promise<{ file: ZipFile; container: Bytes }> {
  const plain = new TextEncoder().encode(`this is ${name}`);
  const sealed = await sealForTest(keys, plain, { name, type: 'text/plain' });
  const url = `/${sealed.storedName}`;
  stored.set(url, sealed.container);
  const entry = {
    id: name,
    name: sealed.storedName,
    created_at: '2026-03-01T12:00:00Z',
    updated_at: '2026-03-01T12:00:00Z',
    metadata: { size: sealed.container.length, mimetype: 'application/octet-stream', eTag: '"1"' },
  };
  return { file: { url, entry, name, proof: await proofForTest(keys, sealed) }, container: sealed.container };
}

const zip = (files: readonly ZipFile[]) =>
  downloadZip({ name: 'all.zip', files }, { onProgress: () => undefined, signal: new AbortController().signal });

test('a zip holds the files that their labels name', async () => {
  const [a, b] = [await fileOf('a.txt'), await fileOf('b.txt')];
  await zip([a.file, b.file]);
  const text = await saved[0]?.text();
  for (const part of ['a.txt', 'this is a.txt', 'b.txt', 'this is b.txt']) expect(text).toContain(part);
});

test('another file of the folder in the place of one ends the zip, and nothing is saved', async () => {
  const [a, b] = [await fileOf('a.txt'), await fileOf('b.txt')];
  stored.set(b.file.url, a.container);
  await expect(zip([a.file, b.file])).rejects.toEqual(new AppError('open.foreign'));
  expect(saved).toEqual([]);
});
