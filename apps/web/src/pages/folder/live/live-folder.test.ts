// @vitest-environment happy-dom
import type { FileEntry } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fileEntry, folderData, MIKA } from '../../../../test/answers.ts';
import { queryClient } from '../../../account/session/query-client.ts';
import { filesQueryKey } from '../../../engine/files/list-files.ts';
import { deletedHere } from '../../../engine/folders/deleted-here.ts';
import { ownNames } from '../../../engine/uploads/own-names.ts';
import { uploadActivity } from '../../../engine/uploads/upload-activity.ts';
import { folderQueryKey } from '../../../features/folder/use-folder.ts';
import { politeAnnouncement } from '../../../lib/base/announce.ts';
import { startLiveFolder } from './live-folder.ts';

/** What an open page reads and says when its folder changes. That it is told at all is tests/e2e/live-folder. */

const told = vi.hoisted(() => ({ look: () => {}, lookedAtMs: () => 0 }));
vi.mock('../../../engine/folders/live/follow-folder.ts', () => ({
  followFolder: (_slug: string, page: typeof told) => {
    Object.assign(told, page);
    return () => {};
  },
}));

const data = folderData(MIKA);
const place = { bucket: data.folder_bucket, storagePath: data.folder_bucket_storage_path };
const queryKey = filesQueryKey(data.folder_id);
let stored: FileEntry[];
/** How many files each reading asked for; the whole list without a number. */
let readings: (number | 'whole')[];
/** How often the folder's facts were read. */
let facts: number;
let factsAtMs: number;
let isGone: boolean;
let live: ReturnType<typeof startLiveFolder>;

const shown = () => queryClient.getQueryData<FileEntry[]>(queryKey) ?? [];
const said = () => politeAnnouncement.get()?.text;
const arrive = (name: string) =>
  stored.push({ ...fileEntry(name), updated_at: new Date(Date.now() + stored.length).toISOString() });

/** A change is told of, read and drawn. */
async function change(expected: number): Promise<void> {
  told.look();
  await vi.waitFor(() => expect(shown()).toHaveLength(expected));
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
  stored = Array.from({ length: files }, (_, at) => fileEntry(`file ${at}`));
  queryClient.setQueryData(queryKey, [...stored]);
  live = startLiveFolder({ folderId: data.folder_id, slug: data.folder_slug, ...place }, () => ({
    receivedAtMs: factsAtMs,
    async onChanged() {
      facts += 1;
      if (isGone) return gone();
      const folder_size_bytes = stored.reduce((sum, { metadata }) => sum + metadata.size, 0);
      queryClient.setQueryData(folderQueryKey(data.folder_slug), { ...data, folder_size_bytes });
      return true;
    },
    files: {
      files: shown().map((entry) => ({ entry })),
      async reload() {
        readings.push('whole');
        queryClient.setQueryData(queryKey, [...stored]);
      },
    },
  }));
}

beforeEach(() => {
  [readings, facts, factsAtMs, isGone] = [[], 0, 0, false];
  politeAnnouncement.set(null);
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { limit } = JSON.parse(body);
    readings.push(limit);
    return Response.json(stored.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1)).slice(0, limit));
  });
});
afterEach(() => {
  live.stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  deletedHere.clear();
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
  ownNames.add('mine');
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
  expect(readings).toEqual([25, 25, 'whole']);
});

test('of a folder that is gone no list is read, and of one that this page deletes nothing', async () => {
  open(1);
  deletedHere.add(data.folder_id);
  told.look();
  await settled();
  expect([facts, readings]).toEqual([0, []]);
  deletedHere.clear();
  isGone = true;
  told.look();
  await settled();
  expect([facts, readings]).toEqual([1, []]);
});

test('what changed elsewhere while this page uploaded is read afterwards, also when its upload failed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  open(1);
  const activity = { folderId: data.folder_id, slug: data.folder_slug, name: '', hash: '', files: 1, completed: 0 };
  const rest = { failed: 0, left: 1, percent: 0, isHeld: false, hasUnfinished: false, isShown: true };
  uploadActivity.set([{ ...activity, ...rest, isBusy: true }]);
  arrive('theirs');
  told.look();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(facts).toBe(0);
  uploadActivity.set([{ ...activity, ...rest, failed: 1, left: 0, isBusy: false }]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(shown()).toHaveLength(2);
  expect([facts, readings]).toEqual([1, [25]]);
});
