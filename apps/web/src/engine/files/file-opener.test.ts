import { importKeys, newFolderKey } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { AUTO_OPEN_BYTES, MIB } from '@satchel/contract/limits';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { StreamRequest } from '../media/media-client.ts';
import { activityOf } from './file-model.ts';
import { createFileOpener, type FileOpener, type SealedFile } from './file-opener.ts';
import type { OpenedFile, OpenFileRequest } from './open/open-client.ts';
import { createOpenedCache, type OpenedCache } from './opened-cache.ts';
import { openingWay } from './opening-way.ts';

vi.mock('./opening-way.ts', () => ({ openingWay: vi.fn(() => 'whole') }));

interface Opening {
  request: OpenFileRequest;
  finish(): Promise<void>;
  fail(error: unknown): Promise<void>;
}

const keys = await importKeys(newFolderKey());
const proof: FileProof = { keys, labelKeys: keys, label: { name: 'a', type: '' }, sizeBytes: 1000, header: 'hash' };
const large = { ...proof, sizeBytes: AUTO_OPEN_BYTES + 1 };
const LISTED = 'as it was';
let openings: Opening[];
let streams: StreamRequest[];
let streamed: OpenedFile | null;
let revoked: string[];
let cache: OpenedCache;
let opener: FileOpener;
let nowMs: number;
let savesData: boolean;
let atHand: readonly string[];

const settled = () => new Promise<void>((resolve) => setTimeout(resolve));
const openedOf = (name: string): OpenedFile => ({
  name,
  type: 'image/png',
  blob: new Blob(['x']),
  objectUrl: `blob:${name}`,
  sizeBytes: 1,
});
const entryOf = (id: string, size: number): FileEntry => ({
  id,
  name: `${id}.enc`,
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  metadata: { size, mimetype: 'application/octet-stream', eTag: '"1"' },
});
const fileOf = (id: string, over: Partial<SealedFile> & { size?: number } = {}): [string, SealedFile] => {
  const { size = 1000, ...rest } = over;
  return [
    id,
    {
      entry: entryOf(id, size),
      url: `/${id}`,
      name: `${id}.png`,
      type: 'image/png',
      proof,
      listedAs: LISTED,
      hasStill: false,
      ...rest,
    },
  ];
};
const runningIds = () => openings.map(({ request }) => request.entry.id);
const openingOf = (id: string): Opening => {
  const found = openings.find(({ request }) => request.entry.id === id);
  if (!found) throw new Error(`${id} was not started`);
  return found;
};

beforeEach(() => {
  [openings, streams, revoked, streamed, nowMs, savesData, atHand] = [[], [], [], null, 0, false, []];
  cache = createOpenedCache({ nowMs: () => nowMs, revoke: (url) => revoked.push(url) });
  opener = createFileOpener({
    openFile: (request) => {
      const { promise, resolve, reject } = Promise.withResolvers<OpenedFile>();
      openings.push({
        request,
        finish: async () => {
          resolve(openedOf(request.entry.id));
          await settled();
        },
        fail: async (error) => {
          reject(error);
          await settled();
        },
      });
      return promise;
    },
    savesData: () => savesData,
    isAtHand: ({ entry }) => atHand.includes(entry.id),
    streamOpened: async (request) => {
      streams.push(request);
      return streamed;
    },
    cache,
  });
});

test('what would not fit into memory is not opened whole, and says so', async () => {
  const film = { ...proof, sizeBytes: 256 * MIB + 1 };
  opener.setFolder(new Map([fileOf('film', { name: 'film.mp4', type: 'video/mp4', proof: film })]));
  opener.open('film');
  await settled();
  expect(runningIds()).toEqual([]);
  expect(activityOf(opener.store.get(), 'film').error).toMatchObject({
    code: 'open.too_large_here',
    params: { maxBytes: 256 * MIB },
  });
});

