// @vitest-environment happy-dom

import type { FileEntry } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import { CHANGES_GATHER_MS } from '@satchel/contract/wire/folder-changes';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fileEntry, folderData, MIKA } from '../../../../test/answers.ts';
import { queryClient } from '../../../account/session/query-client.ts';
import type { Looking } from '../../../engine/folders/live/follow-folder.ts';
import { ignoreNewsOf, noteOwnFile } from '../../../engine/folders/own-changes.ts';
import { uploadActivity } from '../../../engine/uploads/upload-activity.ts';
import { filesQueryKey } from '../../../features/files/files-query-key.ts';
import { folderQueryKey } from '../../../features/folder/use-folder.ts';
import { politeAnnouncement } from '../../../lib/base/announce.ts';
import { coalesce } from '../../../lib/browser/coalesce.ts';
import { startLiveFolder } from './live-folder.ts';
import { OWN_EVERY_MS } from './use-live-folder.ts';

/** What an open page reads and says when its folder changes. That it is told at all is tests/e2e/live-folder. */

const told: Looking = vi.hoisted(() => ({ look: () => {}, lookedAtMs: () => 0 }));
vi.mock('../../../engine/folders/live/follow-folder.ts', async (original) => ({
  ...(await original<object>()),
  followFolder: (_slug: string, page: Looking) => {
    Object.assign(told, page);
    return () => {};
  },
}));

const data = folderData(MIKA);
const place = { bucket: data.folder_bucket, storagePath: data.folder_bucket_storage_path };
const queryKey = filesQueryKey(data.folder_id);
let stored: FileEntry[];
/** What each reading of the list asked for: a number of the newest files, the end of the list, or all. */
let readings: (number | 'end' | 'whole')[];
/** How often the folder's facts were read. */
let facts: number;
let factsAtMs: number;
let isGone: boolean;
/** What happens between the answers of facts and files. */
let afterFacts: () => void;
/** How often this page read what it uploads. */
let ownReadings: number;
const own = coalesce(() => {
  ownReadings += 1;
  queryClient.setQueryData(queryKey, byTime());
}, OWN_EVERY_MS);
let live: ReturnType<typeof startLiveFolder>;

const shown = () => queryClient.getQueryData<FileEntry[]>(queryKey) ?? [];
const said = () => politeAnnouncement.get()?.text;
let time = 0;
const nextTime = () => new Date(Date.parse('2030-01-01') + ++time).toISOString();
const newFile = (name: string): FileEntry => ({ ...fileEntry(name), created_at: nextTime(), updated_at: nextTime() });
const arrive = (name: string) => void stored.push(newFile(name));
const vanish = (name: string) => void stored.splice(stored.findIndex((entry) => entry.name === name) >>> 0, 1);
const byTime = () => stored.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));

/** A change is told of, read and drawn. */
async function change(expected: number): Promise<void> {
  told.look();
  await vi.waitFor(() => expect(shown()).toHaveLength(expected), WAIT_MS);
  live.drawn(shown().map((entry) => ({ entry })));
}

/** The server says that the folder is gone. */
async function gone(): Promise<boolean> {
  const queryFn = () => Promise.reject(new AppError('folder.not_found'));
  const queryKey = folderQueryKey(data.folder_slug);
  await queryClient.fetchQuery({ queryKey, queryFn, retry: false }).catch(() => undefined);
  return false;
}

const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

function open(files: number): void {
  stored = Array.from({ length: files }, (_, at) => newFile(`file ${at}`));
  queryClient.setQueryData(queryKey, [...stored]);
  live = startLiveFolder({ folderId: data.folder_id, slug: data.folder_slug, ...place }, () => ({
    receivedAtMs: factsAtMs,
    async onChanged() {
      facts += 1;
      if (isGone) return gone();
      const folder_size_bytes = stored.reduce((sum, { metadata }) => sum + metadata.size, 0);
      queryClient.setQueryData(folderQueryKey(data.folder_slug), { ...data, folder_size_bytes });
      afterFacts();
      return true;
    },
    readOwn: own.run,
    files: {
      files: shown().map((entry) => ({ entry })),
      async reload() {
        readings.push('whole');
        queryClient.setQueryData(queryKey, byTime());
      },
    },
  }));
}

