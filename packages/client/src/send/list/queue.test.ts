import { AppError } from '@satchel/contract/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UploadEvent } from '../order.ts';
import {
  countIn,
  countItems,
  countToUpload,
  EMPTY_QUEUE,
  isBusy,
  mayStart,
  NONE_SKIPPED,
  newItem,
  overallPercent,
  pendingBytes,
  percentOf,
  type QueueAction,
  type QueueState,
  queueReducer,
  remainingBytes,
  totalBytes,
} from './queue.ts';

const NOW_MS = 1000;
const failure = new AppError('upload.chunk_failed', { status: 500, statusText: 'Internal Server Error' });
const itemOf = (id: string, sizeBytes = 100, sealed = true) =>
  newItem(
    id,
    { file: new File([new Uint8Array(sizeBytes)], 'x.bin', { type: 'a/b' }), name: `${id}.bin`, path: `d/${id}.bin` },
    sealed,
  );

const run = (state: QueueState, ...actions: QueueAction[]) => actions.reduce(queueReducer, state);
const add = (...ids: string[]): QueueAction => ({
  type: 'added',
  items: ids.map((id) => itemOf(id)),
  rejected: [],
  skipped: NONE_SKIPPED,
});
const told = (id: string, event: UploadEvent): QueueAction => ({ type: 'told', id, event, nowMs: NOW_MS });
const progress = (bytesSealed: number, bytesUploaded: number, bytesTotal = 100): UploadEvent => ({
  type: 'progress',
  bytesSealed,
  bytesUploaded,
  bytesTotal,
});
const completed: UploadEvent = {
  type: 'completed',
  objectName: 'p/a.enc',
  fileUrl: '/f',

  header: null,
};
const START: QueueAction = { type: 'started' };
const on = (type: 'launched' | 'paused' | 'resumed' | 'removed', id = 'a'): QueueAction => ({ type, id });
const retried: QueueAction = { type: 'retried', ids: ['a'] };
const item = (state: QueueState, id = 'a') => state.items.find((one) => one.id === id);

const pending = run(EMPTY_QUEUE, add('a'));
const queued = run(pending, START);
const encrypting = run(queued, on('launched'), told('a', progress(30, 10)));
const uploading = run(encrypting, told('a', progress(100, 60)));
const paused = run(uploading, on('paused'));
const failed = run(uploading, told('a', { type: 'error', error: failure }));
const done = run(uploading, told('a', completed));
const STATES = { pending, queued, encrypting, uploading, paused, failed, done };

describe('from pending to completed', () => {
  test('a file enters as pending, with what is shown of it', () => {
    expect(item(pending)).toMatchObject({
      name: 'a.bin',
      sizeBytes: 100,
      mimeType: 'a/b',
      status: 'pending',
      queued: false,
      percent: 0,
    });
  });

  test('"Upload N files" starts all pending ones, which wait for their turn', () => {
    const state = run(EMPTY_QUEUE, add('a', 'b', 'c'), START);
    expect(state.items.map((one) => [one.status, one.queued])).toEqual(Array(3).fill(['pending', true]));
    expect(isBusy(state)).toBe(true);
  });

  test('it does nothing while uploading, or with nothing pending', () => {
    expect(mayStart(pending)).toBe(true);
    const later = run(uploading, add('b'));
    expect(mayStart(later)).toBe(false);
    expect(run(later, START)).toBe(later);
    expect(mayStart(done)).toBe(false);
    expect(mayStart(run(failed, add('b')))).toBe(true);
  });

  test('a sealed file is encrypting up to 50 percent, uploading from then on', () => {
    expect(item(encrypting)).toMatchObject({ status: 'encrypting', percent: 20 });
    const half = run(encrypting, told('a', progress(100, 0)));
    expect(item(half)).toMatchObject({ status: 'encrypting', percent: 50 });
    expect(item(run(half, told('a', progress(100, 1))))?.status).toBe('uploading');
    expect(item(uploading)).toMatchObject({ status: 'uploading', percent: 80, bytesUploaded: 60, bytesTotal: 100 });
  });

  test('a plain file is uploading from the start, and its percent is what was sent', () => {
    const plain = run(
      EMPTY_QUEUE,
      { type: 'added', items: [itemOf('a', 100, false)], rejected: [], skipped: NONE_SKIPPED },
      START,
    );
    const started = run(plain, on('launched'));
    expect(item(started)?.status).toBe('uploading');
    expect(item(run(started, told('a', progress(30, 10))))).toMatchObject({ status: 'uploading', percent: 10 });
  });

  test('a file that an earlier page began shows its progress, until it resumes', () => {
    const known = run(pending, { type: 'recognised', percents: new Map([['a', 62]]) });
    expect(item(known)?.resumesAtPercent).toBe(62);
    expect(run(uploading, { type: 'recognised', percents: new Map([['a', 62]]) })).toEqual(uploading);
  });

  test('a completed file has its address and all its percent', () => {
    expect(item(done)).toMatchObject({ status: 'completed', percent: 100, bytesUploaded: 100, fileUrl: '/f' });
    expect(isBusy(done)).toBe(false);
  });

  test('an error is kept with its message, and ends the file’s turn', () => {
    expect(item(failed)).toMatchObject({ status: 'error', error: failure, retryAtMs: null });
    expect(isBusy(failed)).toBe(false);
  });
});

