import { decodeHeader } from '@satchel/container/format';
import { importKeys, newFolderKey } from '@satchel/container/key';
import { openContainer } from '@satchel/container/open';
import { MIB } from '@satchel/contract/limits';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { memoryLocks, memoryLog } from '../testing/stores.ts';
import { createTestServer, FAIR, type Weather } from '../testing/test-server.ts';
import { createWindowMaker } from './bytes/window-maker.ts';
import type { UploadFolder } from './order.ts';
import type { Bytes, HoldLock, HttpRequest, Network, Socket, UploadLog } from './ports.ts';
import { transfer } from './transfer.ts';

/**
 * A baseCounter never meets two contents (docs/container.md §5): whatever is killed, whatever the line does, and whenever the
 * file changes without saying so. AES-CTR makes the same key stream of the same counter, so two contents under it give both away.
 */

const keys = await importKeys(newFolderKey());
const folder: UploadFolder = {
  id: 'folder',
  slug: 'slug',
  bucket: 'unlocked-folders',
  bucket_storage_path: 'path',
  hide_names: true,
  link_mode: 'private',
  expires_at: '2100-01-01T00:00:00Z',
};

/** Bytes on the disk, of which a reader sees what is there when it reads. */
interface Disk {
  bytes: Bytes;
}
const PIECE_BYTES = 64 * 1024;

const viewOf = (disk: Disk, start: number, end: number): Blob =>
  ({
    size: end - start,
    slice: (from = 0, to = end - start) => viewOf(disk, start + from, start + to),
    arrayBuffer: async () => disk.bytes.slice(start, end).buffer,
    stream() {
      let at = start;
      return new ReadableStream({
        pull(controller) {
          const next = Math.min(at + PIECE_BYTES, end);
          if (next > at) controller.enqueue(disk.bytes.slice(at, next));
          else controller.close();
          at = next;
        },
      });
    },
  }) as Blob;

/** Its size and time stay the same, whatever is written to it: no system that tells of changes helps. */
function fileOn(disk: Disk): File {
  const file = new File([disk.bytes], 'diary.bin', { type: 'application/octet-stream', lastModified: 1 });
  return Object.assign(file, {
    slice: (from = 0, to = file.size) => viewOf(disk, from, Math.min(to, file.size)),
    stream: () => viewOf(disk, 0, file.size).stream(),
  });
}

/** The first place at which two pieces differ; -1 for none. A callback for each byte would take most of the test's time. */
function differsAt(one: Bytes, other: Bytes): number {
  for (let place = 0; place < one.length; place += 1) if (one[place] !== other[place]) return place;
  return one.length === other.length ? -1 : one.length;
}

/** What anybody on the way could have seen, by baseCounter: the bytes of its container that were sent, which begin at the first. */
function createWitness() {
  const seen = new Map<string, { readonly bytes: Bytes; end: number }>();
  const counterOf = new Map<string, string>();
  return {
    seen,
    /** @param upload its address @throws where another byte was sent at this place before */
    saw(upload: string, offset: number, bytes: Bytes, length: number): void {
      if (offset === 0 && bytes.length > 0) {
        const { baseCounter } = decodeHeader(bytes)!.header;
        counterOf.set(upload, baseCounter.join());
      }
      const counter = counterOf.get(upload);
      if (counter === undefined) throw new Error('bytes without their header');
      const known = seen.get(counter) ?? { bytes: new Uint8Array(length), end: 0 };
      seen.set(counter, known);
      if (offset > known.end) throw new Error('bytes with a gap before them');
      const again = bytes.subarray(0, known.end - offset);
      const place = differsAt(again, known.bytes.subarray(offset, offset + again.length));
      if (place >= 0) throw new Error(`two contents under one counter, at byte ${offset + place}`);
      known.bytes.set(bytes, offset);
      known.end = Math.max(known.end, offset + bytes.length);
    },
  };
}
type Witness = ReturnType<typeof createWitness>;

