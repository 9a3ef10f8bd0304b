import { afterEach, expect, test, vi } from 'vitest';
import { recordFolderEvent, type Seen, whenSeen } from './folder-events.ts';

/** A document whose state the test changes. */
function somePage(visibilityState: DocumentVisibilityState, prerendering = false) {
  const events = new EventTarget();
  const page = {
    visibilityState,
    prerendering,
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
  };
  const become = (change: Partial<typeof page>, event: string) => {
    Object.assign(page, change);
    events.dispatchEvent(new Event(event));
  };
  return { page: page as Seen, become };
}

test('a page in front is seen at once, and once only', () => {
  const { page, become } = somePage('visible');
  const seen = vi.fn();
  whenSeen(page, seen);
  become({ visibilityState: 'hidden' }, 'visibilitychange');
  become({ visibilityState: 'visible' }, 'visibilitychange');
  expect(seen).toHaveBeenCalledTimes(1);
});

test('a tab in the background is seen when it becomes visible', () => {
  const { page, become } = somePage('hidden');
  const seen = vi.fn();
  whenSeen(page, seen);
  expect(seen).not.toHaveBeenCalled();
  become({ visibilityState: 'visible' }, 'visibilitychange');
  expect(seen).toHaveBeenCalledTimes(1);
});

test('a page that was loaded ahead is seen when it is shown, whichever event tells of it', () => {
  const { page, become } = somePage('visible', true);
  const seen = vi.fn();
  whenSeen(page, seen);
  expect(seen).not.toHaveBeenCalled();
  become({ prerendering: false }, 'prerenderingchange');
  expect(seen).toHaveBeenCalledTimes(1);
});

test('a page that is left while hidden was not seen', () => {
  const { page, become } = somePage('hidden');
  const seen = vi.fn();
  whenSeen(page, seen)();
  become({ visibilityState: 'visible' }, 'visibilitychange');
  expect(seen).not.toHaveBeenCalled();
});

afterEach(() => vi.unstubAllGlobals());

test('an event outlives its page, and its failure is ignored', async () => {
  const send = vi.fn((_path: string, _init: RequestInit) => Promise.reject(new TypeError('Failed to fetch')));
  vi.stubGlobal('fetch', send);
  vi.stubGlobal('navigator', { onLine: true });
  recordFolderEvent({ folder_slug: 'AbCdEfGhIjKlMnOp', kind: 'download', object: 'a.bin' });
  await new Promise((resolve) => setTimeout(resolve));
  const [path, init] = send.mock.calls[0] ?? [];
  expect(path).toBe('/rest/v1/rpc/record_folder_event');
  expect(init).toMatchObject({ method: 'POST', keepalive: true, credentials: 'same-origin' });
  expect(JSON.parse(String(init?.body))).toEqual({
    folder_slug: 'AbCdEfGhIjKlMnOp',
    kind: 'download',
    object: 'a.bin',
  });
});

test('offline nothing is sent', () => {
  const send = vi.fn();
  vi.stubGlobal('fetch', send);
  vi.stubGlobal('navigator', { onLine: false });
  recordFolderEvent({ folder_slug: 'AbCdEfGhIjKlMnOp', kind: 'view' });
  expect(send).not.toHaveBeenCalled();
});
