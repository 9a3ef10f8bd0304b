import { decodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { type BoundLabel, hashHeader, openLabel, sealLabel, sealName } from '@satchel/container/label';
import { AppError } from '@satchel/contract/errors';
import { displayName, isSealedName, storedAtMs } from '@satchel/contract/naming';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryLocks, memoryLog } from '../testing/stores.ts';
import { createWindowMaker } from './bytes/window-maker.ts';
import { identify } from './identity.ts';
import { findJob, type Job, type JobDeps, newJob } from './job.ts';
import { SMALL_FILE_BYTES, type UploadFolder, type UploadOrder } from './order.ts';
import type { HoldLock, UploadEntry, UploadLog } from './ports.ts';

const HOUR_MS = 3_600_000;
const keys = await importKeys(newFolderKey());
/** More than a small file, which has no log. */
const LARGE = new Uint8Array(SMALL_FILE_BYTES);
const file = new File([LARGE, 'twelve bytes'], 'Holiday plan.PDF', { type: 'application/pdf', lastModified: 1 });

const folderOf = (over: Partial<UploadFolder> = {}): UploadFolder => ({
  id: 'folder',
  slug: 'slug',
  bucket: 'unlocked-folders',
  bucket_storage_path: 'path',
  hide_names: true,
  link_mode: 'private',
  expires_at: new Date(Date.now() + HOUR_MS).toISOString(),
  ...over,
});
const orderOf = (over: Partial<UploadOrder> = {}): UploadOrder => ({
  file,
  strips: true,
  name: 'Holiday plan.PDF',
  path: 'Holiday plan.PDF',
  folder: folderOf(),
  keys,
  userId: 'mika',
  ...over,
});

let log: UploadLog;
let hold: HoldLock;
let terminated: string[];
let isServerThere: boolean;
let open: Job[];
const depsOf = (order: UploadOrder, withLog: UploadLog | null = log): JobDeps => ({
  order,
  log: withLog,
  hold: (name) => hold(name),
  createMaker: (ingredients) => createWindowMaker(ingredients),
  onSealed: () => undefined,
  terminate: async (url) => {
    terminated.push(url);
    return isServerThere;
  },
});
const start = async (order: UploadOrder) => kept(await newJob(depsOf(order)));
const find = async (order: UploadOrder) => {
  const job = await findJob(depsOf(order));
  return job && kept(job);
};
const kept = (job: Job) => {
  open.push(job);
  return job;
};

/** A page that died: its log stays, its locks are free. */
const die = (job: Job): void => job.close();

/** Every byte of an upload. */
async function bytesOf({ windows }: Job): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < windows.size; at = windows.endOf(at)) parts.push(await windows.make(at));
  return new Blob(parts);
}

async function startedUpload(order = orderOf()): Promise<Job> {
  const job = await start(order);
  await job.journal.setUrl(`https://satchel.example/${job.entry.id}`);
  await bytesOf(job);
  die(job);
  return job;
}

beforeEach(() => {
  log = memoryLog();
  hold = memoryLocks();
  terminated = [];
  isServerThere = true;
  open = [];
});
afterEach(() => {
  for (const job of open) job.close();
});

const labelIn = (job: Job) => openLabel(keys, job.entry.sealed!, tail(job));
const tail = (job: Job) => job.entry.objectName.slice('path/'.length);

