import { WAIT_MS } from '@satchel/contract/testing/pace';
import { afterEach, expect, test, vi } from 'vitest';
import { createRest } from './store-rest.ts';

function keepNotes(): void {
  const notes = new Map<string, string>();
  vi.stubGlobal('caches', {
    open: async () => ({
      match: async (name: string) => (notes.has(name) ? new Response(notes.get(name)) : undefined),
      put: async (name: string, note: Response) => void notes.set(name, await note.text()),
    }),
  });
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a failure of one worker spares the others the same wait, for ten minutes', async () => {
  keepNotes();
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const first = createRest();
  expect([first.isOn(), await first.isOnElsewhere()]).toEqual([false, false]);
  first.begin();
  expect(first.isOn()).toBe(true);
  await vi.waitFor(async () => expect(await createRest().isOnElsewhere()).toBe(true), WAIT_MS);
  const second = createRest();
  expect(second.isOn()).toBe(false);
  expect([await second.isOnElsewhere(), second.isOn()]).toEqual([true, true]);
  vi.advanceTimersByTime(10 * 60_000);
  expect([first.isOn(), second.isOn(), await createRest().isOnElsewhere()]).toEqual([false, false, false]);
});

test('where notes can’t be kept, each worker knows its own failures', async () => {
  vi.stubGlobal('caches', { open: () => Promise.reject(new DOMException('no', 'SecurityError')) });
  const rest = createRest();
  rest.begin();
  expect(rest.isOn()).toBe(true);
  expect(await createRest().isOnElsewhere()).toBe(false);
});