beforeEach(() => {
  [readings, facts, factsAtMs, isGone, ownReadings] = [[], 0, 0, false, 0];
  afterFacts = () => {};
  politeAnnouncement.set(null);
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { limit, offset, sortBy } = JSON.parse(body);
    readings.push(sortBy.column === 'created_at' ? 'end' : limit);
    const newest = () => stored.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
    return Response.json((sortBy.order === 'asc' ? byTime() : newest()).slice(offset, offset + limit));
  });
});
afterEach(() => {
  live.stop();
  own.stop();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
  uploadActivity.set([]);
  queryClient.clear();
});

test('a change that is later than the document of the first folder counts as missing in its list', () => {
  factsAtMs = Date.now();
  open(1);
  expect(told.lookedAtMs()).toBe(performance.timeOrigin);
});

test('a change that is later than the list counts as missing in it, though the facts are newer', () => {
  open(1);
  const listedAtMs = queryClient.getQueryState(queryKey)!.dataUpdatedAt;
  factsAtMs = listedAtMs + 1500;
  expect(told.lookedAtMs()).toBe(listedAtMs);
  factsAtMs = listedAtMs - 1500;
  expect(told.lookedAtMs()).toBe(factsAtMs);
});

test('files that others add are announced, and not those that this page has uploaded', async () => {
  open(1);
  noteOwnFile('mine');
  arrive('mine');
  await change(2);
  expect(said()).toBeUndefined();
  arrive('theirs');
  await change(3);
  expect(said()).toBe('The folder has changed: 3 files now');
});

test('of a large folder one change is read by one short request, and a deletion by the whole list', async () => {
  open(2000);
  arrive('new');
  await change(2001);
  expect(readings).toEqual([25]);
  live.stop();
  open(2000);
  stored.splice(7, 1);
  await change(1999);
  expect(readings).toEqual([25, 25, 'end', 'whole']);
});

test('of a large folder no whole list is read when files arrive between the answers', async () => {
  open(2000);
  arrive('new');
  afterFacts = () => arrive('later');
  await change(2002);
  await vi.waitFor(() => expect(readings).toEqual([25, 'end']), WAIT_MS);
});

test('of a folder that is gone no list is read, and of one that this page itself changes nothing', async () => {
  open(1);
  const hearNewsAgain = ignoreNewsOf(data.folder_id);
  told.look();
  await settled();
  expect([facts, readings]).toEqual([0, []]);
  hearNewsAgain();
  isGone = true;
  told.look();
  await settled();
  expect([facts, readings]).toEqual([1, []]);
});

test('a whole list that is due while this page changes the folder is read after that', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  open(2000);
  stored.splice(7, 1);
  told.look();
  await vi.advanceTimersByTimeAsync(1);
  expect(readings).toEqual([25, 'end']);
  const hearNewsAgain = ignoreNewsOf(data.folder_id);
  await vi.advanceTimersByTimeAsync(5000);
  expect([shown().length, readings]).toEqual([2000, [25, 'end']]);
  hearNewsAgain();
  await vi.advanceTimersByTimeAsync(2000);
  expect(shown()).toHaveLength(1999);
});

/** A page may wait so long, all together: the answers take their time, too. */
const WAITS_MAX_MS = 2000;
/** Two nodes gather changes, one after the other. */
const TOLD_MS = 2 * CHANGES_GATHER_MS;
const STEP_MS = 10;