describe('files in view', () => {
  test('are opened two at once, and the next when one is done', async () => {
    opener.setFolder(new Map(['a', 'b', 'c'].map((id) => fileOf(id))));
    for (const id of ['a', 'b', 'c']) opener.setInView(id);
    expect(runningIds()).toEqual(['a', 'b']);
    await openingOf('a').finish();
    expect(runningIds()).toEqual(['a', 'b', 'c']);
    expect(cache.peek('a', LISTED)?.objectUrl).toBe('blob:a');
    expect(activityOf(opener.store.get(), 'a').phase).toBe('none');
  });

  test('need not be in view, nor the line be quick, where the device has them', async () => {
    [atHand, savesData] = [['b', 'c'], true];
    opener.setFolder(new Map(['a', 'b'].map((id) => fileOf(id))));
    opener.setInView('a');
    expect(runningIds()).toEqual(['b']);
    await openingOf('b').finish();
    cache.remove('b');
    opener.setFolder(new Map(['a', 'b', 'c'].map((id) => fileOf(id))));
    expect(runningIds()).toEqual(['b', 'c']);
  });

  test('of a large folder wait until they are in view, also where the device has them', () => {
    const ids = Array.from({ length: 101 }, (_, at) => `f${at}`);
    atHand = ids;
    opener.setFolder(new Map(ids.map((id) => fileOf(id))));
    expect(runningIds()).toEqual([]);
    opener.setInView('f7');
    expect(runningIds()).toEqual(['f7']);
  });

  test('are not opened when they are large, are cached, or failed before', async () => {
    cache.put('cached', LISTED, openedOf('cached'));
    const files = [fileOf('large', { proof: large }), fileOf('cached'), fileOf('bad')];
    opener.setFolder(new Map(files));
    opener.setInView('bad');
    await openingOf('bad').fail(new AppError('open.bad_hmac', { chunk: 0 }));
    opener.setInView('bad', false);
    for (const [id] of files) opener.setInView(id);
    expect(runningIds()).toEqual(['bad']);
    expect(activityOf(opener.store.get(), 'bad').error?.code).toBe('open.bad_hmac');
  });

  test('are opened if their label says that they are small, not if only their stored size does', () => {
    const files = [
      fileOf('small', { size: 2 * AUTO_OPEN_BYTES, proof }),
      fileOf('large', { size: 1000, proof: large }),
    ];
    opener.setFolder(new Map(files));
    for (const [id] of files) opener.setInView(id);
    expect(runningIds()).toEqual(['small']);
  });

  test('wait until they are proven: no act opens a file that is not among the folder’s', () => {
    opener.setInView('a');
    opener.setFolder(new Map());
    opener.open('a');
    opener.retry('a');
    expect([runningIds(), streams]).toEqual([[], []]);
    opener.setFolder(new Map([fileOf('a')]));
    expect(runningIds()).toEqual(['a']);
  });

  test('stay in the cache while they are seen', () => {
    opener.setFolder(new Map([fileOf('a')]));
    cache.put('a', LISTED, openedOf('a'));
    opener.setInView('a');
    nowMs += 3_600_000;
    cache.sweep();
    expect(cache.peek('a', LISTED)).not.toBeNull();
    opener.setInView('a', false);
    nowMs += 3_600_000;
    cache.sweep();
    expect([cache.peek('a', LISTED), revoked]).toEqual([null, ['blob:a']]);
  });
});

describe('a click', () => {
  test('opens a large picture whole', async () => {
    opener.setFolder(new Map([fileOf('a', { proof: large })]));
    opener.open('a');
    opener.open('a');
    expect([runningIds(), streams.length]).toEqual([['a'], 0]);
    openingOf('a').request.onProgress?.({ phase: 'decrypting', percent: 40 });
    expect(activityOf(opener.store.get(), 'a')).toMatchObject({ phase: 'decrypting', percent: 40 });
    await openingOf('a').finish();
    expect(cache.peek('a', LISTED)).not.toBeNull();
  });

  const film = () => fileOf('film', { proof: large, name: 'film.webm', type: 'video/webm' });

  test('streams a large film, and shows it when a part turns out damaged', async () => {
    streamed = { ...openedOf('film'), blob: null, objectUrl: '/media/1' };
    opener.setFolder(new Map([film()]));
    opener.open('film');
    expect(activityOf(opener.store.get(), 'film').phase).toBe('processing');
    await settled();
    expect([runningIds(), cache.peek('film', LISTED)?.objectUrl]).toEqual([[], '/media/1']);
    streams[0]?.onFailure?.(new AppError('open.bad_hmac', { chunk: 9 }));
    expect(activityOf(opener.store.get(), 'film').error?.params.chunk).toBe(9);
    opener.retry('film');
    await settled();
    expect([revoked, streams.length, activityOf(opener.store.get(), 'film').error]).toEqual([['/media/1'], 2, null]);
  });

  test('opens a large film whole where nothing streams', async () => {
    opener.setFolder(new Map([film()]));
    opener.open('film');
    await settled();
    expect(runningIds()).toEqual(['film']);
  });

  test('tries a failed file again', async () => {
    opener.setFolder(new Map([fileOf('a')]));
    opener.open('a');
    await openingOf('a').fail(new TypeError('odd'));
    expect(activityOf(opener.store.get(), 'a').error?.code).toBe('open.failed');
    opener.retry('a');
    expect(runningIds()).toEqual(['a', 'a']);
  });
});

test('a file that is listed as another is opened again, and nothing of the first is shown', async () => {
  opener.setFolder(new Map([fileOf('a')]));
  opener.setInView('a');
  await openingOf('a').finish();
  opener.setFolder(new Map([fileOf('a', { listedAs: 'another' })]));
  expect(cache.peek('a', 'another')).toBeNull();
  expect(runningIds()).toEqual(['a', 'a']);
  await openings[1]?.finish();
  expect([cache.peek('a', LISTED), cache.peek('a', 'another')?.name]).toEqual([null, 'a']);
});

