import { readOnce, readStream } from '@satchel/client/folders/read-changes';
import type { FolderChange } from '@satchel/contract/wire/folder-changes';

/** Follows folders by a stream, and by asking again and again where no stream gets through. */

export interface FollowTimes {
  /** Before a stream that ended is opened again: after a restart of the server, thousands of pages come back. */
  readonly againMs: number;
  readonly pollMs: number;
  /** After so long, a page that asks tries a stream again. */
  readonly tryMs: number;
}

const TIMES: FollowTimes = { againMs: 2000, pollMs: 20_000, tryMs: 300_000 };
/** Streams in a row that say nothing, until the page asks instead. */
const SILENT_STREAMS = 2;

const around = (ms: number) => ms * (0.5 + Math.random());

/** Resolves when `begin` calls `end`, and at once when `signal` is aborted. @param begin returns what stops the wait */
function until(signal: AbortSignal, begin: (end: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = begin(end);
    signal.addEventListener('abort', end);
  });
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  until(signal, (end) => {
    const timer = setTimeout(end, ms);
    return () => clearTimeout(timer);
  });

async function whenOnline(signal: AbortSignal): Promise<void> {
  if (navigator.onLine) return;
  await until(signal, (end) => {
    addEventListener('online', end);
    return () => removeEventListener('online', end);
  });
}

/** Follows until `signal` is aborted. Never rejects. */
export async function followChanges(
  slugs: readonly string[],
  onChange: (change: FolderChange) => void,
  signal: AbortSignal,
  times: FollowTimes = TIMES,
): Promise<void> {
  const tell = (change: FolderChange) => {
    if (!signal.aborted) onChange(change);
  };
  let silent = 0;
  while (!signal.aborted) {
    await whenOnline(signal);
    silent = (await readStream({ fetch, slugs, signal }, tell)) ? 0 : silent + 1;
    const untilMs = performance.now() + around(times.tryMs);
    while (silent >= SILENT_STREAMS && !signal.aborted && performance.now() < untilMs) {
      await whenOnline(signal);
      await readOnce({ fetch, slugs, signal }, tell);
      await pause(around(times.pollMs), signal);
    }
    await pause(around(times.againMs), signal);
  }
}