/** The folder's changes are told to the page as late as they may be, and each wait of the page is its longest. */
async function clock() {
  const { createLooker } = await vi.importActual<typeof import('../../../engine/folders/live/follow-folder.ts')>(
    '../../../engine/folders/live/follow-folder.ts',
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.9999);
  const looker = createLooker({ ...told, lookedAtMs: Date.now });
  const hear = (version: number) => looker.hear({ slug: data.folder_slug, version: `a.${version}`, age_ms: 60_000 });
  hear(0);
  let version = 0;
  return {
    happen(act: () => void) {
      act();
      setTimeout(() => hear(++version), TOLD_MS);
    },
    /** @returns how long it takes until it is so, at most `limitMs` */
    async until(isSo: () => boolean, limitMs = 60_000): Promise<number> {
      for (let ms = 0; ; ms += STEP_MS) {
        if (isSo() || ms >= limitMs) return ms;
        await vi.advanceTimersByTimeAsync(STEP_MS);
        await new Promise(setImmediate);
      }
    },
  };
}

const has = (name: string) => shown().some((entry) => entry.name === name);

test.each([
  [30, 1],
  [2000, 1],
])('a file that is replaced in a folder of %i files shows so within two seconds', async (count, wholes) => {
  open(count);
  const { happen, until } = await clock();
  happen(() => arrive('new'));
  expect(await until(() => has('new'))).toBeLessThan(WAITS_MAX_MS);
  happen(() => vanish('file 7'));
  expect(await until(() => !has('file 7'))).toBeLessThan(WAITS_MAX_MS);
  expect(readings.filter((reading) => reading === 'whole')).toHaveLength(wholes);
});

test('of many deletions in a large folder each shows within two seconds, and few have the whole list read', async () => {
  open(2000);
  const { happen, until } = await clock();
  const goneAtMs = new Map<string, number>();
  const waits: number[] = [];
  const see = () => {
    for (const [name, atMs] of goneAtMs) {
      if (has(name)) continue;
      waits.push(performance.now() - atMs);
      goneAtMs.delete(name);
    }
    return goneAtMs.size === 0;
  };
  for (let n = 0; n < 40; n++) {
    const name = `file ${n}`;
    happen(() => vanish(name));
    goneAtMs.set(name, performance.now());
    await until(() => see() && false, 100);
  }
  await until(see);
  expect(waits).toHaveLength(40);
  expect(Math.max(...waits)).toBeLessThan(WAITS_MAX_MS);
  expect(readings.filter((reading) => reading === 'whole').length).toBeLessThan(8);
});

const activity = { folderId: data.folder_id, slug: data.folder_slug, name: '', hash: '', files: 1, completed: 0 };
const rest = { failed: 0, percent: 0, isHeld: false, hasUnfinished: false, isShown: true };
const sending = () => uploadActivity.set([{ ...activity, ...rest, left: 1, isBusy: true }]);
const failed = () => uploadActivity.set([{ ...activity, ...rest, failed: 1, left: 0, isBusy: false }]);

test('what changes elsewhere while this page uploads shows within two seconds, by few readings for many files', async () => {
  open(1);
  const { happen, until } = await clock();
  sending();
  happen(() => arrive('theirs'));
  expect(await until(() => has('theirs'))).toBeLessThan(WAITS_MAX_MS);
  for (let n = 0; n < 60; n++) {
    happen(() => arrive(`mine ${n}`));
    own.run();
    await until(() => false, 100);
  }
  expect(ownReadings).toBeLessThan(7);
  happen(() => vanish('theirs'));
  expect(await until(() => !has('theirs'))).toBeLessThan(WAITS_MAX_MS);
  expect([facts, readings]).toEqual([0, []]);
});

test('what changed elsewhere while this page uploaded is read once more afterwards, also when its upload failed', async () => {
  open(1);
  const { happen, until } = await clock();
  sending();
  happen(() => arrive('theirs'));
  await until(() => has('theirs'));
  expect([facts, ownReadings]).toEqual([0, 1]);
  failed();
  await until(() => facts > 0 && readings.length > 0);
  expect([facts, readings]).toEqual([1, [25]]);
});
