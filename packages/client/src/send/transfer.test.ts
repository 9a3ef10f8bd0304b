import { MIB } from '@satchel/contract/limits';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memoryLocks, memoryLog } from '../testing/stores.ts';
import { createTestServer, FAIR, type Weather } from '../testing/test-server.ts';
import { createWindowMaker, type WindowMaker } from './bytes/window-maker.ts';
import type { SendEvent, UploadFolder } from './order.ts';
import { type Transfer, transfer } from './transfer.ts';

const LARGE = new File([new Uint8Array(MIB + 300_000)], 'large.bin', { lastModified: 1 });
const folder: UploadFolder = {
  id: 'folder',
  slug: 'slug',
  bucket: 'unlocked-folders',
  bucket_storage_path: 'path',
  hide_names: false,
  link_mode: 'plain',
  expires_at: '2100-01-01T00:00:00Z',
};

/** Makes nothing of its own: the course of an upload is the subject, and a thousand of them are tried. */
const emptyMaker = (): WindowMaker => ({
  make: async (start, end, buffer) => ({
    buffer,
    tags: Array.from({ length: Math.ceil((end - start) / (MIB / 2)) }, (_, at) => ({
      index: start / (MIB / 2) + at,
      tag: new Uint8Array(32),
    })),
  }),
  close: () => undefined,
});

function begin(file = LARGE, makes: 'bytes' | 'nothing' = 'bytes') {
  const server = createTestServer();
  const events: SendEvent[] = [];
  const running: Transfer = transfer({
    order: { file, strips: false, name: file.name, path: file.name, folder, keys: null, userId: 'mika' },
    recallFolder: async () => ({ isPinned: false }),
    openLog: async () => memoryLog(),
    hold: memoryLocks(),
    createMaker: makes === 'bytes' ? (made) => createWindowMaker(made) : emptyMaker,
    network: server.network,
    bearer: { get: async () => 'bearer', refuse: () => undefined },
    isOnline: true,
    emit: (event) => events.push(event),
  });
  let settled: 'open' | 'done' | 'failed' = 'open';
  running.done.then(
    () => {
      settled = 'done';
    },
    () => {
      settled = 'failed';
    },
  );
  const types = () => events.map(({ type }) => type);
  const refusals = () => events.filter(({ type }) => type === 'way').length;
  return { ...running, server, events, types, refusals, settled: () => settled };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});
/** What this process reads, digests and hashes takes time outside of the clock. */
const now = setTimeout;
const settle = () => new Promise((resolve) => now(resolve, 0));
/** Lets time pass in steps, so that requests and answers, and what is read between them, take turns. */
async function pass(ms: number): Promise<void> {
  await settle();
  for (let left = ms; left > 0; left -= 5000) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 5000));
    await settle();
  }
}
const MOST_STEPS = 20_000;
async function passUntil(holds: () => boolean, stepMs = 50): Promise<void> {
  for (let step = 0; step < MOST_STEPS && !holds(); step += 1) await pass(stepMs);
  expect(holds()).toBe(true);
}