describe('pausing', () => {
  test('holds what is being sent, with its percent', () => {
    expect(item(paused)).toMatchObject({ status: 'paused', percent: 80, queued: false });
    expect(item(run(encrypting, on('paused')))?.status).toBe('paused');
    expect(isBusy(paused)).toBe(false);
  });

  test('is not offered without a running upload', () => {
    for (const state of [pending, queued, failed, done]) expect(run(state, on('paused'))).toEqual(state);
  });

  test('releases a worker; resuming waits for one', () => {
    const state = run(EMPTY_QUEUE, add('a', 'b'), START, on('launched', 'a'), on('paused', 'a'), on('launched', 'b'));
    const asked = run(state, on('resumed', 'a'));
    expect(item(asked)).toMatchObject({ status: 'paused', queued: true });
    const free = run(asked, told('b', completed));
    expect(item(run(free, on('launched', 'a')))).toMatchObject({ status: 'encrypting', queued: false });
  });

  test('resumes where it was', () => {
    const resumed = run(paused, on('resumed'), on('launched'));
    expect(item(resumed)).toMatchObject({ status: 'uploading', percent: 80 });
  });

  test('can be asked again before going on has begun', () => {
    expect(item(run(paused, on('resumed'), on('paused')))).toMatchObject({ status: 'paused', queued: false });
  });

  test('late events of a paused file change only what the server has of it, and its end', () => {
    expect(item(run(paused, told('a', progress(100, 70))))).toEqual({ ...item(paused), bytesUploaded: 70 });
    expect(run(paused, told('a', { type: 'retry', attempt: 1, delayMs: 5, cause: 'server' })).items).toEqual(
      paused.items,
    );
    expect(item(run(paused, told('a', completed)))?.status).toBe('completed');
  });

  test('only a paused file is resumed', () => {
    for (const state of [pending, queued, uploading, failed, done]) expect(run(state, on('resumed'))).toEqual(state);
  });
});

