import { describe, expect, test } from 'vitest';
import { EMPTY_QUEUE, NONE_SKIPPED, newItem, type QueueAction, type QueueState, queueReducer } from './queue.ts';
import { type Line, nextTurn } from './turns.ts';

const START: QueueAction = { type: 'started' };
const launched = (id: string): QueueAction => ({ type: 'launched', id });
const run = (...actions: QueueAction[]): QueueState => actions.reduce(queueReducer, EMPTY_QUEUE);
const MIB = 1024 ** 2;
/** Files of that size: just too large to be small, unless another one is given. */
const addOf = (sizeBytes: number, ...ids: string[]): QueueAction => ({
  type: 'added',
  items: ids.map((id) => ({ ...newItem(id, { file: new File(['x'], id), name: id, path: id }, true), sizeBytes })),
  rejected: [],
  skipped: NONE_SKIPPED,
});
const add = (...ids: string[]): QueueAction => addOf(MIB + 1, ...ids);
const line = (folderId: string, queue: QueueState, isHeld = false): Line => ({ folderId, queue, isHeld });
const namesOf = (turn: ReturnType<typeof nextTurn>) => turn && `${turn.folderId}/${turn.item.id}`;

/** Who is launched, in order, when nothing is ever done. */
function launchAll(lines: Line[], workersMax: number): (string | null)[] {
  const order: (string | null)[] = [];
  let last: string | null = null;
  for (let turn = nextTurn(lines, workersMax, last); turn; turn = nextTurn(lines, workersMax, last)) {
    order.push(namesOf(turn));
    const { folderId, item } = turn;
    last = folderId;
    lines = lines.map((one) =>
      one.folderId === folderId ? { ...one, queue: queueReducer(one.queue, launched(item.id)) } : one,
    );
  }
  return order;
}

describe('the next turn', () => {
  test('goes down one folder’s list, as far as there are workers', () => {
    expect(launchAll([line('a', run(add('1', '2', '3'), START))], 2)).toEqual(['a/1', 'a/2']);
  });

  test('comes when a file is done', () => {
    const both = run(add('1', '2', '3'), START, launched('1'), launched('2'));
    expect(nextTurn([line('a', both)], 2)).toBeNull();
    const event = { type: 'completed', objectName: 'o', fileUrl: '/f', header: null } as const;
    const one = queueReducer(both, { type: 'told', id: '2', event, nowMs: 0 });
    expect(namesOf(nextTurn([line('a', one)], 2))).toBe('a/3');
  });

  test('goes to the folder with the fewest under way', () => {
    const large = run(add('1', '2', '3', '4'), START, launched('1'), launched('2'));
    const small = run(add('5'), START);
    expect(namesOf(nextTurn([line('a', large), line('b', small)], 3, 'b'))).toBe('b/5');
  });

  test('alternates between folders, with one worker, too', () => {
    const lines = [line('a', run(add('1', '2', '3'), START)), line('b', run(add('4', '5', '6'), START))];
    expect(launchAll(lines, 4)).toEqual(['a/1', 'b/4', 'a/2', 'b/5']);
    expect(namesOf(nextTurn(lines, 1, 'a'))).toBe('b/4');
    expect(namesOf(nextTurn(lines, 1, 'b'))).toBe('a/1');
  });

  test('passes over a folder that waits for an answer, and one where nothing was started', () => {
    const lines = [line('a', run(add('1'), START), true), line('b', run(add('2'))), line('c', run(add('3'), START))];
    expect(launchAll(lines, 4)).toEqual(['c/3']);
  });

  test('goes to a paused file that is to continue, in its place on the list', () => {
    const paused = run(add('1', '2'), START, launched('1'), { type: 'paused', id: '1' });
    const resumed = queueReducer(paused, { type: 'resumed', id: '1' });
    expect(namesOf(nextTurn([line('a', resumed)], 1))).toBe('a/1');
  });

  test('of small files comes to six at once, and they don’t take the workers of large ones', () => {
    const names = ['1', '2', '3', '4', '5', '6', '7'];
    expect(launchAll([line('a', run(addOf(MIB, ...names), START))], 2)).toHaveLength(6);
    const mixed = run(addOf(MIB, ...names), add('L', 'M', 'N'), START);
    expect(launchAll([line('a', mixed)], 2)).toEqual(['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6', 'a/L', 'a/M']);
  });

  test('of a small file passes over large ones that wait for a worker', () => {
    const mixed = run(add('L', 'M', 'N'), addOf(MIB, '1', '2'), START);
    expect(launchAll([line('a', mixed)], 2)).toEqual(['a/L', 'a/M', 'a/1', 'a/2']);
  });

  test('is null without queues', () => {
    expect(nextTurn([], 4)).toBeNull();
  });
});
