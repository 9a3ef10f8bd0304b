import { decodeHeader, encodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { createHeader, createSealer } from '@satchel/container/seal';
import { AppError } from '@satchel/contract/errors';
import { CHUNK_OVERHEAD_BYTES, KIB } from '@satchel/contract/limits';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { createBodyMaker } from '../bytes/bodies.ts';
import { createTagLedger, StartAfresh } from '../bytes/tag-ledger.ts';
import { createUploadSource } from '../bytes/upload-source.ts';
import { createSealedFile } from '../bytes/virtual-file.ts';
import type { FromSealing, ToSealing } from './sealing-messages.ts';
import { createWindows } from './windows.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The sealing worker's own code in this thread, each with a scope of its own. */
async function sealingWorker(): Promise<Worker> {
  const listeners: ((event: MessageEvent<ToSealing>) => void)[] = [];
  const worker = { onmessage: null, onerror: null, terminate: () => undefined } as unknown as Worker;
  vi.stubGlobal('addEventListener', (_type: string, listener: (typeof listeners)[number]) => listeners.push(listener));
  vi.stubGlobal('postMessage', (data: FromSealing) => worker.onmessage?.({ data } as MessageEvent<FromSealing>));
  vi.resetModules();
  await import('./sealing-worker.ts');
  const tell = globalThis.postMessage;
  Object.assign(worker, {
    postMessage: (data: ToSealing) => {
      vi.stubGlobal('postMessage', tell);
      for (const listener of listeners) listener({ data } as MessageEvent<ToSealing>);
    },
  });
  return worker;
}
const keys = await importKeys(newFolderKey());
const SIZE = 300 * KIB + 11;
const WINDOW = 100 * KIB;
afterEach(() => vi.unstubAllGlobals());

const contentOf = (seed: number): Bytes => Uint8Array.from({ length: SIZE }, (_, at) => (at * 31 + seed * 7) & 255);
const contents = [contentOf(1), contentOf(2)];

/** A file whose content can be changed behind the page's back, as no browser allows but a network drive may. */
class ChangingFile extends Blob {
  current = 0;
  override slice(from?: number, to?: number, type?: string): Blob {
    return new Blob([contents[this.current]!]).slice(from, to, type);
  }
}

interface Site {
  readonly file: ChangingFile;
  /** The bytes that were sent for each position of the container; a second content there is what must never be. */
  readonly sent: Map<number, string>;
}

const { prefix } = encodeHeader(createHeader({ sizeBytes: SIZE, name: 'a', type: '' }));
const decoded = decodeHeader(prefix)!;
const step = decoded.header.chunkSize + CHUNK_OVERHEAD_BYTES;

/** Notes, by chunk and place in it, what goes to the network under this baseCounter. */
function note({ sent }: Site, start: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += KIB) {
    const piece = Buffer.from(bytes.subarray(at, at + 64)).toString('base64');
    const known = sent.get(start + at);
    if (known !== undefined && known !== piece)
      throw new Error(`two contents at ${start + at}, chunk ${Math.floor((start + at) / step)}`);
    sent.set(start + at, piece);
  }
}

type Step =
  | { readonly act: 'socket' | 'tus'; readonly from: number; readonly pieces: number }
  /** The page is reloaded: only the log on disk stays. */
  | { readonly act: 'reload' }
  | { readonly act: 'change' };