describe('a new upload', () => {
  test('with hidden names says neither name nor type', async () => {
    const job = await start(orderOf());
    const { contentType, sealed, ...rest } = job.metadata;
    expect(rest).toEqual({ bucketName: 'unlocked-folders', objectName: job.entry.objectName, cacheControl: '3600' });
    expect(contentType).toBe('application/octet-stream');
    expect(await labelIn(job)).toMatchObject({ name: 'Holiday plan.PDF', type: 'application/pdf' });
    expect(sealed).toBe(job.entry.sealed);
    expect(tail(job)).toMatch(/^[A-Za-z0-9]{16}_\d{13}_[a-z0-9]{8}\.enc$/);
    const { header } = decodeHeader(job.entry.prefix!)!;
    expect(header).toMatchObject({ originalName: 'file', originalType: 'application/octet-stream' });
    expect(Buffer.from(job.entry.prefix!).toString()).not.toContain('Holiday');
  });

  test('of a small file that another tab is sending this moment is refused: it would be there twice', async () => {
    const order = orderOf({ file: new File([LARGE], 'note.txt', { lastModified: 1 }) });
    const job = await start(order);
    await expect(start(order)).rejects.toMatchObject({ code: 'upload.elsewhere' });
    die(job);
    expect((await start(order)).isSmall).toBe(true);
  });

  test('of a small file leaves nothing on this device', async () => {
    const small = new File([LARGE], 'note.txt', { lastModified: 1 });
    const job = await start(orderOf({ file: small }));
    await job.journal.setUrl('https://satchel.example/1');
    await bytesOf(job);
    expect(job.isSmall).toBe(true);
    expect(await log.list()).toEqual([]);
    expect(await log.readTags(job.entry.id)).toHaveLength(0);
    expect((await start(orderOf())).isSmall).toBe(false);
  });

  test('with readable names carries them', async () => {
    const job = await start(orderOf({ folder: folderOf({ hide_names: false }) }));
    expect(displayName(tail(job))).toBe('Holiday plan.PDF');
    expect(isSealedName(tail(job))).toBe(true);
    expect(job.metadata).toMatchObject({ contentType: 'application/pdf' });
    expect(await labelIn(job)).toMatchObject({ name: 'Holiday plan.PDF', type: 'application/pdf' });
    expect(decodeHeader(job.entry.prefix!)?.header.originalName).toBe('Holiday plan.PDF');
  });

  test('of a file in directories says them in its label alone', async () => {
    const job = await start(
      orderOf({ path: 'Trip/../day 1/Holiday plan.PDF', folder: folderOf({ hide_names: false }) }),
    );
    expect(await labelIn(job)).toMatchObject({ name: 'Holiday plan.PDF', directory: 'Trip/day 1' });
    const { sealed: _sealed, ...sent } = job.metadata;
    expect(JSON.stringify([sent, Buffer.from(job.entry.prefix!).toString()])).not.toContain('day 1');
  });

  test.each([true, false])(
    'has a label for its size, header and stored name (names hidden: %s)',
    async (hide_names) => {
      const job = await start(orderOf({ folder: folderOf({ hide_names }) }));
      expect(await labelIn(job)).toMatchObject({ sizeBytes: file.size, header: await hashHeader(job.entry.prefix!) });
      expect(job.metadata.sealed).toBe(job.entry.sealed);
      await expect(openLabel(keys, job.entry.sealed!, `x${tail(job)}`)).rejects.toMatchObject({ code: 'open.foreign' });
    },
  );

  test('in a plain folder is the file itself, with its extension last', async () => {
    const job = await start(orderOf({ folder: folderOf({ link_mode: 'plain' }), keys: null }));
    expect(tail(job)).toMatch(/^Holiday plan_\d{13}_[a-z0-9]{8}\.pdf$/);
    expect(job.entry).toMatchObject({ prefix: null, sealed: null, bytesTotal: file.size });
    expect(job.metadata).not.toHaveProperty('sealed');
    expect(await (await bytesOf(job)).text()).toBe(await file.text());
  });

  test('has the time at which it was chosen in its stored name, sealed or plain', async () => {
    const addedAtMs = 1_700_000_000_123;
    const plain = { folder: folderOf({ link_mode: 'plain' }), keys: null };
    for (const order of [orderOf({ addedAtMs }), orderOf({ addedAtMs, ...plain })])
      expect(storedAtMs(tail(await start(order)))).toBe(addedAtMs);
    expect(storedAtMs('notes.txt')).toBeNull();
  });

  test('never meets another one’s baseCounter or name', async () => {
    const [a, b] = [await start(orderOf()), await start(orderOf())];
    const counterOf = (job: Job) => decodeHeader(job.entry.prefix!)!.header.baseCounter.join();
    expect(counterOf(a)).not.toBe(counterOf(b));
    expect(a.entry.objectName).not.toBe(b.entry.objectName);
  });

  test('is in the log before anything is sent', async () => {
    const job = await start(orderOf());
    expect(await log.get(job.entry.id)).toEqual(job.entry);
  });

  test('is in the log though the browser aborted the first write of it', async () => {
    let tries = 0;
    const slow: UploadLog = {
      ...log,
      create(entry) {
        tries += 1;
        return tries === 1 ? Promise.reject(new DOMException('ended', 'AbortError')) : log.create(entry);
      },
    };
    const { entry } = kept(await newJob(depsOf(orderOf(), slow)));
    expect(await log.get(entry.id)).toEqual(entry);
  });

  test('does without a log where the browser has none', async () => {
    const job = kept(await newJob(depsOf(orderOf(), null)));
    expect((await bytesOf(job)).size).toBe(job.entry.bytesTotal);
  });

  test('is refused without a key', async () => {
    await expect(start(orderOf({ keys: null }))).rejects.toEqual(new AppError('key.needs_link'));
  });

  test('of an empty file is its container’s header alone, and its label says that it is empty', async () => {
    const job = await start(orderOf({ file: new File([], '__init__.py') }));
    expect(await job.windows.make(0)).toEqual(job.entry.prefix);
    expect(await labelIn(job)).toMatchObject({ sizeBytes: 0 });
  });
});

