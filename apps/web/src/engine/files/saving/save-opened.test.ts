import type { Opened } from '@satchel/client/open/delivery-stream';
import type { MediaEntry } from '@satchel/client/open/media-entry';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deliver } from '../../media/media-client.ts';
import { mediaWorker } from '../../media/service-worker-link.ts';
import { saveOpened } from './save-opened.ts';
import { toCompare } from './to-compare.ts';

vi.mock('../../media/service-worker-link.ts');
vi.mock('../../media/media-client.ts');

const SIZE = 30 * MIB;
const file = (sizeBytes = SIZE) => ({ name: 'film.mp4', sizeBytes }) as MediaEntry;

/** As many bytes as asked for, in units of one MiB, then the failure. */
async function* unitsOf(sizeBytes: number, failure?: Error) {
  for (let at = 0; at < sizeBytes; at += MIB) yield [new Uint8Array(Math.min(MIB, sizeBytes - at)).fill(7)];
  if (failure) throw failure;
}
const opening =
  (sizeBytes = SIZE, failure?: Error) =>
  (): Opened => ({ units: unitsOf(sizeBytes, failure) });
const save = (over: Partial<Parameters<typeof saveOpened<MediaEntry>>[0]> = {}) =>
  saveOpened({ name: 'film.mp4', offer: async () => file(), open: opening(), ...over });

let saved: Blob[];
beforeEach(() => {
  saved = [];
  toCompare.set(null);
  vi.mocked(mediaWorker).mockResolvedValue(null);
  vi.mocked(deliver).mockReset();
  vi.stubGlobal('document', {
    createElement: () => ({ click: () => undefined, remove: () => undefined }),
    body: { append: () => undefined },
  });
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved.push(blob as Blob);
    return 'blob:film';
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A place that a person picks: what is written there counts once it is closed. */
function pickedPlace(sizeBytes = 0) {
  const place = { written: 0, closed: false, aborted: false, removed: false };
  const sink = {
    write(chunk: Uint8Array) {
      place.written += chunk.length;
    },
    close() {
      place.closed = true;
    },
    abort() {
      place.aborted = true;
    },
  };
  vi.stubGlobal('showSaveFilePicker', async () => ({
    getFile: async () => ({ size: sizeBytes }),
    createWritable: async () => new WritableStream(sink),
    async remove() {
      place.removed = true;
    },
  }));
  return place;
}

test('without a service worker and a picker, the browser is given the whole file, and the page offers to compare', async () => {
  expect(await save()).toBe(false);
  expect(saved.map(({ size }) => size)).toEqual([SIZE]);
  expect(toCompare.get()).toMatchObject({ name: 'film.mp4', sizeBytes: SIZE });
});

test('a file of which nothing can be cut is not asked about', async () => {
  expect(await save({ offer: async () => file(10), open: opening(10) })).toBe(false);
  expect(saved.map(({ size }) => size)).toEqual([10]);
  expect(toCompare.get()).toBeNull();
});

test.each([
  ['fewer', SIZE - 1],
  ['more', SIZE + 1],
])('of a file with %s bytes than it should have, nothing is saved', async (_what, sizeBytes) => {
  await expect(save({ open: opening(sizeBytes) })).rejects.toMatchObject({ code: 'open.size_mismatch' });
  expect([saved, toCompare.get()]).toEqual([[], null]);
});

test('a file that fails in the middle is not saved', async () => {
  await expect(save({ open: opening(MIB, new AppError('open.corrupted')) })).rejects.toMatchObject({
    code: 'open.corrupted',
  });
  expect(saved).toEqual([]);
});

test('a file too large for memory is refused before any of it is opened', async () => {
  const open = vi.fn(opening());
  await expect(save({ offer: async () => file(257 * MIB), open })).rejects.toMatchObject({
    code: 'download.too_large_here',
    params: { maxBytes: 256 * MIB },
  });
  expect(open).not.toHaveBeenCalled();
});

test('a service worker that does not take a large file leaves it no other way', async () => {
  vi.mocked(mediaWorker).mockResolvedValue({} as ServiceWorker);
  vi.mocked(deliver).mockResolvedValue(false);
  await expect(save({ offer: async () => file(257 * MIB) })).rejects.toMatchObject({ code: 'download.too_large_here' });
  expect(await save()).toBe(false);
  expect(saved.map(({ size }) => size)).toEqual([SIZE]);
});

test('what the service worker has delivered is saved, and nothing is in memory', async () => {
  vi.mocked(mediaWorker).mockResolvedValue({} as ServiceWorker);
  vi.mocked(deliver).mockResolvedValue(true);
  expect(await save()).toBe(true);
  expect([saved, toCompare.get()]).toEqual([[], null]);
});

test('in WebKit, which may cut it in silence, the page offers to compare what the service worker has delivered', async () => {
  vi.stubGlobal('navigator', {
    userAgent: 'Safari/605',
    platform: 'MacIntel',
    maxTouchPoints: 0,
    vendor: 'Apple Computer, Inc.',
  });
  vi.mocked(mediaWorker).mockResolvedValue({} as ServiceWorker);
  vi.mocked(deliver).mockResolvedValue(true);
  expect(await save()).toBe(false);
  expect(toCompare.get()).toMatchObject({ sizeBytes: SIZE });
});

test('at a picked place, a file of any size is written whole, and is known to be saved', async () => {
  const place = pickedPlace();
  const sizeBytes = 300 * MIB;
  expect(await save({ offer: async () => file(sizeBytes), open: opening(sizeBytes) })).toBe(true);
  expect(place).toEqual({ written: sizeBytes, closed: true, aborted: false, removed: false });
  expect([saved, toCompare.get()]).toEqual([[], null]);
});

test.each([
  ['a new file goes', 0, true],
  ['a file that was to be replaced stays', 12, false],
])('at a picked place, what fails in the middle is given up: %s', async (_what, sizeBytes, removed) => {
  const place = pickedPlace(sizeBytes);
  await expect(save({ open: opening(MIB, new AppError('open.corrupted')) })).rejects.toMatchObject({
    code: 'open.corrupted',
  });
  expect(place).toMatchObject({ closed: false, aborted: true, removed });
});

test('given up in the browser’s own dialog, nothing is asked of the server', async () => {
  vi.stubGlobal('showSaveFilePicker', async () => {
    throw new DOMException('The user aborted a request.', 'AbortError');
  });
  const offer = vi.fn(async () => file());
  await expect(save({ offer })).rejects.toThrow('The user aborted');
  expect(offer).not.toHaveBeenCalled();
});

test('given up by the person, it ends, and nothing is saved', async () => {
  const control = new AbortController();
  const onReport = () => control.abort(new DOMException('Cancelled', 'AbortError'));
  await expect(save({ signal: control.signal, onReport })).rejects.toThrow('Cancelled');
  expect(saved).toEqual([]);
});
