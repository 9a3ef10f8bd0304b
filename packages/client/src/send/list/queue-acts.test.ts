import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { EMPTY_QUEUE, NONE_SKIPPED, newItem, type QueueAction, type QueueState, queueReducer } from './queue.ts';
import { nextTurn } from './turns.ts';

/** What a person does while files are under way. */

const file = (text: string) => new File([text], 'film.bin');
const add = (...ids: string[]): QueueAction => ({
  type: 'added',
  items: ids.map((id) => ({ ...newItem(id, { file: file(id), name: id, path: id }, true), sizeBytes: 2 ** 21 })),
  rejected: [],
  skipped: NONE_SKIPPED,
});
const START: QueueAction = { type: 'started' };
const launched = (id: string): QueueAction => ({ type: 'launched', id });
const told = (id: string, event: Extract<QueueAction, { type: 'told' }>['event']): QueueAction => ({
  type: 'told',
  id,
  event,
  nowMs: 1000,
});
const run = (...actions: QueueAction[]): QueueState => actions.reduce(queueReducer, EMPTY_QUEUE);
const next = (queue: QueueState) => nextTurn([{ folderId: 'a', queue, isHeld: false }], 1, null)?.item.id;

test('a file that is resumed while others are sent has the next turn', () => {
  const sending = [add('1', '2', '3'), START, launched('1'), { type: 'paused', id: '1' } as const, launched('2')];
  const resumed = run(...sending, { type: 'resumed', id: '1' });
  expect(next(resumed)).toBeUndefined();
  const done = queueReducer(resumed, told('2', { type: 'completed', fileUrl: '', objectName: '', header: null }));
  expect(next(done)).toBe('1');
});

test('without a line every file that is being sent waits for it, until bytes move again', () => {
  const lost = run(add('1', '2'), START, launched('1'), { type: 'line_lost' });
  expect(lost.items.map(({ offline }) => offline)).toEqual([true, false]);
  const back = told('1', { type: 'progress', bytesSealed: 9, bytesUploaded: 9, bytesTotal: 100 });
  expect(queueReducer(lost, back).items[0]?.offline).toBe(false);
});

test('a file that changed is replaced by what was chosen again, in its row, and starts again', () => {
  const error = new AppError('upload.changed_file');
  const failed = run(add('1', '2'), START, launched('1'), told('1', { type: 'error', error }));
  const again = file('as it is now');
  const { items } = queueReducer(failed, { type: 'retried', ids: ['1'], file: again });
  expect(items.map(({ id }) => id)).toEqual(['1', '2']);
  expect(items[0]).toMatchObject({ file: again, sizeBytes: again.size, status: 'pending', queued: true, error: null });
});

test('files that were found again begin beside those that are sent', () => {
  const found = run(add('1'), START, launched('1'), add('2', '3'), { type: 'found', path: '3' });
  expect(found.items.map(({ queued }) => queued)).toEqual([false, false, true]);
});
