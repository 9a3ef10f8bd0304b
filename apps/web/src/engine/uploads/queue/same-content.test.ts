import { COMPARED_MAX_BYTES, type ExistingFile } from '@satchel/client/send/list/collisions';
import { proofForTest, sealForTest } from '@satchel/client/testing/sealed-file';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { afterEach, expect, test, vi } from 'vitest';
import { hasSameContent } from './same-content.ts';

const bytes = new Uint8Array(70_000).map((_zero, at) => at % 251);
const plain = (content: Uint8Array<ArrayBuffer>): ExistingFile => {
  vi.stubGlobal('fetch', async () => new Response(content));
  return { name: 'a.bin', sizeBytes: content.length, url: '/a', proof: null, opened: null } as unknown as ExistingFile;
};
const fileOf = (content: Uint8Array<ArrayBuffer>) => new File([content], 'a.bin');
const { signal } = new AbortController();

afterEach(() => vi.unstubAllGlobals());

test('the same bytes are the same content, and one other byte is another', async () => {
  expect(await hasSameContent(plain(bytes), fileOf(bytes), signal)).toBe(true);
  const edited = bytes.slice();
  edited[69_999]! ^= 1;
  expect(await hasSameContent(plain(bytes), fileOf(edited), signal)).toBe(false);
});

test('another size is another content, and so is what is too large to compare: nothing is fetched', async () => {
  const existing = plain(bytes);
  const fetched = vi.fn();
  vi.stubGlobal('fetch', fetched);
  expect(await hasSameContent(existing, fileOf(bytes.slice(1)), signal)).toBe(false);
  const large = { size: COMPARED_MAX_BYTES + 1 } as File;
  expect(await hasSameContent({ ...existing, sizeBytes: COMPARED_MAX_BYTES + 1 }, large, signal)).toBe(false);
  expect(fetched).not.toHaveBeenCalled();
});

test('a file that can’t be fetched or opened counts as another content', async () => {
  const existing = plain(bytes);
  vi.stubGlobal('fetch', async () => new Response('', { status: 500 }));
  expect(await hasSameContent(existing, fileOf(bytes), signal)).toBe(false);
});

test('an opened file is compared as it is, without fetching it again', async () => {
  const keys = await importKeys(newFolderKey());
  const sealed = await sealForTest(keys, bytes, { name: 'a.bin', type: '' });
  const opened = { blob: new Blob([bytes]) };
  const existing = { ...plain(bytes), opened, proof: await proofForTest(keys, sealed) } as unknown as ExistingFile;
  vi.stubGlobal('fetch', vi.fn());
  expect(await hasSameContent(existing, fileOf(bytes), signal)).toBe(true);
  expect(fetch).not.toHaveBeenCalled();
});