const joined = (parts: readonly Bytes[]): Bytes => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** One life of a process: everything that it does outside of itself is a step. */
interface Life {
  /** At which step it is killed, and whether what it began there still happens; null: it lives to the end. */
  readonly killAt: number | null;
  readonly happens: boolean;
  /** At which step the file on the disk becomes another. */
  readonly changeAt: number | null;
  /** At which step the line takes half of a request, and breaks. */
  readonly tearAt: number | null;
  readonly hasSockets: boolean;
  readonly sockets: Weather['sockets'];
  readonly requests: Weather['requests'];
  /** At which step the line gets well. */
  readonly fairAt: number;
}

const FOREVER = new Promise<never>(() => undefined);

/** What outlives processes. */
interface World {
  readonly disk: Disk;
  readonly log: UploadLog;
  readonly server: ReturnType<typeof createTestServer>;
  readonly witness: Witness;
  readonly held: Map<string, () => void>;
  readonly hold: HoldLock;
}

function newWorld(sizeBytes: number): World {
  return {
    disk: { bytes: new Uint8Array(sizeBytes) },
    log: memoryLog(),
    server: createTestServer(),
    witness: createWitness(),
    held: new Map(),
    hold: memoryLocks(),
  };
}

function live({ disk, log, server, witness, held, hold }: World, life: Life, fault: (error: unknown) => void) {
  let steps = 0;
  let isDead = false;
  const begun = new Map<Socket, { readonly id: string; at: number }>();
  Object.assign(server.weather, { sockets: life.sockets, requests: life.requests });

  /** Takes a step. @returns whether it happens */
  function step(): boolean {
    if (isDead) return false;
    steps += 1;
    if (steps === life.changeAt) disk.bytes = disk.bytes.map((byte) => byte + 1);
    if (steps === life.fairAt) Object.assign(server.weather, FAIR);
    if (steps !== life.killAt) return true;
    isDead = true;
    for (const release of held.values()) release();
    held.clear();
    queueMicrotask(server.cutSockets);
    return life.happens;
  }
  /** Something that a process does and waits for: a dead one never hears of it. */
  const act = async <Result>(work: () => Promise<Result> | Result): Promise<Result> => {
    const result = step() ? await work() : await FOREVER;
    return isDead ? FOREVER : result;
  };
  const see = (upload: string, offset: number, bytes: Bytes) => {
    try {
      const length = server.lengthOf(upload) ?? bytes.length;
      witness.saw(upload, offset, bytes, length);
    } catch (error) {
      fault(error);
    }
  };

  function request(asked: HttpRequest) {
    return act(() => {
      const body = joined(asked.body ?? []);
      if (asked.method === 'POST' && body.length > 0) see(`whole-${witness.seen.size}`, 0, body);
      if (asked.method !== 'PATCH') return server.network.request(asked);
      const isTorn = steps === life.tearAt;
      const sent = isTorn ? body.slice(0, body.length / 2) : body;
      see(asked.url, Number(asked.headers['Upload-Offset']), sent);
      const answer = server.network.request({ ...asked, body: [sent] });
      if (!isTorn) return answer;
      return answer.then(() => {
        throw new TypeError('Failed to fetch');
      });
    });
  }

  function openSocket(url: string, protocol: string): Socket {
    const socket = server.network.openSocket!(url, protocol);
    const send = socket.send.bind(socket);
    socket.send = (data) => {
      if (!step()) return;
      if (typeof data === 'string') {
        const { id, offset } = JSON.parse(data) as { id: string; offset: number };
        begun.set(socket, { id, at: offset });
      } else {
        const place = begun.get(socket)!;
        see(server.urlOf(place.id), place.at, data);
        place.at += data.length;
      }
      send(data);
    };
    return socket;
  }

  const mortal: UploadLog = {
    ...log,
    create: (entry) => act(() => log.create(entry)),
    setUrl: (id, url) => act(() => log.setUrl(id, url)),
    appendTags: (id, firstChunk, tags) => act(() => log.appendTags(id, firstChunk, tags)),
    remove: (id) => act(() => log.remove(id)),
  };
  const network: Network = { ...server.network, request, openSocket: life.hasSockets ? openSocket : null };
  let settled: 'open' | 'done' | 'failed' = 'open';
  const { done } = transfer({
    order: {
      file: fileOn(disk),
      strips: false,
      name: 'diary.bin',
      path: 'diary.bin',
      folder,
      keys,
      userId: 'mika',
    },
    recallFolder: async () => ({ isPinned: false }),
    openLog: async () => mortal,
    async hold(name, waitMs) {
      const release = await hold(name, waitMs);
      if (release) held.set(name, release);
      if (release === null) return null;
      return () => {
        if (held.delete(name)) release();
      };
    },
    createMaker: (ingredients) => createWindowMaker(ingredients),
    network,
    bearer: { get: async () => 'bearer', refuse: () => undefined },
    isOnline: true,
    emit: () => undefined,
  });
  done.then(
    () => {
      settled = 'done';
    },
    (error) => {
      settled = 'failed';
      fault(error);
    },
  );
  return { settled: () => settled, isOver: () => isDead || settled !== 'open' };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});
