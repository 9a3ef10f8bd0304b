import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Offer } from '../media-protocol.ts';
import { createOpeningClient } from './opening-client.ts';

const offer = { name: 'all.zip', files: [] } as Offer;
const ports: MessagePort[] = [];

function newClient() {
  const workers: { posted: unknown[]; ended: boolean; fail: () => void }[] = [];
  const createWorker = () => {
    const worker = { onerror: null as ((event: Event) => void) | null };
    const made = { posted: [] as unknown[], ended: false, fail: () => worker.onerror?.(new Event('error')) };
    workers.push(made);
    return Object.assign(worker, {
      postMessage: (message: unknown) => made.posted.push(message),
      terminate: () => {
        made.ended = true;
      },
    }) as unknown as Worker;
  };
  const client = createOpeningClient(createWorker);
  return { workers, ...client, give: (id: string) => ports.push(client.portFor(id, offer)) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  for (const port of ports.splice(0)) port.close();
});

test('all offers of a page share a worker, which ends some seconds after the last of them', () => {
  const { workers, give, remove } = newClient();
  give('a');
  give('b');
  expect(workers.map(({ posted }) => posted)).toEqual([[{ offer }, { offer }]]);
  remove('a');
  vi.advanceTimersByTime(60_000);
  expect(workers[0]?.ended).toBe(false);
  remove('b');
  remove('b');
  vi.advanceTimersByTime(4000);
  give('c');
  vi.advanceTimersByTime(60_000);
  expect(workers.map(({ ended }) => ended)).toEqual([false]);
  remove('c');
  vi.advanceTimersByTime(5000);
  expect(workers[0]?.ended).toBe(true);
  give('d');
  expect(workers.map(({ ended }) => ended)).toEqual([true, false]);
});

test('an offer that is repeated to another service worker counts once', () => {
  const { workers, give, remove } = newClient();
  give('a');
  give('a');
  remove('a');
  vi.advanceTimersByTime(5000);
  expect(workers[0]?.ended).toBe(true);
});

test('a worker that fails is ended, and the next offer gets another', () => {
  const { workers, give } = newClient();
  give('a');
  workers[0]?.fail();
  give('b');
  expect(workers.map(({ ended, posted }) => [ended, posted.length])).toEqual([
    [true, 1],
    [false, 1],
  ]);
});