describe('trouble on the way', () => {
  const retrying = run(uploading, told('a', { type: 'retry', attempt: 2, delayMs: 3000, cause: 'server' }));

  test('a retry shows its number and when it begins, until bytes move again', () => {
    expect(item(retrying)).toMatchObject({ status: 'uploading', attempt: 2, retryAtMs: NOW_MS + 3000 });
    const stuck = run(retrying, told('a', progress(100, 50)));
    expect(item(stuck)).toMatchObject({ attempt: 2, percent: 80 });
    expect(item(run(stuck, told('a', progress(100, 51))))).toMatchObject({ attempt: 0, retryAtMs: null });
  });

  test('percent never falls when bytes have to be sent again', () => {
    expect(item(run(uploading, told('a', progress(100, 5))))).toMatchObject({ percent: 80, bytesUploaded: 5 });
  });

  test('being offline shows, until bytes move again', () => {
    const offline = run(retrying, told('a', { type: 'offline' }));
    expect(item(offline)).toMatchObject({ offline: true, retryAtMs: null });
    expect(item(run(offline, told('a', progress(100, 61))))?.offline).toBe(false);
  });

  test('checking shows, and what was sent by an earlier page does not count for the speed', () => {
    const checking = run(queued, on('launched'), told('a', { type: 'checking', isChecking: true }));
    const checked = run(checking, told('a', progress(0, 0)), told('a', progress(60, 60)));
    expect(item(checked)).toMatchObject({ checking: true, percent: 60 });
    expect(checked.sentBytes).toBe(0);
    const sending = run(checked, told('a', { type: 'checking', isChecking: false }), told('a', progress(70, 65)));
    expect(item(sending)?.checking).toBe(false);
    expect(sending.sentBytes).toBe(5);
  });

  test('beginning afresh begins at nought', () => {
    const afresh = run(uploading, told('a', { type: 'afresh' }));
    expect(item(afresh)).toMatchObject({ percent: 0, bytesUploaded: 0 });
    expect(item(run(afresh, told('a', progress(10, 0, 110))))).toMatchObject({ status: 'encrypting' });
  });

  test('a failed file is tried again from the start of the queue’s own states', () => {
    const again = run(failed, retried);
    expect(item(again)).toMatchObject({ status: 'pending', queued: true, error: null, percent: 0 });
    for (const state of [pending, uploading, paused, done]) expect(run(state, retried)).toEqual(state);
  });
});

describe('leaving the queue', () => {
  test('a file can be removed in any status', () => {
    for (const state of Object.values(STATES)) expect(run(state, on('removed')).items).toEqual([]);
  });

  test('"Clear All" and signing out empty the queue, and forget no byte that was sent', () => {
    for (const state of Object.values(STATES))
      expect(run(state, { type: 'cleared' })).toEqual({ ...EMPTY_QUEUE, sentBytes: state.sentBytes });
  });

  test('late events of a removed file change nothing', () => {
    expect(run(EMPTY_QUEUE, told('a', progress(1, 1)), told('a', completed), on('launched'))).toEqual(EMPTY_QUEUE);
  });

  test('files that were not taken are listed until they are dismissed', () => {
    const rejected = [{ name: 'big.iso', error: new AppError('upload.too_large', { sizeBytes: 2, maxBytes: 1 }) }];
    const skipped = {
      leftOut: ['.DS_Store'],
      unreadable: [],
      repeated: ['a.bin'],
      there: ['b.bin'],
      numbered: ['b (2).bin'],
    };
    const state = run(pending, { type: 'added', items: [], rejected, skipped });
    expect(state.rejected).toEqual(rejected);
    expect(state.items).toEqual(pending.items);
    expect(state.skipped).toEqual(skipped);
    expect(run(state, { type: 'notes_dismissed' })).toEqual(pending);
  });

  test('files that are there already count once, however often they are chosen', () => {
    const choice = (...there: string[]): QueueAction => ({
      type: 'added',
      items: [],
      rejected: [],
      skipped: { ...NONE_SKIPPED, there },
    });
    const state = run(EMPTY_QUEUE, choice('Trip/a', 'Trip/b'), choice('Trip/a', 'a', 'Trip/b'));
    expect(state.skipped.there).toEqual(['Trip/a', 'Trip/b', 'a']);
  });
});

describe('a photo without its metadata', () => {
  const stripped = (stripping: 'stripped' | 'unreadable', sizeBytes: number): UploadEvent => ({
    type: 'stripping',
    stripping,
    sizeBytes,
  });

  test('has the size that is sent, and its own again when it is tried again', () => {
    const sending = run(queued, on('launched'), told('a', stripped('stripped', 60)));
    expect(item(sending)).toMatchObject({ stripping: 'stripped', sizeBytes: 60 });
    const again = run(sending, told('a', { type: 'error', error: failure }), retried);
    expect(item(again)).toMatchObject({ stripping: null, sizeBytes: 100 });
  });

  test('that could not be read is remembered as such once it is there', () => {
    const sending = run(queued, on('launched'), told('a', stripped('unreadable', 100)), told('a', completed));
    expect(item(sending)).toMatchObject({ stripping: 'unreadable', status: 'completed' });
  });
});

