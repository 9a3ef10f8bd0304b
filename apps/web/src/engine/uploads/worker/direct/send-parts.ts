import {
  type AddressesInput,
  type AddressesOutput,
  DIRECT_UPLOAD_PATH,
  type PartClaim,
  type PartsInput,
  type PartsOutput,
  type PutAddress,
} from '@satchel/contract/wire/direct-uploads';
import type { AttemptDeps } from '../attempt.ts';
import { WINDOW_BYTES, type Windows } from '../socket/windows.ts';
import { request } from '../tus-requests.ts';
import { claimOf } from './part-sums.ts';
import { PutFailed, putPart } from './put-part.ts';

/**
 * Sends an upload's bytes into the store itself, part by part (docs/decisions/033). The server gives each part an address,
 * and acknowledges in order what it finds in the store. Bytes come from the windows, as those of a socket: their tags are on
 * disk before any of them leaves, wherever it goes.
 */

export interface DirectDeps extends Pick<AttemptDeps, 'bearer' | 'signal' | 'onProgress' | 'onAcknowledged'> {
  readonly windows: Windows;
  /** Origin of the site. */
  readonly origin: string;
  readonly put?: typeof putPart;
  /** Pauses before a part is sent again. */
  readonly pausesMs?: readonly number[];
  /** What a window holds. */
  readonly windowBytes?: number;
}

/** An upload that this browser has under a lease. */
export interface DirectLine {
  readonly url: string;
  readonly offset: number;
  readonly lease: number;
}

/** The rest of the upload has to go through the server. */
export class StoreFailed extends Error {
  /** Whether the store is what failed, for other uploads, too. */
  readonly isUnreachable: boolean;
  constructor(isUnreachable: boolean, options?: ErrorOptions) {
    super('The store takes no parts', options);
    this.name = 'StoreFailed';
    this.isUnreachable = isUnreachable;
  }
}

/** Parts that are made, sent or not acknowledged yet. */
const AT_ONCE = 3;
const PAUSES_MS = [0, 1000, 3000];

interface Flying {
  readonly start: number;
  readonly end: number;
  sentBytes: number;
  /** Its name in the store, once it is there. */
  name: string | null;
  stored: Promise<void>;
}

/** Rests, or ends at once with the signal. */
async function rest(delayMs: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, delayMs);
  const leave = () => over.resolve();
  signal.addEventListener('abort', leave, { once: true });
  await over.promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', leave);
  signal.throwIfAborted();
}

/** The server's part in it. */
function createCalls(deps: DirectDeps, { url, lease }: DirectLine, signal: AbortSignal) {
  const id = url.slice(url.lastIndexOf('/') + 1);
  async function call<Answer>(what: string, input: AddressesInput | PartsInput): Promise<Answer> {
    const response = await request(deps, 'POST', `${deps.origin}${DIRECT_UPLOAD_PATH}/${id}/${what}`, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(input),
      signal,
    });
    return (await response.json()) as Answer;
  }
  return {
    /** @throws StoreFailed when there is none */
    async addressOf(part: PartClaim): Promise<PutAddress> {
      const { parts } = await call<AddressesOutput>('addresses', { lease, parts: [part] });
      const [address] = parts ?? [];
      if (!address) throw new StoreFailed(false);
      return address;
    },
    /** @returns the acknowledged offset */
    acknowledge: async (names: readonly string[]): Promise<number> =>
      (await call<PartsOutput>('parts', { lease, names })).offset_bytes,
  };
}

/**
 * Sends everything from an offset on.
 * @throws StoreFailed, AttemptFailed, StartAfresh, AppError, or why the signal was aborted
 */
export async function sendParts(deps: DirectDeps, line: DirectLine): Promise<void> {
  const { windows, onProgress, onAcknowledged, put = putPart, pausesMs = PAUSES_MS, windowBytes = WINDOW_BYTES } = deps;
  const leaving = new AbortController();
  const signal = AbortSignal.any([deps.signal, leaving.signal]);
  const server = createCalls(deps, line, signal);
  const flying: Flying[] = [];
  let [acked, planned] = [line.offset, line.offset];

  const tell = () => onProgress(acked + flying.reduce((sum, { sentBytes }) => sum + sentBytes, 0));

  /** Each try has an address of its own: one that has ended is refused, and so is a line that is cut told from a store. */
  async function store(part: Flying, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const claim = await claimOf(bytes, part.start);
    const onSent = (sentBytes: number) => {
      part.sentBytes = sentBytes;
      tell();
    };
    for (let tries = 0; ; tries += 1) {
      const address = await server.addressOf(claim);
      try {
        await put({ address, bytes, signal, onSent });
        return address.name;
      } catch (error) {
        if (!(error instanceof PutFailed)) throw error;
        const pauseMs = pausesMs[tries];
        if (pauseMs === undefined) throw new StoreFailed(true, { cause: error });
        await rest(pauseMs, signal);
      }
    }
  }

  async function fly(part: Flying): Promise<void> {
    const bytes = await windows.make(part.start);
    try {
      signal.throwIfAborted();
      part.name = await store(part, bytes);
    } finally {
      windows.giveBack(bytes);
    }
  }

  function plan(): void {
    while (flying.length < AT_ONCE && planned < windows.size) {
      const end = Math.min(windows.size, planned + windowBytes);
      const part: Flying = { start: planned, end, sentBytes: 0, name: null, stored: Promise.resolve() };
      part.stored = fly(part);
      part.stored.catch(() => undefined); // the turn that acknowledges this part reports the failure
      flying.push(part);
      planned = end;
    }
  }

  try {
    while (acked < windows.size) {
      plan();
      await flying[0]!.stored;
      const ahead = flying.findIndex(({ name }) => name === null);
      const stored = flying.slice(0, ahead === -1 ? flying.length : ahead);
      const offset = await server.acknowledge(stored.map(({ name }) => name!));
      // The store has taken a part and lost it.
      if (offset !== stored.at(-1)!.end) throw new StoreFailed(true);
      acked = offset;
      flying.splice(0, stored.length);
      onAcknowledged(acked);
      tell();
    }
  } finally {
    leaving.abort();
    // A buffer that is being filled belongs to this attempt; the next one may begin at the same byte.
    await Promise.allSettled(flying.map(({ stored }) => stored));
  }
}