describe('the same file chosen again', () => {
  test('resumes with the same header and name, and makes the same bytes', async () => {
    const before = await startedUpload();
    const job = await find(orderOf());
    expect(job?.entry.prefix).toEqual(before.entry.prefix);
    expect(job?.entry.objectName).toBe(before.entry.objectName);
    // The ledger compares each chunk with its logged tag.
    expect(job && (await bytesOf(job)).size).toBe(before.entry.bytesTotal);
    expect(terminated).toEqual([]);
  });

  test('is left to the other tab that uploads it, and taken over once that tab is closed', async () => {
    const before = await startedUpload();
    const elsewhere = await hold(before.entry.id);
    await expect(find(orderOf())).rejects.toEqual(new AppError('upload.elsewhere'));
    expect(await log.get(before.entry.id)).not.toBeNull();
    elsewhere?.();
    expect((await find(orderOf()))?.entry.id).toBe(before.entry.id);
  });

  test('is no second upload when the other tab completes it this moment', async () => {
    const before = await startedUpload();
    const completedMeanwhile: UploadLog = {
      ...log,
      async find(place) {
        const found = await log.find(place);
        await log.remove(before.entry.id);
        return found;
      },
    };
    await expect(findJob(depsOf(orderOf(), completedMeanwhile))).rejects.toEqual(new AppError('upload.elsewhere'));
    expect(await find(orderOf())).toBeNull();
  });

  test('in another state is a new upload, beside another tab’s earlier one', async () => {
    const before = await startedUpload();
    const elsewhere = await hold(before.entry.id);
    const edited = new File(['thirteen bytes'], file.name, { type: file.type, lastModified: 2 });
    expect(await find(orderOf({ file: edited }))).toBeNull();
    expect(await log.get(before.entry.id)).not.toBeNull();
    elsewhere?.();
  });

  test('without its metadata is known by the file that was chosen, and starts again once the metadata is to stay', async () => {
    const chosen = new File([LARGE, 'place and camera', 'pixels'], 'photo.jpg', { lastModified: 1 });
    const bare = new File([chosen.slice(0, LARGE.length), 'pixels'], 'photo.jpg', { lastModified: 1 });
    const { entry } = await startedUpload(orderOf({ file: bare, chosen }));
    expect(entry.fingerprint).toBe(
      (await identify({ file: chosen, path: 'Holiday plan.PDF', userId: 'mika', folderId: 'folder' })).fingerprint,
    );
    const resumed = await find(orderOf({ file: bare, chosen }));
    expect(resumed?.entry.id).toBe(entry.id);
    resumed?.close();
    expect(await find(orderOf({ file: chosen, strips: false }))).toBeNull();
    expect(terminated).toEqual([resumed?.entry.url]);
  });

  test('is another one when it lay elsewhere below the chosen folder', async () => {
    await startedUpload(orderOf({ path: 'Summer/Holiday plan.PDF' }));
    expect(await find(orderOf({ path: 'Winter/Holiday plan.PDF' }))).toBeNull();
    expect(terminated).toEqual([]);
  });

  test('is new to another person, and in another folder', async () => {
    await startedUpload();
    expect(await find(orderOf({ userId: 'jonas' }))).toBeNull();
    expect(await find(orderOf({ folder: folderOf({ id: 'other' }) }))).toBeNull();
  });

  test.each<[string, (entry: UploadEntry) => Partial<UploadEntry>]>([
    ['with another size', ({ bytesTotal }) => ({ bytesTotal: bytesTotal + 1 })],
    ['with a header that can not be read', () => ({ prefix: new Uint8Array([1, 2, 3, 4, 5, 6]) })],
    ['of another folder path', () => ({ objectName: 'elsewhere/name.enc' })],
  ])('begins afresh after an upload %s, which is ended', async (_, over) => {
    const { entry } = await startedUpload();
    await log.remove(entry.id);
    const url = 'https://satchel.example/1';
    await log.create({ ...entry, url, ...over(entry) });
    expect(await find(orderOf())).toBeNull();
    expect(terminated).toEqual([url]);
    expect(await log.get(entry.id)).toBeNull();
  });

  test.each([
    [false, true],
    [true, false],
  ])('begins afresh when “Hide file names” is %s and was %s', async (now, before) => {
    await startedUpload(orderOf({ folder: folderOf({ hide_names: before }) }));
    expect(await find(orderOf({ folder: folderOf({ hide_names: now }) }))).toBeNull();
    expect(terminated).toHaveLength(1);
  });

  test('begins afresh when the folder has another key since: header, stored name and label are new', async () => {
    const { entry } = await startedUpload();
    const newer = orderOf({ keys: await importKeys(newFolderKey()) });
    expect(await find(newer)).toBeNull();
    expect(terminated).toEqual([`https://satchel.example/${entry.id}`]);
    const after = await start(newer);
    expect(after.entry.prefix).not.toEqual(entry.prefix);
    expect([after.entry.objectName, after.entry.sealed]).not.toContain(entry.objectName);
    await expect(openLabel(keys, after.entry.sealed!, tail(after))).rejects.toMatchObject({ code: 'open.foreign' });
  });

  test.each<[string, (label: BoundLabel, name: string) => Promise<string | null>]>([
    ['no label', async () => null],
    ['a name that was sealed alone', (label) => sealName(keys, label)],
    ['the label of another stored name', (label, name) => sealLabel(keys, label, `x${name}`)],
    ['the label of another header', (label, name) => sealLabel(keys, { ...label, header: 'x'.repeat(43) }, name)],
    ['the label of another size', (label, name) => sealLabel(keys, { ...label, sizeBytes: 13 }, name)],
  ])('begins afresh after an upload with %s', async (_, relabel) => {
    const job = await startedUpload();
    await log.remove(job.entry.id);
    const sealed = await relabel(await labelIn(job), tail(job));
    await log.create({ ...job.entry, url: 'https://satchel.example/1', sealed });
    expect(await find(orderOf())).toBeNull();
    expect(terminated).toEqual(['https://satchel.example/1']);
  });

  test('begins afresh after a change, and the upload of its earlier state is ended', async () => {
    const { entry } = await startedUpload();
    const edited = new File([LARGE, 'thirteen byte'], file.name, { type: file.type, lastModified: 2 });
    expect(await find(orderOf({ file: edited }))).toBeNull();
    expect(terminated).toEqual([`https://satchel.example/${entry.id}`]);
    expect(await log.get(entry.id)).toBeNull();
  });

  test('keeps the log of an upload that could not be terminated', async () => {
    const { entry } = await startedUpload(orderOf({ folder: folderOf({ hide_names: false }) }));
    isServerThere = false;
    expect(await find(orderOf())).toBeNull();
    expect(await log.get(entry.id)).not.toBeNull();
  });

  test('begins afresh when the server had not yet answered', async () => {
    die(await start(orderOf()));
    expect(await find(orderOf())).toBeNull();
    expect(terminated).toEqual([]);
  });
});
