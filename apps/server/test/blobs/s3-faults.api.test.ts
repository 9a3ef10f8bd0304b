import { randomBytes, randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { MIB } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { type BlobParts, type ByteRange, WHOLE, wholeBlob } from '../../src/platform/blobs/blobs.ts';
import { createS3Blobs, type S3Blobs } from '../../src/platform/blobs/blobs-s3.ts';
import { atEnd } from '../support/at-end.ts';
import { createFaultProxy, type FaultProxy, STORE_FAULTS, type StoreFault } from '../support/blobs/fault-proxy.ts';
import { describeS3 } from '../support/blobs/s3-tests.ts';
import { createTus, createUploadOf, sha256 } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** A real S3 gateway behind a line that breaks: nothing acknowledged is lost, and no wrong byte is stored. */

/** How long a silent store is waited for, and one that answers on a busy machine. */
const SILENT_MS = 1500;
const ANSWER_MS = 10_000;
const ALWAYS = Number.POSITIVE_INFINITY;

interface Store {
  readonly fault: StoreFault;
  readonly proxy: FaultProxy;
  readonly blobs: S3Blobs;
}

await describeS3('an S3 gateway behind a line that breaks', async (gateway) => {
  /** One for each fault, so that all of them are waited for at the same time. */
  const settings = await gateway.bucket();
  const stores: readonly Store[] = await Promise.all(
    STORE_FAULTS.map(async (fault) => {
      const proxy = await createFaultProxy(settings.endpoint!);
      atEnd(() => proxy.close());
      const answerMs = fault === 'silence' ? SILENT_MS : ANSWER_MS;
      return { fault, proxy, blobs: await createS3Blobs({ ...settings, endpoint: proxy.endpoint }, answerMs) };
    }),
  );

  const inEach = (act: (store: Store) => Promise<void>) => Promise.all(stores.map(act));

  /** What a receiver gets before the reading ends, and whether it ended well. */
  async function receive(blobs: S3Blobs, blob: BlobParts, sizeBytes: number, range: ByteRange) {
    const received: Buffer[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        received.push(Buffer.from(chunk));
        done();
      },
    });
    const isWhole = await blobs
      .open(blob, sizeBytes)
      .then((reader) => reader.send(range, sink))
      .then(
        () => true,
        () => false,
      );
    return { isWhole, bytes: Buffer.concat(received) };
  }

  async function write(blobs: S3Blobs, blobKey: string, bytes: Buffer): Promise<BlobParts> {
    const writer = await blobs.append({ blobKey, epoch: 1, offsetBytes: 0, last: { start: 0, name: WHOLE } });
    try {
      await writer.write([bytes]);
      return { blobKey, parts: await writer.sync(bytes.length) };
    } finally {
      await writer.close();
    }
  }

  test('one fault of a request is tried again, or the bytes are not acknowledged', async () => {
    const tried: string[] = [];
    await inEach(async ({ fault, proxy, blobs }) => {
      const bytes = randomBytes(2 * MIB);
      proxy.arm(fault, 'PUT', 1);
      const blob = await write(blobs, randomUUID(), bytes).catch(() => null);
      expect(proxy.struck()).toBe(1);
      if (!blob) return;
      tried.push(fault);
      const { isWhole, bytes: found } = await receive(blobs, blob, bytes.length, { start: 0, end: bytes.length });
      expect([fault, isWhole, found.equals(bytes)]).toEqual([fault, true, true]);
    });
    // The store refuses a body with other bytes than its signature has, for good.
    expect(tried.toSorted()).toEqual(STORE_FAULTS.filter((fault) => fault !== 'flip').toSorted());
  });

  test('a fault of every request keeps bytes from being acknowledged', async () => {
    await inEach(async ({ fault, proxy, blobs }) => {
      proxy.arm(fault, 'PUT', ALWAYS);
      await expect(write(blobs, randomUUID(), randomBytes(1000))).rejects.toMatchObject({
        code: 'request.unavailable',
      });
      proxy.disarm();
    });
  });

  test('what is read is right, whole or in ranges, or it breaks off', async () => {
    await inEach(async ({ fault, proxy, blobs }) => {
      if (fault === 'flip') return;
      const bytes = randomBytes(3 * MIB);
      const [small, large] = [wholeBlob(randomUUID()), await write(blobs, randomUUID(), bytes)];
      await blobs.put(small.blobKey, [bytes.subarray(0, 100_000)]);
      const reads = [
        [small, 100_000, { start: 7, end: 99_999 }],
        [large, bytes.length, { start: 0, end: bytes.length }],
        [large, bytes.length, { start: 70_001, end: MIB + 5 }],
      ] as const;
      for (const [blob, sizeBytes, range] of fault === 'silence' ? reads.slice(0, 1) : reads) {
        const wanted = bytes.subarray(range.start, range.end);
        proxy.arm(fault, 'GET', 1);
        const once = await receive(blobs, blob, sizeBytes, range);
        expect([fault, proxy.struck(), once.isWhole, once.bytes.equals(wanted)]).toEqual([fault, 1, true, true]);
      }
      // An answer begins each time, so that this reader's own tries are waited for.
      if (fault !== 'cut') return;
      for (const [blob, sizeBytes, range] of reads) {
        proxy.arm(fault, 'GET', ALWAYS);
        const always = await receive(blobs, blob, sizeBytes, range);
        expect([fault, always.isWhole, always.bytes.length]).toEqual([fault, false, 0]);
      }
      proxy.disarm();
    });
  });

  test('a store that is silent for good is asked a few times, and then no more is waited for', async () => {
    const { proxy, blobs } = stores.find(({ fault }) => fault === 'silence')!;
    const [small, large] = [wholeBlob(randomUUID()), await write(blobs, randomUUID(), randomBytes(MIB))];
    await blobs.put(small.blobKey, [randomBytes(1000)]);
    const asked = async (act: Promise<unknown>) => {
      proxy.arm('silence', 'any', ALWAYS);
      await act;
      return proxy.struck();
    };
    const unavailable = { code: 'request.unavailable' };
    const isRefused = (act: Promise<unknown>) => asked(expect(act).rejects.toMatchObject(unavailable));
    const all = await Promise.all([
      isRefused(blobs.open(small, 1000)),
      isRefused(blobs.open(large, MIB)),
      isRefused(blobs.put(randomUUID(), [randomBytes(1000)])),
      asked(expect(blobs.delete([small])).resolves.toHaveLength(1)),
    ]);
    proxy.disarm();
    // Of all four together: each is asked two times, or a third time as the time ends.
    expect(Math.max(...all)).toBeLessThanOrEqual(12);
  });

  test('an upload waits while the store fails, and continues at its last acknowledged byte', async () => {
    const { proxy, blobs } = stores.find(({ fault }) => fault === 'error')!;
    const app = await createTestApp({ deps: { blobs } });
    const mika = await app.signIn('mika');
    const tus = createTus(app, mika);
    const { url, bytes, content } = await createUploadOf(app, mika, 2 * MIB);
    expect((await tus.patch(url, 0, bytes.subarray(0, MIB))).status).toBe(204);
    proxy.arm('error', 'any', ALWAYS);
    const refused = await tus.patch(url, MIB, bytes.subarray(MIB));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await tus.offsetOf(url)).toBe(MIB);
    proxy.disarm();
    expect((await tus.patch(url, MIB, bytes.subarray(MIB))).status).toBe(204);
    expect(sha256(await content())).toBe(sha256(bytes));
  });
});
