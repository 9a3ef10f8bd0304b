import { WAIT_MS } from '@satchel/contract/testing/pace';
import type { FolderChange } from '@satchel/contract/wire/folder-changes';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTabLine, type TabLineDeps } from './tab-line.ts';

/** Tabs of one browser: channels that hear each other, and a lock that one holds at a time. */
function browser() {
  const channels: { listener: (event: MessageEvent) => void }[] = [];
  const waiting: (() => Promise<unknown>)[] = [];
  let isHeld = false;
  const streams: { slugs: readonly string[]; say: (change: FolderChange) => void; signal: AbortSignal }[] = [];
  const next = () => {
    const begin = waiting.shift();
    isHeld = begin !== undefined;
    void begin?.().then(next);
  };
  const tab = (over: Partial<TabLineDeps> = {}) => {
    const own = { listener: (_event: MessageEvent) => {} };
    channels.push(own);
    return createTabLine({
      channel: {
        postMessage: (data) => {
          for (const other of channels) if (other !== own) other.listener({ data } as MessageEvent);
        },
        addEventListener: (_type: string, listener: unknown) => {
          own.listener = listener as typeof own.listener;
        },
      },
      locks: {
        request: ((_name: string, { signal }: { signal: AbortSignal }, begin: () => Promise<unknown>) => {
          waiting.push(begin);
          signal.addEventListener('abort', () => waiting.includes(begin) && waiting.splice(waiting.indexOf(begin), 1));
          if (!isHeld) next();
          return Promise.resolve();
        }) as unknown as LockManager['request'],
      },
      follow: (slugs, say, signal) => streams.push({ slugs, say, signal }),
      nowMs: () => 0,
      ...over,
    });
  };
  return { tab, streams, open: () => streams.filter(({ signal }) => !signal.aborted) };
}

const change = (slug: string, version: string | null = 'a.1'): FolderChange => ({ slug, version, age_ms: 0 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('two tabs of one folder have one stream, and both hear what it says', () => {
  const { tab, open } = browser();
  const heard: string[] = [];
  tab().listen('one', ({ version }) => heard.push(`first ${version}`));
  tab().listen('one', ({ version }) => heard.push(`second ${version}`));
  expect(open().map(({ slugs }) => slugs)).toEqual([['one']]);
  open()[0]?.say(change('one'));
  expect(heard.sort()).toEqual(['first a.1', 'second a.1']);
});

test('a further folder has the stream follow both', () => {
  const { tab, open } = browser();
  tab().listen('one', () => {});
  tab().listen('two', () => {});
  expect(open().map(({ slugs }) => [...slugs].sort())).toEqual([['one', 'two']]);
});

test('a tab that comes later hears at once where its folder stands', () => {
  const { tab, open } = browser();
  tab().listen('one', () => {});
  open()[0]?.say(change('one', 'a.7'));
  const heard: (string | null)[] = [];
  tab().listen('one', ({ version }) => heard.push(version));
  expect(heard).toEqual(['a.7']);
});

test('when the tab that follows is closed, another one follows', () => {
  const { tab, open, streams } = browser();
  const stop = tab().listen('one', () => {});
  tab().listen('two', () => {});
  stop();
  return vi.waitFor(() => {
    expect(open().map(({ slugs }) => slugs)).toEqual([['two']]);
    expect(streams.length).toBeGreaterThan(1);
  }, WAIT_MS);
});

test('a folder that the reader may no longer see is asked for again when a page shows it again', () => {
  const { tab, open, streams } = browser();
  const line = tab();
  const stop = line.listen('one', () => {});
  line.listen('two', () => {});
  open()[0]?.say(change('one', null));
  stop();
  const before = streams.length;
  line.listen('one', () => {});
  expect(streams).toHaveLength(before + 1);
});

test('without locks each tab follows its own', () => {
  const { tab, open } = browser();
  tab({ locks: null, channel: null }).listen('one', () => {});
  tab({ locks: null, channel: null }).listen('one', () => {});
  expect(open()).toHaveLength(2);
});

test('where the browser refuses locks, each tab follows its own, too, and stops with its page', async () => {
  const { tab, open } = browser();
  const refuse = (async () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  }) as LockManager['request'];
  const stop = tab({ locks: { request: refuse } }).listen('one', () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(open()).toHaveLength(1);
  stop();
  expect(open()).toHaveLength(0);
});
