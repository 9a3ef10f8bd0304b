import type { Opened } from '@satchel/client/open/delivery-stream';
import { openRange } from '@satchel/client/open/open-range';
import { openZip } from '@satchel/client/open/zip-stream';
import type { Bytes } from '@satchel/container/format';
import { toAppError } from '@satchel/contract/errors';
import { PAGE_LINE } from '../../files/page-line.ts';
import { isZip, type Offer } from '../media-protocol.ts';
import { CREDITS, type OpeningCredit, type OpeningReply, type OpeningRequest } from './opening-protocol.ts';

type Range = Extract<OpeningRequest, { type: 'open' }>;

/** A reader that takes nothing for so long, as of a download that was paused, holds no connection to the server. */
const UNREAD_MS = 10_000;

/** Requests that can be let go: who reads their answers sees a line that broke, and asks for the rest. */
function createLine(fetch: typeof globalThis.fetch) {
  let line = new AbortController();
  return {
    fetch: ((input, init) =>
      fetch(input, {
        ...init,
        signal: AbortSignal.any([line.signal, ...(init?.signal ? [init.signal] : [])]),
      })) as typeof fetch,
    letGo(): void {
      line.abort(new TypeError('Nothing was read'));
      line = new AbortController();
    },
  };
}

function openedOf(offer: Offer, { start, end }: Range, fetch: typeof globalThis.fetch, signal: AbortSignal): Opened {
  const deps = { ...PAGE_LINE, fetch, signal };
  return isZip(offer) ? openZip(offer, start, deps) : openRange(offer, start, end ?? offer.sizeBytes, deps);
}

/** Below this a chunk is copied: it may be a part of a zip's directory, which the packer still counts. */
const COPIED_BYTES = 64 * 1024;
const given = (chunk: Bytes): Bytes => (chunk.length < COPIED_BYTES ? chunk.slice() : chunk);

/** What the reader allows: one unit for each credit, and none any more once it has stopped. */
function followReader(port: MessagePort) {
  const giveUp = new AbortController();
  let credits = CREDITS;
  let wake = () => {};
  const stop = () => {
    giveUp.abort();
    wake();
  };
  port.onmessage = ({ data }: MessageEvent<OpeningCredit>) => {
    if (data === 'stop') return stop();
    credits += 1;
    wake();
  };
  return {
    signal: giveUp.signal,
    stop,
    async credit(): Promise<void> {
      while (credits === 0 && !giveUp.signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      credits -= 1;
    },
  };
}

type Reader = ReturnType<typeof followReader>;

async function sendUnits(port: MessagePort, opened: Opened, reader: Reader, letGo: () => void): Promise<void> {
  const say = (reply: OpeningReply, moved: Transferable[] = []) => port.postMessage(reply, moved);
  const place = () => {
    const now = opened.place?.();
    return now ? { place: now } : {};
  };
  try {
    for await (const unit of opened.units) {
      const timer = setTimeout(letGo, UNREAD_MS);
      await reader.credit();
      clearTimeout(timer);
      if (reader.signal.aborted) return;
      const chunks = unit.map(given);
      say({ type: 'unit', chunks, ...place() }, [...new Set(chunks.map(({ buffer }) => buffer))]);
    }
    say({ type: 'end' });
  } catch (error) {
    if (!reader.signal.aborted) say({ type: 'failed', error: toAppError(error, 'open.failed').toWire(), ...place() });
  }
}

/** Answers the service worker's requests for ranges of one offer, until the offer is closed. */
export function serveOffer(port: MessagePort, offer: Offer): void {
  const stops = new Set<() => void>();
  const serve = async (range: MessagePort, request: Range) => {
    const reader = followReader(range);
    stops.add(reader.stop);
    const line = createLine(PAGE_LINE.fetch);
    await sendUnits(range, openedOf(offer, request, line.fetch, reader.signal), reader, line.letGo);
    stops.delete(reader.stop);
  };
  port.onmessage = ({ data: request, ports: [range] }: MessageEvent<OpeningRequest>) => {
    if (request.type === 'open') {
      if (range) void serve(range, request);
      return;
    }
    for (const stop of stops) stop();
    port.close();
  };
}
