import { decodeHeader, encodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { createHeader, createSealer } from '@satchel/container/seal';
import { AppError } from '@satchel/contract/errors';
import { CHUNK_OVERHEAD_BYTES, KIB } from '@satchel/contract/limits';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSealedFile, createWindowMaker, sealedGeometry } from './window-maker.ts';
import { createTagLedger, createWindows, StartAfresh } from './windows.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const keys = await importKeys(newFolderKey());
const SIZE = 300 * KIB + 11;
const WINDOW = 100 * KIB;

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
  | { readonly act: 'send'; readonly from: number; readonly pieces: number }
  /** The page is reloaded: only the log on disk stays. */
  | { readonly act: 'reload' }
  | { readonly act: 'change' };

test('no counter meets two contents, after any cuts, reloads and changes of the file', async () => {
  const step_ = fc.oneof(
    fc.record({
      act: fc.constant('send' as const),
      from: fc.constantFrom(0, 16 * KIB, WINDOW, 150 * KIB),
      pieces: fc.integer({ min: 1, max: 2 }),
    }),
    fc.record({ act: fc.constantFrom('reload' as const, 'change' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step_, { minLength: 2, maxLength: 6 }), async (steps) => {
      const site: Site = { file: new ChangingFile([contents[0]!]), sent: new Map() };
      const disk: number[] = [];
      const open = () => {
        const { totalChunks, sizeBytes: size } = sealedGeometry(decoded);
        const ledger = createTagLedger(totalChunks, new Uint8Array(disk), async (firstChunk, tags) => {
          expect(firstChunk * 32).toBe(disk.length);
          disk.push(...tags);
        });
        const maker = createWindowMaker({ file: site.file, keys, prefix });
        return createWindows({ maker, size, ledger, onSealed: () => undefined, windowBytes: WINDOW });
      };
      let windows = open();
      for (const one of steps as Step[]) {
        if (one.act === 'reload') windows = open();
        if (one.act === 'change') site.file.current = 1 - site.file.current;
        if (one.act !== 'send') continue;
        try {
          let at = one.from;
          for (let piece = 0; piece < one.pieces && at < windows.size; piece += 1) {
            const bytes = await windows.make(at);
            // What is handed out is on disk already: a page that dies now leaves it to the next one.
            note(site, at, bytes);
            at += bytes.length;
            windows.giveBack(bytes);
          }
        } catch (error) {
          // The upload begins afresh, under another baseCounter.
          if (error instanceof StartAfresh || error instanceof AppError) return;
          throw error;
        }
      }
    }),
    { numRuns: 60 },
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
  const windows = createWindows({
    maker: createWindowMaker({ file, keys, prefix }),
    size: virtual.sizeBytes,
    ledger,
    onSealed: (bytes) => events.push(`sealed ${bytes}`),
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

test('a file that is too short fails with its code', async () => {
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

test('a window after the end of its maker is not made', async () => {
  const { windows } = await openWindows(new Blob([contents[0]!]));
  windows.close();
  await expect(windows.make(0)).rejects.toBeInstanceOf(AppError);
});

test('a window that begins between two ends at the next one, and one that is cut short at its end', async () => {
  const { windows } = await openWindows(new Blob([contents[0]!]));
  expect(await windows.make(0, 7)).toHaveLength(7);
  expect(await windows.make(7)).toHaveLength(WINDOW - 7);
  expect(windows.endOf(windows.size - 1)).toBe(windows.size);
});
