import type { FolderChange } from '@satchel/contract/wire/folder-changes';
import { readOnce, readStream } from './read-changes.ts';

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

/** Resolves after `ms`, and at once when `signal` is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

function whenOnline(signal: AbortSignal): Promise<void> {
  if (navigator.onLine) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    addEventListener('online', end);
    signal.addEventListener('abort', end);
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
    silent = (await readStream(slugs, tell, signal)) ? 0 : silent + 1;
    const untilMs = performance.now() + around(times.tryMs);
    while (silent >= SILENT_STREAMS && !signal.aborted && performance.now() < untilMs) {
      await whenOnline(signal);
      await readOnce(slugs, tell, signal);
      await pause(around(times.pollMs), signal);
    }
    await pause(around(times.againMs), signal);
  }
}
