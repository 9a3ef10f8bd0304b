import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import type { UploadEntry } from '@satchel/client/send/ports';
import { beforeEach, expect, test, vi } from 'vitest';
import { keepUnsent } from './unsent-names.ts';
import { openUploadLog } from './upload-log.ts';
import { hasUploadTraces } from './upload-traces.ts';

const entry: UploadEntry = {
  id: 'a',
  place: 'place',
  fingerprint: 'print',
  prefix: null,
  objectName: 'path/a.txt',
  sealed: null,
  bytesTotal: 1,
  url: null,
  createdAtMs: 1,
  expiresAtMs: 2,
};

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
  return () => vi.unstubAllGlobals();
});

test('a browser that never uploaded has no traces, and gets no log by being asked', async () => {
  expect(await hasUploadTraces('folder')).toBe(false);
  expect(await indexedDB.databases()).toEqual([]);
  const log = await openUploadLog();
  expect(await log.list()).toEqual([]);
  log.close();
});

test('an upload in the log is a trace, until it is deleted', async () => {
  const log = await openUploadLog();
  await log.create(entry);
  expect(await hasUploadTraces('folder')).toBe(true);
  await log.remove('a');
  expect(await hasUploadTraces('folder')).toBe(false);
  log.close();
});

test('a file whose turn had not come is a trace in its own folder', async () => {
  keepUnsent('folder', [{ name: 'a.txt' }]);
  expect(await hasUploadTraces('folder')).toBe(true);
  expect(await hasUploadTraces('other')).toBe(false);
});

test('without any storage there are no traces', async () => {
  vi.stubGlobal('sessionStorage', undefined);
  vi.stubGlobal('indexedDB', undefined);
  expect(await hasUploadTraces('folder')).toBe(false);
});
