import { randomUUID } from 'node:crypto';
import { access, mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MIB } from '@satchel/contract/limits';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fsck } from '../../src/admin/fsck.ts';
import { deleteOrphanParts } from '../../src/domain/files/orphan-parts.ts';
import { WHOLE } from '../../src/platform/blobs/blobs.ts';
import { createS3Blobs, type S3Blobs } from '../../src/platform/blobs/blobs-s3.ts';
import { startGateway } from '../support/blobs/gateway.ts';
import { blobPath, createTus, createUploadOf, sha256, someBytes, uploadState } from '../support/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';

/** Parts that killed and stale writers leave behind. */

let app: TestApp;
let mika: Account;
beforeAll(async () => {
  app = await createTestApp();
  mika = await app.signIn('mika');
});
afterAll(() => app.close());

async function leave(path: string, hoursAgo: number): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'left behind');
  const at = new Date(Date.now() - hoursAgo * 3_600_000);
  await utimes(path, at, at);
  return path;
}

test('a round of all prefixes deletes old parts without rows, and nothing else', async () => {
  const tus = createTus(app, mika);
  const bytes = someBytes(MIB);
  const done = await createUploadOf(app, mika, MIB);
  expect((await tus.patch(done.url, 0, bytes)).status).toBe(204);
  const open = await createUploadOf(app, mika, MIB);
  expect((await tus.patch(open.url, 0, bytes.subarray(0, 1000))).status).toBe(204);
  const [doneKey, openKey] = [(await uploadState(app, done.url)).blob_key, (await uploadState(app, open.url)).blob_key];
  const partOf = (key: string) => join(`${blobPath(app, key)}.parts`, '77');
  const stale = await leave(partOf(doneKey), 2);
  const young = await leave(`${partOf(doneKey)}8`, 0);
  const busy = await leave(partOf(openKey), 2);
  const unclaimed = await leave(blobPath(app, randomUUID()), 2);
  const { db } = app.database;
  for (let round = 0; round < 256; round += 1) await deleteOrphanParts({ db, blobs: app.deps.blobs }, round);
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );
  expect(await Promise.all([stale, young, busy, unclaimed].map(isThere))).toEqual([false, true, true, false]);
  expect(sha256(await done.content())).toBe(sha256(bytes));
  expect((await tus.patch(open.url, 1000, bytes.subarray(1000))).status).toBe(204);
  expect(sha256(await open.content())).toBe(sha256(bytes));
});

test('fsck counts parts beside a deleted blob, and finds them where no sweep has deleted them in time', async () => {
  const { config, database, deps } = app;
  const blob = randomUUID();
  const part = join(`${blobPath(app, blob)}.parts`, '77');
  const look = () => {
    const { dataDir, tiers } = config;
    const { blobs, keyShares } = deps;
    return fsck({ db: database.db, dataDir, blobs, keyShares, tiers, reads: 'nothing', pauseMs: 10 });
  };
  const ofBlob = async () => (await look()).findings.filter(({ detail }) => detail.blob === blob);
  await leave(part, 0);
  expect(await ofBlob()).toEqual([]);
  expect((await look()).queued.left_blobs).toBe(1);
  await leave(part, 30);
  expect(await ofBlob()).toEqual([{ kind: 'blob_unclaimed', detail: { blob, stored_bytes: 0 } }]);
  await rm(dirname(part), { recursive: true });
});

const gateway = await startGateway();
const settings = await gateway?.bucket();
afterAll(() => gateway?.stop());

describe.runIf(settings)('in an S3 gateway', () => {
  let blobs: S3Blobs;
  let inS3: TestApp;
  beforeAll(async () => {
    blobs = await createS3Blobs(settings!);
    inS3 = await createTestApp({ deps: { blobs } });
  });
  afterAll(() => inS3?.close());

  /** What a writer stores of a blob whose lease it lost: a part without a row. */
  async function storeAsStale(blobKey: string): Promise<string> {
    const writer = await blobs.append({ blobKey, epoch: 77, offsetBytes: 0, last: { start: 0, name: WHOLE } });
    await writer.write([someBytes(5000)]);
    const [part] = await writer.sync(5000);
    await writer.close();
    return `${blobKey}/${part!.name}`;
  }

  async function stored(): Promise<string[]> {
    const names: string[] = [];
    for await (const { blob_key, name } of blobs.list('')) names.push(`${blob_key}/${name}`);
    return names.sort();
  }

  test('a round deletes parts without rows once they are old, and nothing else', async () => {
    const as = await inS3.signIn('mika');
    const tus = createTus(inS3, as);
    const done = await createUploadOf(inS3, as, MIB);
    expect((await tus.patch(done.url, 0, done.bytes)).status).toBe(204);
    const open = await createUploadOf(inS3, as, MIB);
    expect((await tus.patch(open.url, 0, open.bytes.subarray(0, 1000))).status).toBe(204);
    const keys = await Promise.all([done, open].map(async ({ url }) => (await uploadState(inS3, url)).blob_key));
    const acknowledged = await stored();
    expect(acknowledged).toHaveLength(2);
    const busy = await storeAsStale(keys[1]!);
    const unclaimed = randomUUID();
    await blobs.put(unclaimed, [someBytes(10)]);
    const orphans = [await storeAsStale(keys[0]!), await storeAsStale(randomUUID()), `${unclaimed}/${WHOLE}`];
    const all = await stored();
    expect(all).toEqual([...acknowledged, busy, ...orphans].sort());
    const rounds = [...new Set(all.map((name) => Number.parseInt(name.slice(0, 2), 16)))];
    const deps = { db: inS3.database.db, blobs };
    // An hour has to pass.
    for (const round of rounds) await deleteOrphanParts(deps, round);
    expect(await stored()).toEqual(all);
    for (const round of rounds) await deleteOrphanParts({ ...deps, orphanAgeMs: 0 }, round);
    expect(await stored()).toEqual([...acknowledged, busy].sort());
    expect(sha256(await done.content())).toBe(sha256(done.bytes));
    expect((await tus.patch(open.url, 1000, open.bytes.subarray(1000))).status).toBe(204);
    expect(sha256(await open.content())).toBe(sha256(open.bytes));
  });
});
