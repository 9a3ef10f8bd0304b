import { AppError } from '@satchel/contract/errors';
import type { AddressesInput, PartsInput } from '@satchel/contract/wire/direct-uploads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { StartAfresh } from '../bytes/tag-ledger.ts';
import { AttemptFailed } from '../tus-requests.ts';
import { PutFailed, type putPart } from './put-part.ts';
import { StoreFailed, sendParts } from './send-parts.ts';

const WINDOW_BYTES = 5000;
const SIZE = 4 * WINDOW_BYTES + 1000;
const STARTS = [0, 1, 2, 3, 4].map((at) => at * WINDOW_BYTES);
const LINE = { url: 'https://satchel.example/storage/v1/upload/resumable/an-id', offset: 0, lease: 5 };

/** The server: the offset it has acknowledged, what it was asked, and what it refuses. */
let offset: number;
let asked: (AddressesInput | PartsInput)[];
let hasAddresses: boolean;
let refuses: string | null;
let isAway: boolean;
/** The store: what it has by name, and how its next requests end. */
let stored: Map<string, number>;
let store: ('ok' | 'fails' | 'hangs')[];
let forgets: boolean;
/** The windows: which bytes were made, and how many buffers are out. */
let made: number[];
let out: number;
let making: (start: number) => Promise<void>;
let acked: number[];

beforeEach(() => {
  [offset, asked, hasAddresses, refuses, isAway] = [0, [], true, null, false];
  [stored, store, forgets, made, out, acked] = [new Map(), [], false, [], 0, []];
  making = async () => {};
  vi.stubGlobal('fetch', async (url: string, { body }: { body: string }) => {
    if (isAway) throw new TypeError('Failed to fetch');
    const input = JSON.parse(body);
    asked.push(input);
    expect(input.lease).toBe(LINE.lease);
    if (refuses !== null)
      return new Response(JSON.stringify(new AppError('upload.lost_lease').toWire()), { status: 409 });
    if (url.endsWith('/an-id/addresses')) {
      const parts = input.parts.map(({ start }: { start: number }) => ({
        name: `part ${start}`,
        url: '',
        headers: {},
      }));
      return Response.json({ parts: hasAddresses ? parts : null });
    }
    for (const name of input.names) {
      const start = Number(name.slice(5));
      if (start === offset && stored.has(name)) offset += stored.get(name)!;
    }
    return Response.json({ offset_bytes: offset });
  });
});
afterEach(() => vi.unstubAllGlobals());

const put: typeof putPart = async ({ address, bytes, signal, onSent }) => {
  const how = store.shift() ?? 'ok';
  if (how === 'hangs') {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }
  if (how === 'fails') throw new PutFailed(403);
  onSent(bytes.length);
  if (!forgets) stored.set(address.name, bytes.length);
};

const windows = {
  size: SIZE,
  async make(start: number) {
    made.push(start);
    await making(start);
    out += 1;
    return new Uint8Array(Math.min(WINDOW_BYTES, SIZE - start));
  },
  giveBack: () => {
    out -= 1;
  },
  close: () => {},
};

const send = (line = LINE, signal = new AbortController().signal) =>
  sendParts(
    {
      ...{ windows, windowBytes: WINDOW_BYTES, signal, put, origin: 'https://satchel.example', pausesMs: [0, 0] },
      bearer: { get: async () => 'a token', refuse: () => {} },
      onProgress: () => {},
      onAcknowledged: (bytes) => void acked.push(bytes),
    },
    line,
  );

describe('sending parts to the store', () => {
  test('all of them are acknowledged in the order of their bytes, whichever is there first', async () => {
    const first = Promise.withResolvers<void>();
    making = (start) => {
      if (start === STARTS[2]) first.resolve();
      return start === 0 ? first.promise : Promise.resolve();
    };
    await send();
    expect(made).toEqual(STARTS);
    expect([acked.at(-1), offset, out]).toEqual([SIZE, SIZE, 0]);
    expect(acked).toEqual(acked.toSorted((a, b) => a - b));
  });

  test('it goes on where the server stands, at whatever byte', async () => {
    offset = 1234;
    await send({ ...LINE, offset });
    expect(made[0]).toBe(1234);
    expect(offset).toBe(SIZE);
  });

  test('a part that the store does not take is sent again with another address', async () => {
    store = ['fails', 'ok', 'ok', 'fails'];
    await send();
    expect(offset).toBe(SIZE);
    expect(asked.filter((input) => 'parts' in input)).toHaveLength(STARTS.length + 2);
  });

  test('where the store takes none, or loses what it took, the server has to take the rest', async () => {
    store = Array.from({ length: 9 }, () => 'fails' as const);
    await expect(send()).rejects.toMatchObject({ name: 'StoreFailed', isUnreachable: true });
    [store, forgets] = [[], true];
    await expect(send()).rejects.toMatchObject({ name: 'StoreFailed', isUnreachable: true });
    expect([acked, out]).toEqual([[], 0]);
  });

  test('where the server has no address, its way is taken, and the store is not blamed', async () => {
    hasAddresses = false;
    const failure = await send().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreFailed);
    expect(failure).toMatchObject({ isUnreachable: false });
  });

  test('a server that refuses, or is away, is no fault of the store', async () => {
    refuses = 'upload.lost_lease';
    const failure = await send().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AttemptFailed);
    expect((failure as AttemptFailed).failure).toMatchObject({ kind: 'response', status: 409 });
    [refuses, isAway] = [null, true];
    expect(await send().catch((error: unknown) => error)).toMatchObject({ failure: { kind: 'network' } });
  });

  test('a pause ends what is on its way, and no buffer stays out', async () => {
    store = ['ok', 'hangs', 'hangs'];
    const pausing = new AbortController();
    const sending = send(LINE, pausing.signal);
    await expect.poll(() => store.length).toBe(0);
    pausing.abort(new Error('paused'));
    await expect(sending).rejects.toThrow('paused');
    expect(out).toBe(0);
  });

  test('a file that changed under it is not sent on', async () => {
    making = async (start) => {
      if (start === STARTS[1]) throw new StartAfresh('content differs');
    };
    await expect(send()).rejects.toBeInstanceOf(StartAfresh);
    expect([...stored.keys()]).not.toContain(`part ${STARTS[1]}`);
    expect(out).toBe(0);
  });
});