test('no counter meets two contents, whatever the transports, cuts, reloads and changes of the file', async () => {
  const step_ = fc.oneof(
    fc.record({
      act: fc.constantFrom('socket' as const, 'tus' as const),
      from: fc.constantFrom(0, 16 * KIB, WINDOW, 150 * KIB),
      pieces: fc.integer({ min: 1, max: 2 }),
    }),
    fc.record({ act: fc.constantFrom('reload' as const, 'change' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step_, { minLength: 2, maxLength: 6 }), async (steps) => {
      const site: Site = { file: new ChangingFile([contents[0]!]), sent: new Map() };
      const disk: number[] = [];
      const open = async () => {
        const sealer = await createSealer(keys, decoded);
        const virtual = createSealedFile(sealer, site.file);
        const ledger = createTagLedger(virtual.totalChunks, new Uint8Array(disk), async (firstChunk, tags) => {
          expect(firstChunk * 32).toBe(disk.length);
          disk.push(...tags);
        });
        const onSealed = () => undefined;
        const worker = await sealingWorker();
        const size = virtual.sizeBytes;
        return {
          source: createUploadSource({ virtual, ledger, bodies: createBodyMaker('test', false), onSealed }),
          windows: createWindows({
            file: site.file,
            keys,
            prefix,
            size,
            ledger,
            onSealed,
            createWorker: () => worker,
            windowBytes: WINDOW,
          }),
          size,
        };
      };
      let job = await open();
      for (const one of steps as Step[]) {
        if (one.act === 'reload') job = await open();
        if (one.act === 'change') site.file.current = 1 - site.file.current;
        if (one.act !== 'socket' && one.act !== 'tus') continue;
        try {
          let at = one.from;
          for (let piece = 0; piece < one.pieces && at < job.size; piece += 1) {
            const end = Math.min(job.size, at + WINDOW);
            const bytes =
              one.act === 'socket'
                ? await job.windows.make(at)
                : await new Blob([(await job.source.slice(at, end)).value]).bytes();
            // What is handed out is on disk already: a page that dies now leaves it to the next one.
            note(site, at, bytes);
            at += bytes.length;
            if (one.act === 'socket') job.windows.giveBack(bytes);
          }
        } catch (error) {
          // The upload begins afresh, under another baseCounter.
          if (error instanceof StartAfresh) return;
          if (error instanceof AppError) return;
          throw error;
        }
      }
    }),
    { numRuns: 40 },
  );
});

async function openWindows(file: Blob, onDisk = new Uint8Array(0)) {
  const events: string[] = [];
  const sealer = await createSealer(keys, decoded);
  const virtual = createSealedFile(sealer, file);
  const ledger = createTagLedger(virtual.totalChunks, onDisk, async (firstChunk) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    events.push(`log ${firstChunk}`);
  });
  const worker = await sealingWorker();
  const size = virtual.sizeBytes;
  const windows = createWindows({
    file,
    keys,
    prefix,
    size,
    ledger,
    onSealed: (bytes) => events.push(`sealed ${bytes}`),
    createWorker: () => worker,
    windowBytes: WINDOW,
  });
  return { windows, events, virtual };
}

test('windows make up the container, reuse their buffers, and come after their tags are on disk', async () => {
  const { windows, events, virtual } = await openWindows(new Blob([contents[0]!]));
  const whole = new Uint8Array(virtual.sizeBytes);
  let filled = 0;
  await virtual.range(0, virtual.sizeBytes, {
    onChunk: () => undefined,
    write: (bytes) => {
      whole.set(bytes, filled);
      filled += bytes.length;
    },
  });
  const first = await windows.make(0);
  expect(events).toEqual(['log 0', `sealed ${WINDOW}`]);
  expect(Buffer.compare(first, whole.subarray(0, WINDOW))).toBe(0);
  const { buffer } = first;
  windows.giveBack(first);
  const second = await windows.make(WINDOW);
  expect(second.buffer).toBe(buffer);
  expect(Buffer.compare(second, whole.subarray(WINDOW, 2 * WINDOW))).toBe(0);
});

test('a window after one that failed is not handed out', async () => {
  const { windows } = await openWindows(new Blob([contents[0]!]), new Uint8Array(32).fill(7));
  const [first, second] = [windows.make(0), windows.make(WINDOW)];
  await expect(first).rejects.toThrow(StartAfresh);
  await expect(second).rejects.toThrow(StartAfresh);
});

test('a failure of the sealing worker comes with its code', async () => {
  const file = new Blob([contents[0]!.subarray(0, 100)]);
  const { windows } = await openWindows(file);
  await expect(windows.make(0)).rejects.toBeInstanceOf(AppError);
});

test('a window that is asked for again before it came comes both times', async () => {
  const { windows } = await openWindows(new Blob([contents[0]!]));
  // A refused socket leaves requests unanswered, and the next attempt asks for the same windows again.
  const [refused, next, after] = [windows.make(0), windows.make(0), windows.make(WINDOW)];
  expect(Buffer.compare(await refused, await next)).toBe(0);
  expect(await after).toHaveLength(WINDOW);
});

test.each(['ended', 'failed'])('a window in the making is given up where its worker has %s', async (how) => {
  const worker = { postMessage: () => undefined, terminate: () => undefined } as unknown as Worker;
  const ledger = createTagLedger(decoded.header.totalChunks, new Uint8Array(0), async () => undefined);
  const windows = createWindows({
    file: new Blob([contents[0]!]),
    keys,
    prefix,
    size: SIZE,
    ledger,
    onSealed: () => undefined,
    createWorker: () => worker,
  });
  const made = windows.make(0);
  if (how === 'ended') windows.close();
  else worker.onerror?.({ preventDefault: () => undefined } as ErrorEvent);
  await expect(made).rejects.toBeInstanceOf(AppError);
});
