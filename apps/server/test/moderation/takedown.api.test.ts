import { join } from 'node:path';
import type { DeniedBlobList } from '@satchel/contract/abuse';
import type { Folder } from '@satchel/contract/entities';
import { MIB } from '@satchel/contract/limits';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WHOLE } from '../../src/platform/blobs/blobs.ts';
import { createDiskBlobs } from '../../src/platform/blobs/blobs-disk.ts';
import { type Cell, type Credentials, makeOwnersCell, routesForAll, sendRow } from '../roles/matrix-rows.ts';
import { letIn, setAccess } from '../support/discord/guests.ts';
import { actsOf, createOperatedApp, operate, report, reportsOf } from '../support/operators.ts';
import {
  accountOf,
  BYTES_TYPE,
  codeOf,
  createTus,
  deleteFolder,
  expectExactSums,
  expire,
  freshName,
  makeFolder,
  OBJECT,
  openPatch,
  sha256,
  someBytes,
  storedBlobs,
  sweepAll,
  uploadState,
} from '../support/storage-kit.ts';

const BUCKET = 'unlocked-folders';
const REASON = 'Malware, by three reports';

const app = await createOperatedApp();
const mika = await app.signIn('mika');
const tus = createTus(app, mika);

describe('takedowns', () => {
  afterEach(async () => {
    vi.restoreAllMocks();
    await expectExactSums(app);
  });

  const { query } = app;
  const takeDown = (folder: Folder, input: object = {}, as = app.olga) =>
    operate<{ error: { code: string; params: object } }>(app, as, 'POST', '/takedowns', {
      folder_slug: folder.slug,
      reason: REASON,
      ...input,
    });
  const upload = async (folder: Folder, bytes: Buffer<ArrayBuffer>, more: object = {}, as = tus) => {
    const url = await as.create({ folder, name: freshName(), length: bytes.length, ...more });
    return { url, response: await as.patch(url, 0, bytes) };
  };
  const namesIn = async (folder: Folder) => {
    const body = { prefix: folder.bucket_storage_path };
    const response = await app.call('POST', `/storage/v1/object/list/${BUCKET}`, { body });
    return ((await response.json()) as { name: string }[]).map(({ name }) => name);
  };

  describe('a takedown', () => {
    /** Every route that reads a folder. */
    const readings = (cell: Cell, as: Credentials) =>
      Promise.all(routesForAll(app).map((route) => sendRow(app, route, cell, as)));
    const toAll = (status: number) => routesForAll(app).map(() => status);

    test('leaves nothing of the folder, and every address of it says why', async () => {
      const before = await storedBlobs(app);
      const cell = await makeOwnersCell(app, mika);
      const { folder } = cell;
      await report(app, { folder_slug: folder.slug });
      await report(app, { folder_slug: folder.slug });

      expect((await takeDown(folder)).status).toBe(204);
      expect(await storedBlobs(app)).toEqual(before);
      expect(await accountOf(app, mika)).toEqual({ used: 0, reserved: 0 });
      for (const table of ['files', 'uploads', 'temp_encryption_keys', 'blob_removals']) {
        expect(await query(sql`select * from ${sql.identifier(table)}`)).toEqual([]);
      }
      expect(await app.deps.keyShares.list()).toEqual([]);

      const check = async () => {
        const answers = await readings(cell, {});
        expect(answers.map(({ status }) => status)).toEqual(toAll(410));
        for (const answer of answers) expect(await answer.text()).toContain(REASON);
      };
      await check();
      expect(await codeOf(await tus.post({ folder, name: 'new.enc', length: 5 }))).toBe('folder.taken_down');
      // Long after its rows are deleted.
      await query(sql`update folders set deleted_at = now() - interval '40 days' where id = ${folder.id}::uuid`);
      expect(await sweepAll(app)).toEqual([]);
      expect(await query(sql`select * from folders where id = ${folder.id}::uuid`)).toEqual([]);
      await check();
      const again = await app.rpc('create_folder_with_temp_key', { folder_slug: folder.slug }, mika);
      expect(again.status).toBe(409);

      expect((await reportsOf(app)).filter((one) => one.folder_slug === folder.slug)).toEqual([]);
      const closed = (await reportsOf(app, 'closed')).filter((one) => one.folder_slug === folder.slug);
      expect(closed).toMatchObject([
        { outcome: 'taken_down', taken_down_reason: REASON, folder: null },
        { outcome: 'taken_down', taken_down_reason: REASON, folder: null },
      ]);
      expect(await actsOf(app)).toEqual([`take_down ${folder.slug} ${REASON}`]);
    });

    test('of a restricted folder is shown to its owner alone', async () => {
      const cell = await makeOwnersCell(app, mika);
      const { folder } = cell;
      await setAccess(app, mika, folder, 'restricted');
      const guest = await letIn(app, folder);
      const jonas = await app.signIn('jonas');
      const statuses = async (as: Credentials) => (await readings(cell, as)).map(({ status }) => status);
      expect((await takeDown(folder)).status).toBe(204);
      for (const as of [{}, jonas, { cookie: guest }]) expect(await statuses(as)).toEqual(toAll(404));
      expect(await statuses(mika)).toEqual(toAll(410));
      const deletedFor = async (time: string) => {
        const deleted_at = sql`now() - ${time}::interval`;
        await query(sql`update folders set deleted_at = ${deleted_at} where id = ${folder.id}::uuid`);
        expect(await sweepAll(app)).toEqual([]);
      };
      await deletedFor('29 days');
      expect((await statuses(mika))[0]).toBe(410);
      await deletedFor('31 days');
      expect(await statuses(mika)).toEqual(toAll(404));
    });

    test('of an expired folder says that it was taken down, not that it expired', async () => {
      const folder = await makeFolder(app, mika);
      await expire(app, folder);
      expect((await takeDown(folder)).status).toBe(204);
      expect(await sweepAll(app)).toEqual([]);
      expect((await app.call('GET', `/rest/v1/folders/${folder.slug}`)).status).toBe(410);
      expect(await codeOf(await app.call('GET', `/rest/v1/folders/${folder.slug}`))).toBe('folder.taken_down');
    });

    test('of two operators at once is done once; of a missing folder it is 404', async () => {
      const folder = await makeFolder(app, mika);
      const [deleted, acts] = [await makeFolder(app, mika), await actsOf(app)];
      await deleteFolder(app, mika, deleted);
      const answers = await Promise.all([app.olga, app.oskar].map((as) => takeDown(folder, {}, as)));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 410]);
      expect(answers.find(({ status }) => status === 410)?.body.error).toMatchObject({
        code: 'folder.taken_down',
        params: { reason: REASON },
      });
      for (const slug of [deleted.slug, 'AAAAAAAAAAAAAAAA', 'no slug', '\0']) {
        expect((await takeDown({ ...folder, slug })).body.error.code).toBe('folder.not_found');
      }
      expect(await actsOf(app)).toEqual([`take_down ${folder.slug} ${REASON}`, ...acts]);
    });

    test('is rolled back with its sums when its audit log can’t be written', async () => {
      const folder = await makeFolder(app, mika);
      await upload(folder, someBytes(10));
      await report(app, { folder_slug: folder.slug });
      const acts = await actsOf(app);
      await query(sql`alter table operator_acts add constraint none check (act <> 'take_down') not valid`);
      expect((await takeDown(folder, { deny_files: true })).status).toBe(500);
      await query(sql`alter table operator_acts drop constraint none`);
      expect(await namesIn(folder)).toHaveLength(1);
      expect((await reportsOf(app)).map((one) => one.folder_slug)).toContain(folder.slug);
      expect(await actsOf(app)).toEqual(acts);
      expect((await takeDown(folder)).status).toBe(204);
    });

    test('cuts an upload that is being completed: it is no file, and its blob is deleted', async () => {
      const folder = await makeFolder(app, mika);
      const bytes = someBytes(2 * MIB);
      const url = await tus.create({ folder, name: freshName(), length: bytes.length });
      const running = openPatch(tus, url, 0, bytes.length);
      await running.send(bytes.subarray(0, MIB));
      await running.send(bytes.subarray(MIB, bytes.length - 1));
      const [taken] = await Promise.all([takeDown(folder), running.send(bytes.subarray(-1)).then(() => running.end())]);
      expect(taken.status).toBe(204);
      // Whichever came first: a completed file was taken down with the rest.
      const outcome = await running.outcome;
      expect(outcome === 'cut' || [204, 410].includes(outcome.status)).toBe(true);
      expect(await accountOf(app, mika)).toEqual({ used: 0, reserved: 0 });
      expect(await sweepAll(app)).toEqual([]);
      expect(await storedBlobs(app)).toEqual([]);
      expect((await tus.head(url)).status).toBe(410);
    });
  });

  describe('denied bytes', () => {
    const deny = (bytes: Uint8Array, as = app.olga) =>
      operate(app, as, 'POST', '/denied_blobs', { sha256: sha256(bytes), size_bytes: bytes.length, reason: REASON });
    const allow = (bytes: Uint8Array) => operate(app, app.olga, 'DELETE', `/denied_blobs/${sha256(bytes)}`);
    const denied = async () =>
      (await operate<DeniedBlobList>(app, app.olga, 'GET', '/denied_blobs')).body.denied_blobs.map((one) => one.sha256);

    /** Expects a refusal that leaves nothing. */
    async function expectRefused(response: Response, folder: Folder): Promise<void> {
      expect(response.status).toBe(403);
      expect(await codeOf(response)).toBe('upload.denied');
      expect(await storedBlobs(app)).toEqual([]);
      expect(await accountOf(app, mika)).toEqual({ used: 0, reserved: 0 });
      expect(await namesIn(folder)).toEqual([]);
    }

    test('are refused once they are complete, give their room back, and may come again when allowed', async () => {
      const folder = await makeFolder(app, mika);
      const bytes = someBytes(300_000);
      expect((await deny(bytes)).status).toBe(204);
      const acts = await actsOf(app);
      expect(acts[0]).toBe(`deny ${sha256(bytes)} ${REASON}`);
      const refused = await upload(folder, bytes);
      await expectRefused(refused.response, folder);
      expect((await tus.head(refused.url)).status).toBe(410);
      // In two requests, and with the creation's own body.
      const url = await tus.create({ folder, name: freshName(), length: bytes.length });
      expect((await tus.patch(url, 0, bytes.subarray(0, 100_000))).status).toBe(204);
      await expectRefused(await tus.patch(url, 100_000, bytes.subarray(100_000)), folder);
      const withCreation = { name: freshName(), folder, length: bytes.length, headers: { 'content-type': BYTES_TYPE } };
      await expectRefused(await tus.post({ ...withCreation, body: bytes }), folder);

      expect((await allow(bytes)).status).toBe(204);
      expect((await allow(bytes)).status).toBe(404);
      expect(await actsOf(app)).toEqual([`allow ${sha256(bytes)} -`, ...acts]);
      expect((await upload(folder, bytes)).response.status).toBe(204);
      await deleteFolder(app, mika, folder);
    });

    test('do not replace an existing file', async () => {
      const folder = await makeFolder(app, mika);
      const [good, bad, name] = [someBytes(5000), someBytes(5000), freshName()];
      await upload(folder, good, { name });
      await deny(bad);
      const { response } = await upload(folder, bad, { name, headers: { 'x-upsert': 'true' } });
      expect(response.status).toBe(403);
      const object = await fetch(`${app.baseUrl}${OBJECT}/public/${BUCKET}/${folder.bucket_storage_path}/${name}`);
      expect(sha256(new Uint8Array(await object.arrayBuffer()))).toBe(sha256(good));
      await allow(bad);
      await deleteFolder(app, mika, folder);
    });

    test('nothing is hashed unless something of exactly that size is denied', async () => {
      const folder = await makeFolder(app, mika);
      await deny(someBytes(4000));
      const open = vi.spyOn(app.deps.blobs, 'open');
      expect((await upload(folder, someBytes(4001))).response.status).toBe(204);
      expect(open).not.toHaveBeenCalled();
      expect((await upload(folder, someBytes(4000))).response.status).toBe(204);
      expect(open).toHaveBeenCalledTimes(1);
      await query(sql`delete from denied_blobs`);
      await deleteFolder(app, mika, folder);
    });

    test('an upload that is taken over while it is hashed is not stored by that hash', async () => {
      const folder = await makeFolder(app, mika);
      const [bad, innocent] = [someBytes(6000), someBytes(6000)];
      await deny(bad);
      const url = await tus.create({ folder, name: freshName(), length: bad.length });
      const { blob_key } = await uploadState(app, url);
      const { open } = app.deps.blobs;
      vi.spyOn(app.deps.blobs, 'open').mockImplementationOnce(async (...what) => {
        const blob = await open(...what);
        return {
          ...blob,
          // Like another node: it takes the next epoch, and writes other bytes.
          async send(range, sink) {
            await blob.send(range, sink);
            await query(sql`update uploads set lease_epoch = lease_epoch + 1 where blob_key = ${blob_key}::uuid`);
            const where = { blobKey: blob_key, epoch: 99, offsetBytes: 0, last: { start: 0, name: WHOLE } };
            const writer = await createDiskBlobs({ dir: join(app.config.dataDir, 'blobs') }).append(where);
            await writer.write([bad]);
            await writer.close();
          },
        };
      });
      expect((await tus.patch(url, 0, innocent)).status).toBe(409);
      expect(await namesIn(folder)).toEqual([]);
      await expectRefused(await tus.patch(url, 0, bad), folder);
      await allow(bad);
    });

    test('an upload whose folder is taken down while it is hashed is gone', async () => {
      const folder = await makeFolder(app, mika);
      const bad = someBytes(6000);
      await deny(bad);
      const url = await tus.create({ folder, name: freshName(), length: bad.length });
      const { open } = app.deps.blobs;
      vi.spyOn(app.deps.blobs, 'open').mockImplementationOnce(async (...what) => {
        expect((await takeDown(folder)).status).toBe(204);
        return open(...what);
      });
      const response = await tus.patch(url, 0, someBytes(6000));
      expect([response.status, await codeOf(response)]).toEqual([410, 'upload.gone']);
      expect(await storedBlobs(app)).toEqual([]);
      expect(await accountOf(app, mika)).toEqual({ used: 0, reserved: 0 });
      await allow(bad);
    });

    test('a takedown denies the stored bytes of its files', async () => {
      const folder = await makeFolder(app, mika);
      const elsewhere = await makeFolder(app, mika);
      const contents = [someBytes(700_000), someBytes(30), someBytes(30)];
      for (const bytes of contents) await upload(folder, bytes);
      await upload(folder, contents[1]!);
      const acts = await actsOf(app);
      expect((await takeDown(folder, { deny_files: true })).status).toBe(204);
      expect(new Set(await denied())).toEqual(new Set(contents.map(sha256)));
      expect(await storedBlobs(app)).toEqual([]);
      expect(await query(sql`select * from blob_removals`)).toEqual([]);
      for (const bytes of contents) await expectRefused((await upload(elsewhere, bytes)).response, elsewhere);
      const done = (await actsOf(app)).slice(0, -acts.length);
      expect(done.slice(0, -1).sort()).toEqual(contents.map((bytes) => `deny ${sha256(bytes)} ${REASON}`).sort());
      expect(done.at(-1)).toBe(`take_down ${folder.slug} ${REASON}`);
      await query(sql`delete from denied_blobs`);
    });

    test('no one reads a folder while its files are hashed, and no sweep purges them before that', async () => {
      const folder = await makeFolder(app, mika);
      const bytes = someBytes(3000);
      await upload(folder, bytes);
      const { open } = app.deps.blobs;
      const seen: unknown[] = [];
      vi.spyOn(app.deps.blobs, 'open').mockImplementationOnce(async (...what) => {
        const data = await app.call('GET', `/rest/v1/folders/${folder.slug}`);
        expect(await sweepAll(app)).toEqual([]);
        seen.push(data.status, await storedBlobs(app));
        return open(...what);
      });
      expect((await takeDown(folder, { deny_files: true })).status).toBe(204);
      expect(seen).toEqual([410, [expect.any(String)]]);
      expect(await denied()).toEqual([sha256(bytes)]);
      expect(await storedBlobs(app)).toEqual([]);
      await query(sql`delete from denied_blobs`);
    });

    test('a file that can’t be hashed is deleted all the same, and nothing is denied', async () => {
      const folder = await makeFolder(app, mika);
      await upload(folder, someBytes(3000));
      const logged = app.log.length;
      vi.spyOn(app.deps.blobs, 'open').mockRejectedValueOnce(new Error('the disk is failing'));
      expect((await takeDown(folder, { deny_files: true })).status).toBe(204);
      expect(await denied()).toEqual([]);
      expect(await storedBlobs(app)).toEqual([]);
      expect(app.log.slice(logged).join()).toContain('some files not hashed');
    });
  });
});