describe('an upload', () => {
  test('goes by the socket', async () => {
    const upload = begin();
    await passUntil(() => upload.settled() === 'done');
    expect(upload.server.ways()).toEqual(['socket']);
    expect(upload.server.stored()).toEqual({ offset: LARGE.size, length: LARGE.size });
    expect(upload.types().at(-1)).toBe('completed');
  });

  test.each(['hello', ''])('of the small file %j goes in one request with its creation', async (text) => {
    const small = new File([text], 'small.txt', { lastModified: 1 });
    const upload = begin(small);
    await passUntil(() => upload.settled() === 'done');
    expect(upload.server.ways()).toEqual([]);
    expect(upload.server.stored()).toEqual({ offset: text.length, length: text.length });
    expect(upload.refusals()).toBe(0);
  });

  test.each<[string, Weather['sockets']]>([
    ['can’t be opened', 'refused'],
    ['is opened and says nothing', 'silent'],
    ['is one too many', 'full'],
  ])('whose socket %s goes by requests, and says so once', async (_, sockets) => {
    const upload = begin();
    upload.server.weather.sockets = sockets;
    await passUntil(() => upload.settled() === 'done');
    expect(upload.server.ways()).toEqual(['http']);
    expect(upload.types()).not.toContain('retry');
    expect(upload.refusals()).toBe(1);
  });

  test('whose sockets break twice goes by requests from then on', async () => {
    const upload = begin();
    upload.server.weather.sockets = 'cut';
    await passUntil(() => upload.settled() === 'done');
    expect(upload.server.ways()).toEqual(['socket', 'http']);
  });

  test.each<[string, Partial<Weather>]>([
    ['refuses every connection', { requests: 'lost', sockets: 'refused' }],
    ['swallows everything', { requests: 'silent', sockets: 'silent' }],
    ['has a gateway without its server', { requests: 'busy', sockets: 'refused' }],
  ])('waits while the line %s for ten minutes, and ends when it is back', async (_, bad) => {
    const upload = begin();
    Object.assign(upload.server.weather, bad);
    await passUntil(() => upload.types().includes('retry'));
    await pass(600_000);
    expect(upload.settled()).toBe('open');
    Object.assign(upload.server.weather, FAIR);
    await passUntil(() => upload.settled() === 'done');
    expect(upload.server.ways()).toEqual(['socket']);
    expect(upload.refusals()).toBe(0);
  });

  test('that waits for the server tries at once when it is hurried', async () => {
    const upload = begin();
    Object.assign(upload.server.weather, { requests: 'lost', sockets: 'refused' });
    await passUntil(() => upload.types().includes('retry'));
    await pass(300_000);
    Object.assign(upload.server.weather, FAIR);
    upload.tell({ type: 'hurried' });
    for (let step = 0; step < 50; step += 1) await pass(10);
    expect(upload.settled()).toBe('done');
    expect(upload.events.filter(({ type }) => type === 'retry').at(-1)).toMatchObject({ delayMs: 60_000 });
  });

  test('that stands still on a line which swallows its bytes notices within twenty seconds', async () => {
    const upload = begin(new File([new Uint8Array(40 * MIB)], 'huge.bin', { lastModified: 1 }), 'nothing');
    await passUntil(() => upload.server.stored().offset > 0, 1);
    Object.assign(upload.server.weather, { requests: 'silent', sockets: 'silent' });
    await pass(20_100);
    expect(upload.types()).toContain('retry');
    upload.tell({ type: 'cancelled' });
    await passUntil(() => upload.settled() === 'done');
  });

  test('pauses, says what the server has, and resumes at its offset', async () => {
    const upload = begin();
    await passUntil(() => upload.server.stored().offset > 0, 1);
    upload.tell({ type: 'paused' });
    await pass(1000);
    const { offset } = upload.server.stored();
    expect(upload.events.at(-1)).toMatchObject({ type: 'progress', bytesUploaded: offset });
    await pass(100_000);
    expect(upload.server.stored().offset).toBe(offset);
    upload.tell({ type: 'resumed' });
    await passUntil(() => upload.settled() === 'done');
  });

  test('waits while the device is offline, and uses up no try', async () => {
    const upload = begin();
    upload.tell({ type: 'line', isOnline: false });
    await passUntil(() => upload.types().includes('offline'));
    await pass(1_000_000);
    expect(upload.types()).not.toContain('retry');
    upload.tell({ type: 'line', isOnline: true });
    await passUntil(() => upload.settled() === 'done');
  });
});

type Act =
  | { readonly act: 'pass'; readonly ms: number }
  | { readonly act: 'weather'; readonly weather: Weather }
  | { readonly act: 'cut' | 'paused' | 'resumed' | 'hurried' | 'cancelled' }
  | { readonly act: 'line'; readonly isOnline: boolean };

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('pass' as const), ms: fc.constantFrom(1, 3, 200, 25_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('weather' as const),
      weather: fc.record<Weather>({
        requests: fc.constantFrom('taken', 'lost', 'silent', 'busy'),
        sockets: fc.constantFrom('taken', 'refused', 'silent', 'full', 'cut'),
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constantFrom('cut', 'paused', 'resumed', 'hurried') }) as fc.Arbitrary<Act>,
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('cancelled' as const) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('line' as const), isOnline: fc.boolean() }) },
);

test('ends in a thousand orders of opening, refusal, breaks, silence, pauses and cancels', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 12 }), async (script) => {
      const upload = begin(LARGE, 'nothing');
      let isCancelled = false;
      for (const one of script) {
        if (one.act === 'pass') await pass(one.ms);
        else if (one.act === 'weather') Object.assign(upload.server.weather, one.weather);
        else if (one.act === 'cut') upload.server.cutSockets();
        else if (one.act === 'line') upload.tell({ type: 'line', isOnline: one.isOnline });
        else upload.tell({ type: one.act });
        isCancelled ||= one.act === 'cancelled';
      }
      // From here on nothing is in the way.
      Object.assign(upload.server.weather, FAIR);
      upload.tell({ type: 'line', isOnline: true });
      upload.tell({ type: 'resumed' });
      await passUntil(() => upload.settled() !== 'open', 5000);
      expect(upload.settled()).toBe('done');
      expect(upload.types().at(-1)).toBeOneOf(isCancelled ? ['completed', 'cancelled'] : ['completed']);
      if (!isCancelled) expect(upload.server.stored()).toEqual({ offset: LARGE.size, length: LARGE.size });
      expect(vi.getTimerCount()).toBe(0);
    }),
    { numRuns: 1000 },
  );
});
