import { pathToFileURL } from 'node:url';
import { KIB, MIB } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { deleteCommand, sweepCommand } from '../../src/admin/commands.ts';
import { fsck } from '../../src/admin/fsck.ts';
import { ownShares } from '../../src/admin/site-access.ts';
import { openBlobs } from '../../src/platform/blobs/open-blobs.ts';
import { lockSite } from '../../src/platform/site/site-lock.ts';
import { openTestDatabase, takeDatabase, takeFolder } from '../support/at-end.ts';
import {
  accountOf,
  createTus,
  createUploadOf,
  expire,
  openPatch,
  sha256,
  storedBlobs,
  untilOffset,
} from '../support/storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';
import { makeFiles } from '../support/uploads/still-kit.ts';

/** The operator's commands on a site whose people are in the middle of something. */

const LENGTH = 3 * MIB;
const ACKED = 64 * KIB;

async function startSite(env: Record<string, string> = {}): Promise<TestApp> {
  const url = await takeDatabase();
  const database = await openTestDatabase({ url });
  const made = await createTestApp({ env: { ...env, DATABASE_URL: url }, deps: { database } });
  Object.assign(made.deps.blobs, await openBlobs(made.config));
  return made;
}

/** A site on a disk, and one whose files lie in a directory for all nodes. Each has a database. */
const app = await startSite();
const node = await startSite({ BLOBS_URL: pathToFileURL(await takeFolder()).href });

const findingsOf = async ({ database, config }: TestApp) =>
  (
    await fsck({
      db: database.db,
      dataDir: config.dataDir,
      blobs: await openBlobs(config),
      keyShares: ownShares(config),
      tiers: config.tiers,
      reads: 'hashes',
      pauseMs: 10,
    })
  ).findings;

/** An open upload of which the first bytes are acknowledged. */
async function beginUpload(site: TestApp, as: Account) {
  const begun = await createUploadOf(site, as, LENGTH);
  expect((await createTus(site, as).patch(begun.url, 0, begun.bytes.subarray(0, ACKED))).status).toBe(204);
  return begun;
}

async function expectToEndWhole(site: TestApp, as: Account, begun: Awaited<ReturnType<typeof beginUpload>>) {
  const tus = createTus(site, as);
  expect(await tus.offsetOf(begun.url)).toBe(ACKED);
  expect((await tus.patch(begun.url, ACKED, begun.bytes.subarray(ACKED))).status).toBe(204);
  expect(sha256(await begun.content())).toBe(sha256(begun.bytes));
}

test('sweep ends an open upload of an expired folder with its reservation, and one of a live folder continues', async () => {
  const mika = await app.signIn('sweep');
  const [kept, ended] = [await beginUpload(app, mika), await beginUpload(app, mika)];
  await expire(app, ended.folder);
  expect(await accountOf(app, mika)).toEqual({ used: 0, reserved: 2 * LENGTH });
  expect(await sweepCommand(app.config)).toMatchObject({ isFinding: false, notes: ['swept'] });
  expect(await accountOf(app, mika)).toEqual({ used: 0, reserved: LENGTH });
  expect((await createTus(app, mika).head(ended.url)).status).toBe(410);
  expect(await storedBlobs(app)).toHaveLength(1);
  expect(await findingsOf(app)).toEqual([]);
  await expectToEndWhole(app, mika, kept);
  expect(await findingsOf(app)).toEqual([]);
});

test('sweep runs beside a node, whose PATCH under way ends whole', async () => {
  const lock = await lockSite({
    url: node.config.databaseUrl!,
    setting: 'DATABASE_URL',
    roles: ['site'],
    common: {},
    dataDir: node.config.dataDir,
    name: 'the node of this test',
    report: () => undefined,
  });
  const mika = await node.signIn('sweep');
  const tus = createTus(node, mika);
  const [kept, ended] = [await createUploadOf(node, mika, LENGTH), await beginUpload(node, mika)];
  const patch = openPatch(tus, kept.url, 0, LENGTH);
  await patch.send(kept.bytes.subarray(0, MIB));
  await untilOffset(node, kept.url, (offset) => offset > 0);
  await expire(node, ended.folder);
  const config = { ...node.config, keyServiceUrl: 'http://keys.internal' };
  expect(await sweepCommand(config)).toMatchObject({ isFinding: false, notes: ['swept'] });
  expect(await accountOf(node, mika)).toEqual({ used: 0, reserved: LENGTH });
  await patch.send(kept.bytes.subarray(MIB));
  patch.end();
  expect(await patch.outcome).toMatchObject({ status: 204 });
  expect(sha256(await kept.content())).toBe(sha256(kept.bytes));
  expect(await findingsOf(node)).toEqual([]);
  await lock.release();
});

test('delete cuts a PATCH under way, and leaves no reservation and no byte', async () => {
  const mika = await app.signIn('delete');
  const before = await storedBlobs(app);
  const tus = createTus(app, mika);
  const { folder, bytes, url } = await createUploadOf(app, mika, LENGTH);
  await makeFiles(app, mika, folder, 1);
  const patch = openPatch(tus, url, 0, LENGTH);
  await patch.send(bytes.subarray(0, MIB));
  await untilOffset(app, url, (offset) => offset > 0);
  const done = await deleteCommand(app.config, folder.slug, async () => true);
  expect(done).toMatchObject({ isFinding: false, json: { failures: [] } });
  await patch.send(bytes.subarray(MIB));
  patch.end();
  expect(await patch.outcome).toMatchObject({ status: 410 });
  expect((await tus.head(url)).status).toBe(410);
  expect(await accountOf(app, mika)).toEqual({ used: 0, reserved: 0 });
  expect((await storedBlobs(app)).toSorted()).toEqual(before.toSorted());
  expect(await findingsOf(app)).toEqual([]);
});