describe('a file is given up', () => {
  test('when it is not in the list any more, when it is listed as another, and when the page is left', () => {
    opener.setFolder(new Map([fileOf('a'), fileOf('b')]));
    opener.setInView('a');
    opener.setInView('b');
    opener.setFolder(new Map([fileOf('b')]));
    expect(openings.map(({ request }) => request.signal?.aborted)).toEqual([true, false]);
    const otherProof = { ...proof, header: 'another' };
    opener.setFolder(new Map([fileOf('b', { listedAs: 'another', proof: otherProof })]));
    expect(openings.map(({ request }) => request.signal?.aborted)).toEqual([true, true, false]);
    expect(openings[2]?.request.proof).toBe(otherProof);
    opener.stop();
    expect(openings[2]?.request.signal?.aborted).toBe(true);
  });

  test('and the address of a result that still arrives is revoked', async () => {
    opener.setFolder(new Map([fileOf('a')]));
    opener.setInView('a');
    opener.stop();
    await openingOf('a').finish();
    expect([revoked, cache.peek('a', LISTED)]).toEqual([['blob:a'], null]);
    expect(activityOf(opener.store.get(), 'a')).toMatchObject({ phase: 'none', error: null });
  });

  test('when the page is left: queued files are not opened either', async () => {
    opener.setFolder(new Map(['a', 'b', 'c', 'd'].map((id) => fileOf(id))));
    for (const id of ['a', 'b', 'c', 'd']) opener.setInView(id);
    opener.stop();
    for (const id of ['a', 'b']) await openingOf(id).fail(new Error('given up'));
    expect(runningIds()).toEqual(['a', 'b']);
  });
});

test('a file that a still shows is opened when it is looked at, and unasked once the still turned out to be none', async () => {
  opener.setFolder(new Map([fileOf('a', { hasStill: true })]));
  opener.setInView('a');
  expect(openings).toEqual([]);
  opener.setFolder(new Map([fileOf('a')]));
  expect(openings).toHaveLength(1);
});

test('on a slow line nothing is opened unasked', () => {
  savesData = true;
  opener.setFolder(new Map([fileOf('a')]));
  opener.setInView('a');
  expect(openings).toEqual([]);
  opener.open('a');
  expect(openings).toHaveLength(1);
});

describe('the viewer', () => {
  const hasStill = true;

  test('gives up a file that it left before it was open', () => {
    opener.setFolder(new Map([fileOf('a', { hasStill })]));
    opener.look('a');
    opener.open('a');
    opener.look(null);
    expect(openings[0]?.request.signal?.aborted).toBe(true);
  });

  test('has what it would show next opened ahead, but nothing large, and nothing on a slow line', async () => {
    opener.setFolder(
      new Map([fileOf('a', { hasStill }), fileOf('b', { hasStill }), fileOf('large', { proof: large })]),
    );
    opener.look('a');
    opener.open('a');
    await openingOf('a').finish();
    opener.look('a', ['b', 'large']);
    expect(runningIds()).toEqual(['a', 'b']);
    savesData = true;
    opener.look('b', ['a', 'large']);
    expect(runningIds()).toEqual(['a', 'b']);
  });

  test('moves on to the file that is being opened ahead, and its opening continues', () => {
    opener.setFolder(new Map(['a', 'b', 'c'].map((id) => fileOf(id, { hasStill }))));
    opener.look('a', ['b', 'c']);
    opener.look('b');
    opener.open('b');
    expect(openings.map(({ request }) => [request.entry.id, request.signal?.aborted])).toEqual([
      ['b', false],
      ['c', true],
    ]);
  });

  test('leaves to a card in view what that opens anyway', () => {
    opener.setFolder(new Map([fileOf('a')]));
    opener.setInView('a');
    opener.look('a');
    opener.look(null);
    expect(openings.at(-1)?.request.signal?.aborted).toBe(false);
  });
});

test('a file that opens itself is opened on a click alone, and one that is read in ranges is never fetched whole', async () => {
  streamed = { ...openedOf('zip'), blob: null, objectUrl: null };
  const way = vi.mocked(openingWay);
  way.mockImplementation((name) => (name.endsWith('.zip') ? 'ranges' : 'itself'));
  opener.setFolder(new Map([fileOf('a.heic', { name: 'a.heic' }), fileOf('a.zip', { name: 'a.zip' })]));
  opener.setInView('a.heic');
  expect(openings).toEqual([]);
  opener.open('a.zip');
  await settled();
  expect([runningIds(), streams.length]).toEqual([[], 1]);
  opener.open('a.heic');
  expect(runningIds()).toEqual(['a.heic']);
  way.mockReset().mockReturnValue('whole');
});

test('a file that stands still says that it waits, and no longer once it moves', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const phase = () => activityOf(opener.store.get(), 'a').phase;
    opener.setFolder(new Map([fileOf('a')]));
    opener.open('a');
    await vi.advanceTimersByTimeAsync(19_000);
    expect(phase()).toBe('downloading');
    await vi.advanceTimersByTimeAsync(1000);
    expect(phase()).toBe('waiting');
    openingOf('a').request.onProgress?.({ phase: 'decrypting', percent: 5 });
    expect(phase()).toBe('decrypting');
    const finished = openingOf('a').finish();
    await vi.advanceTimersByTimeAsync(20_000);
    await finished;
    expect(phase()).toBe('none');
  } finally {
    vi.useRealTimers();
  }
});
