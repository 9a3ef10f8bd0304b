import { MIB } from '@satchel/contract/limits';
import type { Append, BlobPart, BlobWriter } from './blobs.ts';
import type { HeldMemory } from './held-memory.ts';

/** Writing an upload as objects. Each is written once, under a name that no other writer makes. */

/** An object is sent when it has this many bytes, or when its bytes are to be acknowledged. */
const PART_BYTES = 8 * MIB;
/** Objects of one upload on their way at once; its sender waits for the others. */
const PUTS_AT_ONCE = 2;

export interface S3WriterDeps {
  readonly memory: HeldMemory;
  readonly put: (name: string, bytes: Uint8Array, signal: AbortSignal) => Promise<void>;
  readonly remove: (names: readonly string[]) => Promise<unknown>;
}

interface SentPart {
  readonly part: BlobPart;
  readonly sent: Promise<void>;
}

export function createS3Writer({ memory, put, remove }: S3WriterDeps, { epoch, offsetBytes }: Append): BlobWriter {
  const closing = new AbortController();
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let heldFrom = offsetBytes;
  /** Parts that no call of `sync` has returned. */
  let parts: SentPart[] = [];
  const running = new Set<Promise<void>>();

  function flush(): void {
    if (heldBytes === 0) return;
    const bytes = held.length === 1 ? held[0]! : Buffer.concat(held);
    // No other writer has this epoch, and this one begins a part at a byte once: no object is ever written over.
    const part = { start: heldFrom, name: `${heldFrom}-${epoch}` };
    heldFrom += heldBytes;
    held = [];
    heldBytes = 0;
    const sent = put(part.name, bytes, closing.signal).finally(() => {
      memory.giveBack(bytes.length);
      running.delete(sent);
    });
    running.add(sent);
    // A failure is thrown where its bytes are to be acknowledged.
    sent.catch(() => undefined);
    parts.push({ part, sent });
  }

  const holder = { heldBytes: () => heldBytes, flush };
  memory.add(holder);

  return {
    async write(chunks) {
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      if (bytes === 0) return;
      await memory.take(bytes);
      held.push(Buffer.concat(chunks));
      heldBytes += bytes;
      if (heldBytes >= PART_BYTES) flush();
      memory.grown();
      while (running.size >= PUTS_AT_ONCE) await Promise.race(running);
    },
    async sync(toBytes) {
      if (heldFrom < toBytes) flush();
      const due = parts.filter(({ part }) => part.start < toBytes);
      await Promise.all(due.map(({ sent }) => sent));
      parts = parts.filter((each) => !due.includes(each));
      return due.map(({ part }) => part);
    },
    async discard(fromBytes) {
      closing.abort();
      const given = parts.filter(({ part }) => part.start >= fromBytes);
      await Promise.allSettled(given.map(({ sent }) => sent));
      if (given.length > 0) await remove(given.map(({ part }) => part.name));
    },
    async close() {
      closing.abort();
      memory.remove(holder);
      memory.giveBack(heldBytes);
      held = [];
      heldBytes = 0;
      await Promise.allSettled(running);
    },
  };
}
