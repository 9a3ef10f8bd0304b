import { AttemptFailed, networkFailure } from './failure.ts';
import type { Line, LineDeps } from './line.ts';
import { append, type RequestDeps } from './requests.ts';

/** A request for each window: for networks that keep the upload socket out. */
export function openHttpLine(deps: LineDeps & RequestDeps, url: string): Line {
  const { signal, onProgress, onAcknowledged } = deps;
  return {
    opened: async () => undefined,
    async send(bytes, at) {
      const offset = await append(deps, url, at, bytes, signal, (sentBytes) => onProgress(at + sentBytes));
      // The server may keep less than it was sent: the next attempt asks where it stands.
      if (offset !== at + bytes.length) throw new AttemptFailed(networkFailure('PATCH'));
      onAcknowledged(offset);
    },
    ended: async () => undefined,
    close: () => undefined,
  };
}
