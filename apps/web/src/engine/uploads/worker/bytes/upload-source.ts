import { MIB, UPLOAD_CHUNK_BYTES } from '@satchel/contract/limits';
import { hurryCollector } from '../../../../lib/browser/hurry-collector.ts';
import type { Body, BodyMaker, SentBytes } from './bodies.ts';
import { StartAfresh, type TagLedger } from './tag-ledger.ts';
import type { RangeSink, VirtualFile } from './virtual-file.ts';

/** What tus-js-client reads from: its `fileReader` hands this out. */
export interface UploadSource {
  readonly size: number;
  /** The bytes of one request. Their tags are on disk when this resolves, and the slice after them is being made. */
  slice(start: number, end: number): Promise<{ value: SentBytes; done: boolean }>;
  /**
   * Makes again whatever lies before `offset` and was not yet made by this worker, and compares it with the log
   * (CONTAINER §5). Stops when `signal` is aborted and resumes from there the next time.
   * @param onChecked hears how many bytes are found right
   * @throws StartAfresh when something differs, or the log doesn't reach as far as `offset`
   */
  verify(offset: number, signal: AbortSignal, onChecked: (bytes: number) => void): Promise<void>;
  close(): void;
}

export interface SourceDeps {
  readonly virtual: VirtualFile;
  readonly ledger: TagLedger;
  readonly bodies: BodyMaker;
  /** Hears up to which byte the file has been sealed. */
  readonly onSealed: (bytes: number) => void;
}

/** As much is checked before the collector is asked to look at what that left behind. */
const COLLECTED_BYTES = 256 * MIB;

const isQuotaFailure = (error: unknown) => error instanceof DOMException && error.name === 'QuotaExceededError';

/** Runs calls one after the other: a virtual file has one cursor. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Makes request bodies; the tags of a body are on disk before it is returned. */
function createMaker({ virtual, ledger, bodies, onSealed }: SourceDeps) {
  const sinkInto = (body: Body | null): RangeSink => ({
    onChunk: (index, tag) => ledger.take(index, tag),
    write: (bytes) => body?.write(bytes),
  });

  async function fill(start: number, end: number): Promise<SentBytes> {
    const body = await bodies.open();
    try {
      await virtual.range(start, end, sinkInto(body));
    } catch (error) {
      body.discard();
      if (isQuotaFailure(error) && bodies.leaveDisk()) return fill(start, end);
      throw error;
    }
    return body.finish();
  }

  return {
    /** Makes the bytes only to compare them. */
    compare: (start: number, end: number) => virtual.range(start, end, sinkInto(null)),
    async make(start: number, end: number): Promise<SentBytes> {
      const stored = virtual.stored(start, end);
      if (stored) await virtual.range(start, end, sinkInto(null));
      const body = stored ?? (await fill(start, end));
      await ledger.flush();
      onSealed(end);
      return body;
    },
  };
}

export function createUploadSource(deps: SourceDeps): UploadSource {
  const { virtual, ledger } = deps;
  const { compare, make } = createMaker(deps);
  const inTurn = createTurns();
  const size = virtual.sizeBytes;
  let ahead: { start: number; body: Promise<SentBytes> } | null = null;

  function prepare(start: number): void {
    if (start >= size) return;
    const body = inTurn(() => make(start, Math.min(size, start + UPLOAD_CHUNK_BYTES)));
    body.catch(() => undefined); // the call that takes this slice reports the failure
    ahead = { start, body };
  }

  async function slice(start: number, end: number): Promise<{ value: SentBytes; done: boolean }> {
    const ready = ahead?.start === start ? ahead.body : null;
    ahead = null;
    const value = await (ready ?? inTurn(() => make(start, end)));
    prepare(end);
    return { value, done: end >= size };
  }

  async function verify(offset: number, signal: AbortSignal, onChecked: (bytes: number) => void): Promise<void> {
    const needed = virtual.chunksBefore(offset);
    if (ledger.logged() < needed) throw new StartAfresh('the log does not cover what the server has');
    let at = virtual.chunkStart(ledger.verified());
    let collectedAt = at;
    while (ledger.verified() < needed) {
      signal.throwIfAborted();
      const end = Math.min(offset, at + UPLOAD_CHUNK_BYTES);
      await inTurn(() => compare(at, end));
      onChecked(end);
      at = end;
      if (at - collectedAt < COLLECTED_BYTES && at < offset) continue;
      hurryCollector();
      collectedAt = at;
    }
  }

  return { size, slice, verify, close: () => undefined };
}
