import { fromWire } from '@satchel/contract/errors';
import { expect, test, vi } from 'vitest';
import { type Delivery, deliveryStream } from './delivery-stream.ts';
import { STILL_MS } from './standstill.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const release = ({ buffer }: Bytes): void => void structuredClone(buffer, { transfer: [buffer] });

const opens = (units: readonly (readonly Bytes[])[]) => () => ({
  units: (async function* () {
    yield* units;
  })(),
});

test('a stream that opens too few bytes fails', async () => {
  const deliveries: Delivery[] = [];
  const onDelivery = (delivery: Delivery) => deliveries.push(delivery);
  const stream = deliveryStream({ open: opens([[new Uint8Array(5)]]), sizeBytes: 6, onDelivery });
  await expect(new Response(stream).bytes()).rejects.toThrow();
  expect(fromWire(deliveries.at(-1)?.error)?.code).toBe('open.size_mismatch');
});

test('a chunk is freed once the reader asks for what comes after its unit, and never before', async () => {
  const units = [1, 2, 3].map((value) => [0, 1].map(() => new Uint8Array(100_000).fill(value)));
  const stream = deliveryStream({ open: opens(units), sizeBytes: 600_000, onDelivery() {}, release });
  const reader = stream.getReader();
  const lengths = () => units.flat().map(({ byteLength }) => byteLength / 100_000);
  await reader.read();
  await reader.read();
  await new Promise(setImmediate);
  expect(lengths()).toEqual([1, 1, 1, 1, 1, 1]);
  expect((await reader.read()).value?.[0]).toBe(2);
  expect(lengths()).toEqual([0, 0, 1, 1, 1, 1]);
  for (let read = await reader.read(); !read.done; ) read = await reader.read();
  expect(lengths()).toEqual([0, 0, 0, 0, 0, 0]);
});

test('a stream whose reader waits for long says so, and says when it continues; one that nobody reads says nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const states: string[] = [];
    const coming = Promise.withResolvers<void>();
    async function* units() {
      yield [new Uint8Array(5)];
      await coming.promise;
      yield [new Uint8Array(5)];
    }
    const onDelivery = ({ state }: Delivery) => states.push(state);
    const reader = deliveryStream({ open: () => ({ units: units() }), sizeBytes: 10, onDelivery }).getReader();
    await reader.read();
    await vi.advanceTimersByTimeAsync(10 * STILL_MS);
    expect(states).toEqual(['active']);
    const read = reader.read();
    await vi.advanceTimersByTimeAsync(STILL_MS);
    expect(states).toEqual(['active', 'waiting']);
    coming.resolve();
    await read;
    await reader.read();
    expect(states).toEqual(['active', 'waiting', 'active', 'done']);
  } finally {
    vi.useRealTimers();
  }
});