const now = setTimeout;
const MOST_TURNS = 20_000;
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS && !holds(); turn += 1) {
    await new Promise((resolve) => now(resolve, 0));
    await vi.advanceTimersByTimeAsync(turn < 200 ? 5 : 500);
  }
  expect(holds()).toBe(true);
}

/** Processes live one after the other; the last one has a good line and is left alone. @throws what the witness saw */
async function play(sizeBytes: number, lives: readonly Life[]): Promise<World> {
  const world = newWorld(sizeBytes);
  const faults: unknown[] = [];
  for (const life of [...lives, UNHURT]) {
    const process = live(world, life, (error) => faults.push(error));
    await until(process.isOver);
    vi.clearAllTimers();
    expect(faults).toEqual([]);
    if (life !== UNHURT && process.settled() === 'done') return world;
  }
  return world;
}

const UNHURT: Life = {
  killAt: null,
  happens: true,
  changeAt: null,
  tearAt: null,
  hasSockets: true,
  sockets: 'taken',
  requests: 'taken',
  fairAt: 1,
};
const [SMALL_BYTES, LARGE_BYTES] = [200_000, 1.8 * MIB];

/** What the server has of the last upload, opened. */
async function opened({ server, witness }: World): Promise<Bytes> {
  const { offset, length } = server.stored();
  expect(offset).toBe(length);
  const { bytes } = [...witness.seen.values()].at(-1)!;
  const { plaintext } = await openContainer(keys, new Blob([bytes]).stream(), { check: async () => undefined });
  const units: Bytes[] = [];
  for await (const unit of plaintext) units.push(...unit);
  return joined(units);
}

test.each<[string, Partial<Life>]>([
  ['by the socket', {}],
  ['by requests', { hasSockets: false, tearAt: 5 }],
])('%s: a file that changed while its sender was dead goes under another counter', async (_, way) => {
  const kill = { ...UNHURT, ...way, killAt: 7 };
  const same = await play(LARGE_BYTES, [kill, kill]);
  expect(same.witness.seen.size).toBe(1);
  expect(differsAt(await opened(same), same.disk.bytes)).toBe(-1);
  const changed = await play(LARGE_BYTES, [kill, { ...kill, changeAt: 1 }]);
  expect(changed.witness.seen.size).toBe(2);
  expect(differsAt(await opened(changed), changed.disk.bytes)).toBe(-1);
});

const at = fc.integer({ min: 1, max: 24 });
const lives: fc.Arbitrary<Life> = fc.record({
  killAt: at,
  happens: fc.boolean(),
  changeAt: fc.option(at),
  tearAt: fc.option(at),
  hasSockets: fc.boolean(),
  sockets: fc.constantFrom('taken', 'refused', 'silent', 'full', 'cut'),
  requests: fc.constantFrom('taken', 'lost', 'silent', 'busy'),
  fairAt: at,
});

test('no counter meets two contents, and the last process brings the file, over kills, changes and both ways', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(SMALL_BYTES, LARGE_BYTES),
      fc.array(lives, { minLength: 1, maxLength: 5 }),
      async (sizeBytes, script) => {
        const world = await play(sizeBytes, script);
        const isSame = script.every(({ changeAt }) => changeAt === null);
        if (isSame) expect(differsAt(await opened(world), world.disk.bytes)).toBe(-1);
      },
    ),
    { numRuns: 60 },
  );
});
