import { CHANGES_PATH, type FolderChange, STREAM_BEAT_SECONDS } from '@satchel/contract/wire/folder-changes';

/** Reads what the server says of changed folders, as a stream or once (docs/decisions/027). */

type OnChange = (change: FolderChange) => void;

/** A line that says nothing for so long is dead: three comments are missing. */
const SILENCE_MS = 3 * STREAM_BEAT_SECONDS * 1000;
/** A proxy that collects answers lets nothing of a stream through. */
const FIRST_MS = 10_000;

/** Gives each whole event's data. Comments and other fields say nothing (HTML, "Interpreting an event stream"). */
export function createEventReader(onData: (data: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data:'));
      if (data.length > 0) onData(data.map((line) => line.slice(5).trimStart()).join('\n'));
    }
  };
}

/** What changes are asked for by. */
interface Asked {
  readonly fetch: typeof globalThis.fetch;
  readonly slugs: readonly string[];
  readonly signal: AbortSignal;
}

const ask = ({ fetch, slugs, signal }: Asked, accept: string): Promise<Response> =>
  fetch(CHANGES_PATH, {
    method: 'POST',
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify({ slugs }),
    signal,
  });

/**
 * Follows a stream until it ends, falls silent or is refused. Never rejects.
 * @returns whether the stream said anything
 */
export async function readStream(asked: Asked, onChange: OnChange): Promise<boolean> {
  const silence = new AbortController();
  const signal = AbortSignal.any([asked.signal, silence.signal]);
  let timer = setTimeout(() => silence.abort(), FIRST_MS);
  let hasSpoken = false;
  try {
    const response = await ask({ ...asked, signal }, 'text/event-stream');
    if (!response.ok || !response.body) return false;
    const take = createEventReader((data) => {
      hasSpoken = true;
      onChange(JSON.parse(data) as FolderChange);
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return hasSpoken;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      take(value);
    }
  } catch {
    return hasSpoken;
  } finally {
    clearTimeout(timer);
  }
}

/** Asks once. Never rejects: the next time is soon. */
export async function readOnce(asked: Asked, onChange: OnChange): Promise<void> {
  try {
    const signal = AbortSignal.any([asked.signal, AbortSignal.timeout(SILENCE_MS)]);
    const response = await ask({ ...asked, signal }, 'application/json');
    if (!response.ok) return;
    const { folders } = (await response.json()) as { folders: readonly FolderChange[] };
    for (const change of folders) onChange(change);
  } catch {
    // Without a line or a server.
  }
}
