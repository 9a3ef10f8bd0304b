import { AttemptFailed, networkFailure } from '../failure.ts';
import type { Bytes } from '../ports.ts';
import type { Line, LineDeps } from './line.ts';
import { append, type RequestDeps } from './requests.ts';

/** Windows of one request: the line is idle until the server has made a request's bytes durable. */
const WINDOWS_AT_ONCE = 4;

/** A request for every few windows: for networks that keep the upload socket out. */
export function openHttpLine(deps: LineDeps & RequestDeps, url: string, from: number): Line {
  const { signal, onProgress, onAcknowledged } = deps;
  let offset = from;
  let held: { readonly bytes: Bytes; readonly onFree: () => void }[] = [];

  function free(): void {
    for (const { onFree } of held) onFree();
    held = [];
  }

  async function flush(): Promise<void> {
    const parts = held.map(({ bytes }) => bytes);
    const end = parts.reduce((sum, { length }) => sum + length, offset);
    const taken = await append(deps, url, offset, parts, signal, (sentBytes) => onProgress(offset + sentBytes));
    // The server may keep less than it was sent: the next attempt asks where it stands.
    if (taken !== end) throw new AttemptFailed(networkFailure('PATCH'));
    offset = end;
    free();
    onAcknowledged(offset);
  }

  return {
    opened: async () => undefined,
    async send(bytes, onFree) {
      held.push({ bytes, onFree });
      if (held.length === WINDOWS_AT_ONCE) await flush();
    },
    ended: async () => {
      if (held.length > 0) await flush();
    },
    close: free,
  };
}
