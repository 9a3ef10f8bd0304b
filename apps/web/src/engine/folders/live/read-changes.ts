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

const ask = (slugs: readonly string[], accept: string, signal: AbortSignal): Promise<Response> =>
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
export async function readStream(slugs: readonly string[], onChange: OnChange, signal: AbortSignal): Promise<boolean> {
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  let timer = setTimeout(() => silence.abort(), FIRST_MS);
  let hasSpoken = false;
  try {
    const response = await ask(slugs, 'text/event-stream', either);
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
export async function readOnce(slugs: readonly string[], onChange: OnChange, signal: AbortSignal): Promise<void> {
  try {
    const response = await ask(slugs, 'application/json', AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)]));
    if (!response.ok) return;
    const { folders } = (await response.json()) as { folders: readonly FolderChange[] };
    for (const change of folders) onChange(change);
  } catch {
    // Without a line or a server.
  }
}
