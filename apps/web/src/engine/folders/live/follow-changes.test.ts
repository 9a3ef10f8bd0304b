import type { FolderChange } from '@satchel/contract/wire/folder-changes';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followChanges } from './follow-changes.ts';

/** Following by streams, and by asking where no stream gets through. The clock is the test's. */

const TIMES = { againMs: 50, pollMs: 1000, tryMs: 5000 };
/** After so long, a stream that said nothing is given up. */
const SILENT_MS = 10_000;
const NEXT_STREAM_MS = SILENT_MS + TIMES.againMs;
/** From here on, two streams have said nothing. */
const ASKING_MS = NEXT_STREAM_MS + SILENT_MS;

type Kind = 'stream' | 'ask';
let requests: { kind: Kind; atMs: number }[];
let speaks: boolean;
let online: boolean;
let following: AbortController;
let changes: FolderChange[];

const change = (version: string): FolderChange => ({ slug: 'one', version, age_ms: 0 });

/** A stream that a proxy holds back: no answer until the page gives it up. */
const silentStream = (signal: AbortSignal) =>
  new Promise<Response>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const speakingStream = () => new Response(`data: ${JSON.stringify(change('told'))}\n\n`);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  // What is around a time is the time itself.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  [requests, changes, speaks, online, following] = [[], [], false, true, new AbortController()];
  const events = new EventTarget();
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const) {
    vi.stubGlobal(name, events[name].bind(events));
  }
  vi.stubGlobal('navigator', {
    get onLine() {
      return online;
    },
  });
  vi.stubGlobal('fetch', async (_url: string, { headers, signal }: { headers: HeadersInit; signal: AbortSignal }) => {
    // As a browser does: nothing is sent.
    if (signal.aborted) throw signal.reason;
    const kind = new Headers(headers).get('accept') === 'text/event-stream' ? 'stream' : 'ask';
    requests.push({ kind, atMs: performance.now() - startMs });
    if (kind === 'ask') return Response.json({ folders: [change(`asked ${requests.length}`)] });
    return speaks ? speakingStream() : silentStream(signal);
  });
  startMs = performance.now();
});
afterEach(() => {
  following.abort();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

let startMs: number;
const follow = () => followChanges(['one'], (said) => changes.push(said), following.signal, TIMES);
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const timesOf = (wanted: Kind) => requests.filter(({ kind }) => kind === wanted).map(({ atMs }) => atMs);

test('after two silent streams the page asks at each interval, and tries a stream again', async () => {
  void follow();
  await pass(ASKING_MS);
  expect(timesOf('stream')).toEqual([0, NEXT_STREAM_MS]);
  expect(timesOf('ask')).toEqual([ASKING_MS]);
  await pass(TIMES.tryMs);
  expect(timesOf('ask')).toEqual([0, 1, 2, 3, 4].map((round) => ASKING_MS + round * TIMES.pollMs));
  expect(changes.map(({ version }) => version)).toEqual(['asked 3', 'asked 4', 'asked 5', 'asked 6', 'asked 7']);
  await pass(TIMES.againMs);
  expect(timesOf('stream')).toEqual([0, NEXT_STREAM_MS, ASKING_MS + TIMES.tryMs + TIMES.againMs]);
  // It is silent, too: the page still asks at once.
  await pass(SILENT_MS);
  expect(timesOf('ask').at(-1)).toBe(performance.now() - startMs);
});

test('a stream that speaks ends the asking', async () => {
  void follow();
  await pass(ASKING_MS + TIMES.tryMs);
  const asked = timesOf('ask').length;
  speaks = true;
  await pass(10 * TIMES.againMs);
  expect(changes.at(-1)?.version).toBe('told');
  expect(timesOf('stream').length).toBeGreaterThan(3);
  expect(timesOf('ask')).toHaveLength(asked);
});

test('a device that is offline asks nothing, and asks at once when it is back', async () => {
  online = false;
  void follow();
  await pass(60_000);
  expect(requests).toEqual([]);
  online = true;
  dispatchEvent(new Event('online'));
  await pass(ASKING_MS);
  expect(timesOf('stream')).toEqual([60_000, 60_000 + NEXT_STREAM_MS]);
  expect(timesOf('ask')).toHaveLength(1);
  online = false;
  await pass(60_000);
  expect(timesOf('ask')).toHaveLength(1);
  online = true;
  dispatchEvent(new Event('online'));
  await pass(0);
  expect(timesOf('ask')).toHaveLength(2);
});

test.each([
  ['a stream is open', SILENT_MS / 2],
  ['it waits to open the next', SILENT_MS + TIMES.againMs / 2],
  ['it waits to ask again', ASKING_MS + TIMES.pollMs / 2],
])('a page that is left while %s asks nothing more', async (_when, atMs) => {
  const ended = vi.fn();
  void follow().then(ended);
  await pass(atMs);
  const [asked, heard] = [requests.length, changes.length];
  following.abort();
  await pass(60_000);
  expect([requests.length, changes.length]).toEqual([asked, heard]);
  expect(ended).toHaveBeenCalledOnce();
});

test('a page that is left while it is offline asks nothing when the line is back', async () => {
  online = false;
  const ended = vi.fn();
  void follow().then(ended);
  await pass(1000);
  following.abort();
  online = true;
  dispatchEvent(new Event('online'));
  await pass(60_000);
  expect(requests).toEqual([]);
  expect(ended).toHaveBeenCalledOnce();
});