test('a file that another one has replaced is no longer in the folder', () => {
  const fileUrl = 'https://satchel.example/storage/v1/object/public/b/p/stored%20a';
  const first = run(EMPTY_QUEUE, add('a', 'b'), told('a', { ...completed, fileUrl }), told('b', completed));
  const next = { ...itemOf('c'), replaces: 'stored a' };
  const added = run(first, { type: 'added', items: [next], rejected: [], skipped: NONE_SKIPPED });
  expect(countIn(added.items)).toBe(2);
  expect(countIn(run(added, told('c', completed)).items)).toBe(2);
});

describe('the whole queue', () => {
  const both = run(
    EMPTY_QUEUE,
    { type: 'added', items: [itemOf('a', 100), itemOf('b', 300, false)], rejected: [], skipped: NONE_SKIPPED },
    START,
    on('launched', 'a'),
    on('launched', 'b'),
  );

  test('counts its files by status', () => {
    expect(countItems(both)).toEqual({ pending: 0, encrypting: 1, uploading: 1, completed: 0, error: 0, paused: 0 });
  });

  test.each([
    ['what it starts', run(EMPTY_QUEUE, add('a', 'b')), 2],
    ['what it starts, not what is paused', run(paused, add('b', 'c')), 2],
    ['all that is sent or waits', run(both, add('c')), 3],
    ['what is paused', paused, 1],
    ['no file that is in', run(both, told('a', completed)), 1],
    ['no file that failed', failed, 0],
  ])('Upload N files counts %s', (_, state, count) => {
    expect(countToUpload(state)).toBe(count);
  });

  test('weighs each file’s percent by its size', () => {
    const state = run(both, told('a', completed), told('b', progress(0, 150, 300)));
    expect(totalBytes(state)).toBe(400);
    expect(overallPercent(state)).toBe((100 * 100 + 50 * 300) / 400);
    expect(overallPercent(EMPTY_QUEUE)).toBe(0);
    const empties = { ...state, items: state.items.map((item) => ({ ...item, sizeBytes: 0 })) };
    expect(overallPercent(empties)).toBe((100 + 50) / 2);
  });

  test('knows what has not been started', () => {
    expect(pendingBytes(run(both, add('c', 'd')))).toBe(200);
    expect(pendingBytes(both)).toBe(0);
  });

  test('knows what is left to send', () => {
    expect(remainingBytes(both)).toBe(400);
    expect(remainingBytes(run(both, told('b', progress(0, 100, 300))))).toBe(300);
    expect(remainingBytes(run(both, on('paused', 'b')))).toBe(100);
  });

  test('what small files have yet to send counts what sealing adds, once one of them tells', () => {
    const three = run(EMPTY_QUEUE, add('a', 'b', 'c'), START, on('launched', 'a'));
    expect(remainingBytes(three)).toBe(300);
    const one = run(three, told('a', progress(450, 450, 450)), told('a', completed), on('launched', 'b'));
    expect(remainingBytes(one)).toBe(900);
    // A large file has more chunks, which says nothing of the small ones.
    expect(remainingBytes(run(one, told('b', progress(0, 0, 9000))))).toBe(9000 + 450);
  });

  test('percent rises with sealing and sending, and ends at 100', () => {
    const step = fc.record({ seal: fc.nat(3), send: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(step), fc.boolean(), (steps, sealed) => {
        let [bytesSealed, bytesUploaded, before] = [0, 0, 0];
        for (const { seal, send } of steps) {
          bytesSealed = Math.min(50, bytesSealed + seal);
          bytesUploaded = Math.min(bytesSealed, bytesUploaded + send);
          const event = { type: 'progress', bytesSealed, bytesUploaded, bytesTotal: 50 } as const;
          const percent = percentOf(sealed, event);
          expect(percent).toBeGreaterThanOrEqual(before);
          before = percent;
        }
        expect(before).toBeLessThanOrEqual(100);
      }),
    );
    expect(percentOf(true, { type: 'progress', bytesSealed: 50, bytesUploaded: 50, bytesTotal: 50 })).toBe(100);
  });
});
